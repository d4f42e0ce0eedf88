package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.client.Remote
import com.intellij.driver.client.utility
import com.intellij.driver.sdk.Project
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.singleProject
import com.intellij.driver.sdk.ui.components.UiComponent
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.IdeaFrameUI
import com.intellij.driver.sdk.ui.components.common.ideFrame
import com.intellij.driver.sdk.ui.ui
import com.intellij.driver.sdk.waitForIndicators
import com.intellij.ide.starter.driver.engine.runIdeWithDriver
import com.intellij.ide.starter.ide.IDETestContext
import com.intellij.ide.starter.ide.IdeProductProvider
import com.intellij.ide.starter.models.TestCase
import com.intellij.ide.starter.plugins.PluginConfigurator
import com.intellij.ide.starter.project.LocalProjectInfo
import com.intellij.ide.starter.runner.Starter
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import java.nio.file.Files
import java.nio.file.Path
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/**
 * An IDE of its own process with the plugin's archive in it, on a project that is made for one test. In place of Claude
 * Code it starts the scripted agent, whose [script] says what a model would do. A project that is not trusted opens in Safe
 * Mode, without a dialog. Text becomes UTF-8; [prepare] writes into the project's folder what is not.
 */
internal class RunningIde(
    name: String,
    script: String,
    files: Map<String, String>,
    isTrusted: Boolean = true,
    prepare: (Path) -> Unit = {},
) {
    private val context: IDETestContext

    /** The project's folder. */
    val project: Path

    init {
        val made = Files.createTempDirectory("siderail-ide-test")
        for ((path, text) in files) {
            val file = made.resolve(path)
            Files.createDirectories(file.parent)
            Files.writeString(file, text)
        }
        prepare(made)
        // Starter of 2025.3 and 2026.1, which Gradle takes for those IDEs; that of 2026.2 has `IdeInfo.IdeaUltimate` in its place.
        val case = TestCase(IdeProductProvider.IU, LocalProjectInfo(made)).withVersion(property("siderail.ide.version"))
        context = Starter.newContext(name, case)
        project = context.resolvedProjectHome
        PluginConfigurator(context).installPluginFromPath(Path.of(property("siderail.plugin")))
        if (isTrusted) context.addProjectToTrustedLocations() else distrust()
        settings(Files.writeString(Files.createTempFile("script", ".toml"), script))
    }

    /** What the settings page would have stored. */
    private fun settings(script: Path) {
        val agent = Path.of(property("siderail.agent"))
        val command = "\"$agent\" --shape claude --script \"$script\"".replace("\"", "&quot;")
        val template = checkNotNull(javaClass.getResource("/siderail.xml")).readText()
        val file = context.paths.configDir.resolve("options/siderail.xml")
        Files.createDirectories(file.parent)
        Files.writeString(file, template.replace("@COMMAND@", command))
    }

    /** As if somebody had chosen Safe Mode when the project was opened for the first time. */
    private fun distrust() = option(
        "trusted-paths",
        "Trusted.Paths",
        """<option name="TRUSTED_PROJECT_PATHS"><map><entry key="$project" value="false" /></map></option>""",
    )

    /** Adds to a component of the IDE's own settings, in the file of that name; what Starter has put there stays. */
    fun option(file: String, component: String, content: String) {
        val stored = context.paths.configDir.resolve("options/$file.xml")
        Files.createDirectories(stored.parent)
        val before = textOf(stored) ?: "<application></application>"
        val start = """<component name="$component">"""
        val after = when (start) {
            in before -> before.replace(start, start + content)
            else -> before.replace("</application>", "$start$content</component></application>")
        }
        Files.writeString(stored, after)
    }

    /** The agent of this IDE is not asked about what is not dangerous. */
    fun allowWhatIsNotDangerous() = option("siderail", "Siderail", """<option name="policy" value="yolo" />""")

    /** What the IDE has stored in a file of its own settings. */
    fun stored(file: String): String? = textOf(context.paths.configDir.resolve("options/$file.xml"))

    /** Starts the IDE, does [work] in it, fails where the plugin wrote an error into the log, and ends it. */
    fun run(work: Driver.() -> Unit) {
        context.runIdeWithDriver().useDriverAndCloseIde {
            waitForIndicators(5.minutes)
            work()
            assertEquals(emptyList<String>(), errors())
        }
    }

    /** Waits until a text file of the project is as it is to be. */
    fun waitForFile(path: String, wanted: (String?) -> Boolean) {
        val file = project.resolve(path)
        waitUntil({ "$path is ${textOf(file)}" }) { wanted(textOf(file)) }
    }

    /** Waits until a file of the project has these bytes. */
    fun waitForBytes(path: String, wanted: ByteArray) {
        val file = project.resolve(path)
        waitUntil({ "$path is ${Files.readAllBytes(file).decodeToString()}" }) { wanted.contentEquals(Files.readAllBytes(file)) }
    }

    private fun textOf(file: Path): String? = file.takeIf(Files::exists)?.let(Files::readString)

    companion object {
        /** An agent has done its work by then. */
        val LONG: Duration = 60.seconds

        private fun property(name: String): String =
            checkNotNull(System.getProperty(name)) { "no system property $name: run this by `gradle ideTest`" }
    }
}

@Remote("com.intellij.openapi.application.PathManager")
internal interface Paths {
    fun getLogPath(): String
}

@Remote("com.intellij.ide.trustedProjects.TrustedProjects")
internal interface Trust {
    fun setProjectTrusted(project: Project, isTrusted: Boolean)
}

/** Trusts the open project, as the notice above its editors does. */
internal fun Driver.trust() = utility<Trust>().setProjectTrusted(singleProject(), true)

/** Waits until something holds; [state] says how it is if it never does. */
internal fun waitUntil(state: () -> String, isSo: () -> Boolean) {
    val end = System.nanoTime() + RunningIde.LONG.inWholeNanoseconds
    while (!isSo()) {
        assertTrue(System.nanoTime() < end, state)
        Thread.sleep(200)
    }
}

/** Agents that run. */
internal fun agents(): List<ProcessHandle> =
    ProcessHandle.allProcesses().filter { "siderail-scripted-agent" in it.info().commandLine().orElse("") }.toList()

/** Errors in the IDE's log that name the plugin's classes. */
internal fun Driver.errors(): List<String> {
    val log = Files.readString(Path.of(utility<Paths>().getLogPath()).resolve("idea.log"))
    val entries = log.split(Regex("""(?m)^(?=\d{4}-\d\d-\d\d )"""))
    return entries.filter { Regex("""^\S+ \S+ \[[^]]*] +(ERROR|SEVERE) """).containsMatchIn(it) && "dev.siderail" in it }
}

/** An IDE whose agent would answer at once, if anything were sent. */
internal fun quietIde(name: String, files: Map<String, String> = mapOf("a.txt" to "a\n"), prepare: (Path) -> Unit = {}) =
    RunningIde(name, turn(says = "this was sent"), files, prepare = prepare)

/** Opens the chat and writes a message to the agent. */
internal fun Driver.ask(message: String) {
    showChat()
    ideFrame {
        field().click()
        keyboard {
            typeText(message)
            enter()
        }
    }
}

internal fun Driver.showChat() {
    invokeAction("dev.siderail.FocusChat", now = false)
    ideFrame { field().waitFound() }
}

/** Waits until these texts are in the field, whose lines can break anywhere. */
internal fun Driver.waitForDraft(vararg texts: String) = ideFrame {
    fun String.unspaced() = filterNot(Char::isWhitespace)
    waitUntil({ "in the field is ${field().texts()}" }) { texts.all { it.unspaced() in field().texts().unspaced() } }
}

/** A component by the name that people hear. A button of a question shows the digit that presses it behind its text. */
internal fun IdeaFrameUI.named(name: String) = x { byAccessibleName(name) }

/** The tab of a tool window. Texts that are painted elsewhere can be the same. */
internal fun IdeaFrameUI.tab(title: String) =
    x("//div[contains(concat(@javaclass, ' ', @classhierarchy), 'ContentTabLabel') and @visible_text='$title']")

/** All that it shows. Of the driver this and [waitGone] take only what has not changed its name from version to version. */
internal fun UiComponent.texts(): String = getAllTexts().joinToString("") { it.text }

internal fun UiComponent.waitGone() = waitUntil({ "$this is there" }) { notPresent() }

/** Where the person writes. */
internal fun IdeaFrameUI.field() = named("Message to the agent")

/** The conversation, whose texts are what the person reads. */
internal fun IdeaFrameUI.conversation() = named("Conversation")

/** Waits for a text in the conversation. */
internal fun Driver.waitForText(text: String) = ideFrame { conversation().waitContainsText(text, timeout = RunningIde.LONG) }

/** Waits until the agent says [text], its last words. Then all that its script expected of its calls has come. */
internal fun Driver.waitForEnd(text: String = "all done") {
    waitForText(text)
    ideFrame { assertTrue("EXPECTATION FAILED" !in conversation().texts()) }
}

/** Waits for a question of the agent's, and allows what it asks for. */
internal fun Driver.allow() {
    waitForQuestion()
    invokeAction("dev.siderail.Allow", now = false)
    ideFrame { named("Deny").waitGone() }
}

internal fun Driver.waitForQuestion() = ideFrame { named("Deny").waitFound(RunningIde.LONG) }

/** Opens a dialog that blocks the IDE, does [work] and closes it. Settings would not do: they can be a tab. */
internal fun Driver.behindDialog(work: () -> Unit) {
    invokeAction("editRunConfigurations", now = false)
    ideFrame { dialog().waitFound() }
    work()
    ideFrame {
        keyboard { escape() }
        dialog().waitGone()
    }
}

internal fun Driver.assertNoDialog() = ideFrame { assertTrue(dialog().notPresent()) }

/** Any dialog of the IDE: they all have a window of this class. */
internal fun IdeaFrameUI.dialog() = x { byClass("MyDialog") }

/** Chooses in a list of the IDE that has just been opened, by what is typed. */
internal fun Driver.choose(listTitle: String, entry: String) {
    ui.x { contains(byVisibleText(listTitle)) }.waitFound()
    ideFrame {
        keyboard {
            typeText(entry)
            enter()
        }
    }
}

/** Opens a file and has its editor undo the last step there; the file is saved. */
internal fun Driver.undoIn(path: String) {
    openFile(path)
    invokeAction("\$Undo", now = false)
    invokeAction("SaveAll", now = false)
}

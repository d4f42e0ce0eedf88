package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.client.Remote
import com.intellij.driver.client.utility
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.IdeaFrameUI
import com.intellij.driver.sdk.ui.components.common.ideFrame
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
 * Code it starts the scripted agent, whose [script] says what a model would do.
 */
internal class RunningIde(name: String, script: String, files: Map<String, String>) {
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
        // Starter of 2025.3 and 2026.1, which Gradle takes for those IDEs; that of 2026.2 has `IdeInfo.IdeaUltimate` in its place.
        val case = TestCase(IdeProductProvider.IU, LocalProjectInfo(made)).withVersion(property("siderail.ide.version"))
        context = Starter.newContext(name, case)
        project = context.resolvedProjectHome
        PluginConfigurator(context).installPluginFromPath(Path.of(property("siderail.plugin")))
        context.addProjectToTrustedLocations()
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

    /** Starts the IDE, does [work] in it, fails where the plugin wrote an error into the log, and ends it. */
    fun run(work: Driver.() -> Unit) {
        context.runIdeWithDriver().useDriverAndCloseIde {
            waitForIndicators(5.minutes)
            work()
            assertEquals(emptyList<String>(), errors())
        }
    }

    /** Waits until a file of the project is as it is to be. */
    fun waitForFile(path: String, wanted: (String?) -> Boolean) {
        val file = project.resolve(path)
        val end = System.nanoTime() + LONG.inWholeNanoseconds
        while (true) {
            val text = file.takeIf(Files::exists)?.let(Files::readString)
            if (wanted(text)) return
            assertTrue(System.nanoTime() < end, "$path is $text")
            Thread.sleep(200)
        }
    }

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

/** Errors in the IDE's log in which the plugin's classes stand. */
internal fun Driver.errors(): List<String> {
    val log = Files.readString(Path.of(utility<Paths>().getLogPath()).resolve("idea.log"))
    val entries = log.split(Regex("""(?m)^(?=\d{4}-\d\d-\d\d )"""))
    return entries.filter { Regex("""^\S+ \S+ \[[^]]*] +(ERROR|SEVERE) """).containsMatchIn(it) && "dev.siderail" in it }
}

/** Opens the chat and writes a message to the agent. */
internal fun Driver.ask(message: String) {
    invokeAction("dev.siderail.FocusChat", now = false)
    ideFrame {
        field().waitFound().click()
        keyboard {
            typeText(message)
            enter()
        }
    }
}

/** Where the person writes. */
internal fun IdeaFrameUI.field() = x { byAccessibleName("Message to the agent") }

/** The conversation, whose texts are what the person reads. */
internal fun IdeaFrameUI.conversation() = x { byAccessibleName("Conversation") }

/** Whatever the script of the agent expected of its calls has come. */
internal fun Driver.assertExpectationsHeld() = ideFrame { assertTrue("EXPECTATION FAILED" !in conversation().allTextAsString()) }

/** Waits for a text in the conversation. */
internal fun Driver.waitForText(text: String) = ideFrame { conversation().waitContainsText(text, timeout = RunningIde.LONG) }

package dev.siderail.toolwindow

import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.nameWithoutExtension
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/**
 * Panels are painted and pressed without an IDE, all through a few that tests name. The classes by which the window meets the
 * IDE are not among them: each has to be named by a test.
 */
class WindowClassesTest {
    private val sources = Path.of(System.getProperty("siderail.root"), "plugin/src")

    private fun files(vararg folders: String): List<Path> = folders.flatMap { folder ->
        Files.walk(sources.resolve(folder)).use { files -> files.filter { it.extension in setOf("kt", "java") }.toList() }
    }

    @Test
    fun `each class of the window and the settings that meets the IDE is named by a test`() {
        val tests = files("test", "headlessTest").filter { it.nameWithoutExtension != "WindowClassesTest" }.map { it.readText() }
        val meeting = listOf("toolwindow", "settings").flatMap { files("main/kotlin/dev/siderail/$it", "main/java/dev/siderail/$it") }
            .map { it.readText() }.filter(MEETS::containsMatchIn)
        val classes = meeting.flatMap { text -> CLASS.findAll(text).map { it.groupValues[1] } }
        check(classes.size > 20) { "$classes" }
        val unnamed = classes.filter { name -> tests.none { Regex("""\b$name\b""").containsMatchIn(it) } }
        assertEquals(emptyList<String>(), unnamed - THROUGH_OTHERS.keys, "no test names these")
        assertEquals(emptySet<String>(), THROUGH_OTHERS.keys - unnamed.toSet(), "these are named by now")
    }

    private companion object {
        /** These parts of the platform are painted without an IDE. */
        val MEETS = Regex("""import com\.intellij\.(?!ui\.(?:components\.JB(?:CheckBox|Label|RadioButton)|JBSplitter|JBIntSpinner)\s)""")
        val CLASS = Regex("""(?m)^(?:public |internal |abstract |open |final |data |sealed |fun )*(?:class|object|interface|enum) (?:class )?(\w+)""")

        /** Those that have no name of their own in a test, and what tests them. */
        val THROUGH_OTHERS = mapOf(
            "SelectedTest" to "FixRequestTest",
            "TitleAction" to "ToolWindowTabsTest presses the buttons of the title",
            "PartAction" to "IdeWindowTest chooses in a mark's menu",
            "SecretPlace" to "PasswordStoreTest",
            "SecretsForEngine" to "PasswordStoreTest has what it hands on",
        )
    }
}

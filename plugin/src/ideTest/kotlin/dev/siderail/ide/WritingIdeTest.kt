package dev.siderail.ide

import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files

/** What an agent writes, as a real IDE treats it: commands, undo, saving, version control, dialogs. */
class WritingIdeTest {
    private val git = mapOf(
        ".git/HEAD" to "ref: refs/heads/main\n",
        ".git/config" to "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        ".git/objects/info/keep" to "",
        ".git/refs/heads/keep.d/keep" to "",
        ".idea/vcs.xml" to """
            <project version="4">
              <component name="VcsDirectoryMappings">
                <mapping directory="" vcs="Git" />
              </component>
            </project>
        """.trimIndent(),
    )

    @Test
    fun aNewFileOpensNoDialogAndTheNextWriteLands() {
        val script = """
            [[prompt]]
            step = [
              { call = "intellij_write_file", arguments = { path = "src/New.java", content = "class New {}\n" }, expect = "allowed" },
              { call = "intellij_write_file", arguments = { path = "src/Next.java", content = "class Next {}\n" }, expect = "allowed" },
              { say = "both are written" },
            ]
        """.trimIndent()
        val ide = RunningIde("new-file", script, git + ("src/Old.java" to "class Old {}\n"))
        ide.run {
            ask("write two files")
            waitForText("both are written")
            ide.waitForFile("src/Next.java") { it == "class Next {}\n" }
            assertTrue(Files.exists(ide.project.resolve("src/New.java")))
            ideFrame { assertTrue(x { byTitle("Add File to Git") }.notPresent()) }
        }
    }

    @Test
    fun oneUndoTakesBackAnEditWithItsFormat() {
        val before = "class Undo {\n    int x = 1;\n}\n"
        val script = """
            [[prompt]]
            step = [
              { call = "intellij_write_file", arguments = { path = "src/Undo.java", old_text = "    int x = 1;", new_text = "int x=2;" }, expect = "allowed" },
              { say = "it is changed" },
            ]
        """.trimIndent()
        val ide = RunningIde("undo", script, mapOf("src/Undo.java" to before))
        ide.run {
            openFile("src/Undo.java")
            ask("change it")
            waitForText("it is changed")
            ide.waitForFile("src/Undo.java") { it == "class Undo {\n    int x = 2;\n}\n" }
            openFile("src/Undo.java")
            invokeAction("\$Undo", now = false)
            invokeAction("SaveAll", now = false)
            ide.waitForFile("src/Undo.java") { it == before }
        }
    }

    @Test
    fun aDialogRefusesTheWriteAndNothingLandsWhenItCloses() {
        val script = """
            [[prompt]]
            step = [
              { say = "now" },
              { sleep = 10.0 },
              { call = "intellij_write_file", arguments = { path = "a.txt", content = "late\n" }, expect_result_contains = "MODAL_BLOCKING" },
              { say = "it was refused" },
            ]
        """.trimIndent()
        val ide = RunningIde("modal", script, mapOf("a.txt" to "early\n"))
        ide.run {
            ask("write while a dialog is open")
            waitForText("now")
            invokeAction("ShowSettings", now = false)
            Thread.sleep(20_000)
            ideFrame { keyboard { escape() } }
            waitForText("it was refused")
            assertExpectationsHeld()
            assertEquals("early\n", Files.readString(ide.project.resolve("a.txt")))
        }
    }

    @Test
    fun whatThePersonHasTypedAndNotSavedStays() {
        val script = """
            [[prompt]]
            step = [
              { call = "intellij_write_file", arguments = { path = "a.txt", old_text = "one", new_text = "two" }, expect = "allowed" },
              { say = "it is changed" },
            ]
        """.trimIndent()
        val ide = RunningIde("unsaved", script, mapOf("a.txt" to "one\n"))
        ide.run {
            openFile("a.txt")
            ideFrame { keyboard { typeText("mine ") } }
            ask("change it")
            waitForText("it is changed")
            ide.waitForFile("a.txt") { it == "mine two\n" }
        }
    }

    @Test
    fun anImportStaysUntilTheEditThatUsesIt() {
        val script = """
            [[prompt]]
            step = [
              { call = "intellij_write_file", arguments = { path = "src/Uses.java", old_text = "class", new_text = "import java.util.List;\n\nclass" }, expect = "allowed" },
              { call = "intellij_write_file", arguments = { path = "src/Uses.java", old_text = "{}", new_text = "{\n    List<String> all;\n}" }, expect = "allowed" },
              { say = "it uses it" },
            ]
        """.trimIndent()
        val ide = RunningIde("imports", script, mapOf("src/Uses.java" to "class Uses {}\n"))
        ide.run {
            ask("use a list")
            waitForText("it uses it")
            ide.waitForFile("src/Uses.java") { it == "import java.util.List;\n\nclass Uses {\n    List<String> all;\n}\n" }
        }
    }
}

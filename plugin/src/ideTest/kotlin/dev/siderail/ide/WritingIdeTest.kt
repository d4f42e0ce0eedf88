package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.findFile
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.editorTabs
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.charset.Charset
import java.nio.file.Files

/** What an agent writes, as a real IDE treats it: commands, undo, saving, version control, dialogs. */
class WritingIdeTest {
    @Test
    fun aNewFileOpensNoDialogAndTheNextWriteLands() {
        val script = turn(
            write("src/New.java", "content" to "class New {}\n"),
            write("src/Next.java", "content" to "class Next {}\n"),
        )
        val ide = RunningIde("new-file", script, git + ("src/Old.java" to "class Old {}\n"))
        ide.run {
            ask("write two files")
            waitForEnd()
            ide.waitForFile("src/Next.java") { it == "class Next {}\n" }
            assertTrue(Files.exists(ide.project.resolve("src/New.java")))
            assertNoDialog()
        }
    }

    @Test
    fun oneUndoTakesBackAnEditWithItsFormat() {
        val before = "class Undo {\n    int x = 1;\n}\n"
        val ide = RunningIde("undo", turn(replace("src/Undo.java", "    int x = 1;", "int x=2;")), mapOf("src/Undo.java" to before))
        ide.run {
            openFile("src/Undo.java")
            ask("change it")
            waitForEnd()
            ide.waitForFile("src/Undo.java") { it == "class Undo {\n    int x = 2;\n}\n" }
            undoIn("src/Undo.java")
            ide.waitForFile("src/Undo.java") { it == before }
        }
    }

    @Test
    fun aDialogRefusesTheWriteAndNothingLandsWhenItCloses() {
        val dialogOpen = Signal()
        val script = turn(
            say("at work"),
            dialogOpen.awaited,
            call("intellij_write_file", "path" to "a.txt", "content" to "late\n", result = "MODAL_BLOCKING"),
        )
        val ide = RunningIde("modal", script, mapOf("a.txt" to "early\n"))
        ide.run {
            ask("write while a dialog is open")
            waitForText("at work")
            behindDialog {
                dialogOpen.give()
                waitForEnd()
            }
            assertEquals("early\n", Files.readString(ide.project.resolve("a.txt")))
        }
    }

    @Test
    fun whatThePersonHasTypedStaysAndUndoTakesBackTheAgentsEditFirst() {
        val ide = RunningIde("unsaved", turn(replace("a.txt", "one", "two")), mapOf("a.txt" to "one\n"))
        ide.run {
            openFile("a.txt")
            ideFrame { keyboard { typeText("mine ") } }
            ask("change it")
            waitForEnd()
            ide.waitForFile("a.txt") { it == "mine two\n" }
            undoIn("a.txt")
            ide.waitForFile("a.txt") { it == "mine one\n" }
        }
    }

    @Test
    fun anImportStaysUntilTheEditThatUsesIt() {
        val script = turn(
            replace("src/Uses.java", "class", "import java.util.List;\n\nclass"),
            replace("src/Uses.java", "{}", "{\n    List<String> all;\n}"),
        )
        val ide = RunningIde("imports", script, mapOf("src/Uses.java" to "class Uses {}\n"))
        ide.run {
            ask("use a list")
            waitForEnd()
            ide.waitForFile("src/Uses.java") { it == "import java.util.List;\n\nclass Uses {\n    List<String> all;\n}\n" }
        }
    }

    /** Whether Kotlin's optimiser would have taken it out is another question: it may refuse the thread. */
    @Test
    fun anImportInKotlinStaysUntilTheEditThatUsesIt() {
        val script = turn(
            replace("src/Uses.kt", "class", "import shapes.Side\n\nclass"),
            replace("src/Uses.kt", "Uses", "Uses(val side: Side)"),
        )
        val files = sourceRoot + mapOf("src/Uses.kt" to "class Uses\n", "src/shapes/Side.kt" to "package shapes\n\nclass Side\n")
        val ide = RunningIde("imports-kotlin", script, files)
        ide.run {
            ask("use a side")
            waitForEnd()
            ide.waitForFile("src/Uses.kt") { it == "import shapes.Side\n\nclass Uses(val side: Side)\n" }
        }
    }

    @Test
    fun filesThatTheAgentMovesAndDeletesAreGoneFromTheProject() {
        val script = turn(
            write("src/New.java", "content" to "class New {}\n"),
            call("move_file", "path" to "src/Old.java", "to" to "src/older/Old.java", expect = "allowed"),
            call("delete_file", "path" to "src/Gone.java", expect = "allowed"),
        )
        val files = git + mapOf("src/Old.java" to "class Old {}\n", "src/Gone.java" to "class Gone {}\n")
        changesFiles("move", script, files, listOf("src/New.java", "src/older/Old.java"), listOf("src/Old.java", "src/Gone.java"))
    }

    /** Two changes that are asked about: afterwards these files are there, those are gone, and no dialog is open. */
    private fun changesFiles(name: String, script: String, files: Map<String, String>, there: List<String>, gone: List<String>) {
        val ide = RunningIde(name, script, files)
        ide.run {
            ask("change the files")
            repeat(2) { allow() }
            waitForEnd()
            assertFiles(there, gone)
            assertNoDialog()
        }
    }

    @Test
    fun aMoveFromOrToAnExcludedFolderOpensNoDialog() {
        val script = turn(
            call("move_file", "path" to "out/In.java", "to" to "src/In.java", expect = "allowed"),
            call("move_file", "path" to "src/Out.java", "to" to "out/Out.java", expect = "allowed"),
        )
        val files = sourceRoot + git + mapOf("out/In.java" to "class In {}\n", "src/Out.java" to "class Out {}\n")
        changesFiles("excluded", script, files, listOf("src/In.java", "out/Out.java"), listOf("out/In.java", "src/Out.java"))
    }

    @Test
    fun aMoveFromOrToAContentRootWithoutGitOpensNoDialog() {
        val script = turn(
            call("move_file", "path" to "loose/in.txt", "to" to "src/in.txt", expect = "allowed"),
            call("move_file", "path" to "src/out.txt", "to" to "loose/out.txt", expect = "allowed"),
        )
        val files = sourceRoot + gitInOneOfTwoRoots + mapOf("loose/in.txt" to "in\n", "src/out.txt" to "out\n")
        changesFiles("roots", script, files, listOf("src/in.txt", "loose/out.txt"), listOf("loose/in.txt", "src/out.txt"))
    }

    @Test
    fun theTabOfAFileThatTheAgentMovesClosesAndUndoDoesNotBringItBack() {
        val script = turn(call("move_file", "path" to "a.txt", "to" to "b.txt", expect = "allowed"))
        RunningIde("moved-tab", script, mapOf("a.txt" to "a\n", "other.txt" to "other\n")).run {
            openFile("other.txt")
            openFile("a.txt")
            assertTrue(isOpen("a.txt"))
            ask("move it")
            allow()
            waitForEnd()
            waitUntil({ "the tab is open" }) { !isOpen("a.txt") }
            undoIn("other.txt")
            assertFiles(there = listOf("b.txt"), gone = listOf("a.txt"))
            assertTrue(!isOpen("a.txt"))
            assertNoDialog()
        }
    }

    private fun Driver.isOpen(file: String) = ideFrame().editorTabs().isTabOpened(file)

    @Test
    fun aFileThatHasChangedOutsideIsStale() {
        val script = turn(call("intellij_write_file", "path" to "a.txt", "old_text" to "one", "new_text" to "two", result = "STALE"))
        val ide = RunningIde("stale", script, mapOf("a.txt" to "one\n"))
        ide.run {
            openFile("a.txt")
            ideFrame { keyboard { typeText("mine ") } }
            Files.writeString(ide.project.resolve("a.txt"), "one, from outside\n")
            ask("change it")
            waitForEnd()
            assertNoDialog()
            // Saving is the person's own: then the IDE asks, and would ask when it closes.
            invokeAction("SaveAll", now = false)
            ideFrame { x { byVisibleText("Load File System Changes") }.waitFound().click() }
            ide.waitForFile("a.txt") { it == "one, from outside\n" }
        }
    }

    @Test
    fun lineEndsByteOrderMarkAndCharsetAreKept() {
        val files = listOf(
            Triple("crlf.txt", "one\r\ntwo\r\n", Charsets.UTF_8),
            Triple("mark.txt", "\uFEFFone\ntwo\n", Charsets.UTF_8),
            Triple("price.txt", "one €\ntwo\n", Charset.forName("windows-1252")),
        )
        val script = turn(*files.map { (path) -> replace(path, "two", "three") }.toTypedArray())
        val ide = RunningIde("bytes", script, mapOf(inWindows1252("price.txt"))) { project ->
            for ((path, text, charset) in files) Files.write(project.resolve(path), text.toByteArray(charset))
        }
        ide.run {
            ask("change them")
            waitForEnd()
            for ((path, text, charset) in files) ide.waitForBytes(path, text.replace("two", "three").toByteArray(charset))
        }
    }

    @Test
    fun anEditAmongMixedLineEndsChangesOneLine() {
        val before = "one\r\ntwo\nthree\r\n"
        val ide = RunningIde("mixed", turn(replace("a.txt", "two", "2")), mapOf("a.txt" to before))
        ide.run {
            ask("change it")
            waitForEnd()
            ide.waitForBytes("a.txt", before.replace("two", "2").toByteArray())
            assertNoDialog()
        }
    }

    @Test
    fun bothNamesOfAFileHaveTheNewText() {
        for (isBackedUp in listOf(true, false)) {
            val ide = RunningIde("links-$isBackedUp", turn(replace("a.txt", "one", "two")), mapOf("a.txt" to "one\n")) { project ->
                Files.createLink(project.resolve("b.txt"), project.resolve("a.txt"))
            }
            ide.option("ide.general", "GeneralSettings", """<option name="useSafeWrite" value="$isBackedUp" />""")
            ide.run {
                ask("change it")
                waitForEnd()
                for (name in listOf("a.txt", "b.txt")) ide.waitForFile(name) { it == "two\n" }
            }
        }
    }

    @Test
    fun aLargeFileIsWrittenWithoutBeingFormatted() {
        val fields = (1..10_000).joinToString("") { "int field$it = 1;\n" }
        val script = turn(
            write("src/Large.java", "old_text" to "int field7 = 1;", "new_text" to "int field7=2;", result = "not formatted"),
        )
        val ide = RunningIde("large", script, mapOf("src/Large.java" to "class Large {\n$fields}\n"))
        ide.run {
            ask("change it")
            waitForEnd()
            ide.waitForFile("src/Large.java") { it != null && "\nint field7=2;\nint field8 = 1;\n" in it }
        }
    }

    /** As Project view knows them. */
    private fun Driver.assertFiles(there: List<String>, gone: List<String>) {
        val all = there + gone
        waitUntil({ "the IDE knows ${all.filter { findFile(it) != null }}" }) { all.filter { findFile(it) != null } == there }
    }
}

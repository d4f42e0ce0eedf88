package dev.siderail.ide

import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitNotFound
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files

/** The tool window in a real IDE: tabs, drafts, focus, questions, review. */
class WindowIdeTest {
    private val nothing = "[[prompt]]\nstep = [ { say = \"done\" } ]\n"

    @Test
    fun aFurtherChatIsATabThatCloses() {
        RunningIde("tabs", nothing, mapOf("a.txt" to "a\n")).run {
            invokeAction("dev.siderail.FocusChat", now = false)
            ideFrame { field().waitFound() }
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame {
                val second = x { byVisibleText("Chat 2") }
                second.waitFound().click()
                invokeAction("CloseContent", now = false)
                second.waitNotFound()
            }
        }
    }

    @Test
    fun aDraftIsThereAfterARestart() {
        val ide = RunningIde("draft", nothing, mapOf("a.txt" to "a\n"))
        ide.run {
            invokeAction("dev.siderail.FocusChat", now = false)
            ideFrame {
                field().waitFound().click()
                keyboard { typeText("half a thought") }
            }
        }
        ide.run {
            invokeAction("dev.siderail.FocusChat", now = false)
            ideFrame { field().waitFound().waitContainsText("half a thought") }
        }
    }

    @Test
    fun theFocusStaysInTheEditorWhileQuestionsCome() {
        val script = """
            [[prompt]]
            step = [
              { say = "soon" },
              { sleep = 8.0 },
              { call = "run_command", arguments = { command = "rm -rf build" } },
              { say = "asked" },
            ]
        """.trimIndent()
        val ide = RunningIde("focus", script, mapOf("a.txt" to "\n", "build/x" to "x"))
        ide.run {
            ask("clean up")
            waitForText("soon")
            openFile("a.txt")
            Thread.sleep(15_000)
            ideFrame {
                x { byVisibleText("Deny") }.waitFound()
                keyboard { typeText("typed here") }
            }
            invokeAction("SaveAll", now = false)
            ide.waitForFile("a.txt") { it == "typed here\n" }
            invokeAction("dev.siderail.Deny", now = false)
            waitForText("asked")
            assertTrue(Files.exists(ide.project.resolve("build/x")))
        }
    }

    /** The turn's end takes out the import that nothing uses; the text that comes back is the one from before all of it. */
    @Test
    fun whatAMessageChangedCanBeReverted() {
        val before = "class Shape {}\n"
        val script = """
            [[prompt]]
            step = [
              { call = "intellij_write_file", arguments = { path = "src/Shape.java", content = "import shapes.Side;\n\nclass Shape {\n    int sides;\n}\n" }, expect = "allowed" },
              { say = "done" },
            ]
        """.trimIndent()
        val files = sourceRoot + mapOf("src/Shape.java" to before, "src/shapes/Side.java" to "package shapes;\n\npublic class Side {}\n")
        val ide = RunningIde("revert", script, files)
        ide.run {
            ask("change it")
            waitForText("1 file changed")
            ide.waitForFile("src/Shape.java") { it != null && "int sides;" in it && "import" !in it }
            ideFrame { x { byAccessibleName("Revert src/Shape.java") }.waitFound().click() }
            ide.waitForFile("src/Shape.java") { it == before }
        }
    }

    @Test
    fun noAgentStartsInSafeModeUntilTheProjectIsTrusted() {
        val script = "[[prompt]]\nstep = [ { say = \"at work\" } ]\n"
        RunningIde("safe-mode", script, mapOf("a.txt" to "a\n"), isTrusted = false).run {
            ask("begin")
            ideFrame { x { byVisibleText("This project is open in Safe Mode") }.waitFound() }
            Thread.sleep(5_000)
            assertEquals(emptyList<ProcessHandle>(), agents())
            trust()
            waitForText("at work")
        }
    }

    @Test
    fun closingTheProjectEndsTheAgentWithoutAnError() {
        val script = "[[prompt]]\nstep = [ { say = \"at work\" }, { sleep = 600.0 } ]\n"
        RunningIde("close", script, mapOf("a.txt" to "a\n")).run {
            ask("work for long")
            waitForText("at work")
            invokeAction("CloseProject", now = false)
            Thread.sleep(5_000)
        }
        assertEquals(emptyList<ProcessHandle>(), agents())
    }
}

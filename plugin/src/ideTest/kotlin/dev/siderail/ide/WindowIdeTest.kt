package dev.siderail.ide

import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitNotFound
import com.intellij.driver.sdk.ui.components.common.ideFrame
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

    @Test
    fun whatAMessageChangedCanBeReverted() {
        val script = """
            [[prompt]]
            step = [
              { call = "intellij_write_file", arguments = { path = "a.txt", content = "two\n" }, expect = "allowed" },
              { say = "done" },
            ]
        """.trimIndent()
        val ide = RunningIde("revert", script, mapOf("a.txt" to "one\n"))
        ide.run {
            ask("change it")
            waitForText("1 file changed")
            ide.waitForFile("a.txt") { it == "two\n" }
            ideFrame { x { byAccessibleName("Revert a.txt") }.waitFound().click() }
            ide.waitForFile("a.txt") { it == "one\n" }
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
        val left = ProcessHandle.allProcesses().filter { it.info().commandLine().orElse("").contains("siderail-scripted-agent") }.toList()
        assertTrue(left.isEmpty(), "$left")
    }
}

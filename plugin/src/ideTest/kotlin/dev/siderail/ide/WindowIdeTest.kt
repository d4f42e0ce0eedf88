package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files

/** The tool window in a real IDE: tabs, drafts, context, focus, questions, review. */
class WindowIdeTest {
    private val cleanUp = call("run_command", "command" to "rm -rf build")

    /** The agent of these would answer at once, if anything were sent. */
    private fun chat(name: String, text: String = "a\n") = RunningIde(name, turn(says = "this was sent"), mapOf("a.txt" to text))

    private fun Driver.showChat() {
        invokeAction("dev.siderail.FocusChat", now = false)
        ideFrame { field().waitFound() }
    }

    private fun Driver.type(draft: String) = ideFrame {
        field().waitFound().click()
        keyboard { typeText(draft) }
    }

    private fun Driver.waitForDraft(vararg texts: String) = ideFrame { texts.forEach { field().waitFound().waitContainsText(it) } }

    private fun Driver.assertNothingIsSent() = ideFrame { assertTrue("this was sent" !in conversation().texts()) }

    @Test
    fun aFurtherChatIsATabThatCloses() {
        chat("tabs").run {
            showChat()
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame {
                val second = x { byVisibleText("Chat 2") }
                second.waitFound().click()
                invokeAction("CloseContent", now = false)
                second.waitGone()
            }
        }
    }

    @Test
    fun aNewChatShowsTheWindowThatWasHidden() {
        chat("hidden").run {
            showChat()
            invokeAction("HideActiveWindow", now = false)
            ideFrame { field().waitGone() }
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame {
                field().waitFound()
                x { byVisibleText("Chat 2") }.waitFound()
            }
        }
    }

    @Test
    fun aDraftIsThereAfterARestart() {
        val ide = chat("draft")
        ide.run {
            showChat()
            type("half a thought")
        }
        ide.run {
            showChat()
            waitForDraft("half a thought")
        }
    }

    @Test
    fun theDraftsOfTwoChatsAreInTheFirstAfterARestart() {
        val ide = chat("drafts")
        ide.run {
            showChat()
            type("half a thought")
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame { x { byVisibleText("Chat 2") }.waitFound().click() }
            type("and another")
        }
        ide.run {
            showChat()
            waitForDraft("half a thought", "and another")
        }
    }

    @Test
    fun theSelectionIsAChipBesideAQuestionThatIsNotSent() {
        chat("selection", text = "one").run {
            openFile("a.txt")
            invokeAction("\$SelectAll", now = false)
            invokeAction("dev.siderail.AskSelection", now = false)
            ideFrame { named("Remove a.txt:1").waitFound() }
            waitForDraft("Explain the selected code")
            assertNothingIsSent()
        }
    }

    @Test
    fun withNothingSelectedTheChatSaysSo() {
        chat("no-selection").run {
            openFile("a.txt")
            invokeAction("dev.siderail.AddSelection", now = false)
            ideFrame { named("Attached").waitFound().waitContainsText("No text is selected in the editor") }
        }
    }

    @Test
    fun aCommitMessageIsAskedForInTheFieldAndNotSent() {
        chat("commit").run {
            invokeAction("dev.siderail.CommitMessage", now = false)
            waitForDraft("Propose a commit message")
            assertNothingIsSent()
        }
    }

    @Test
    fun theFocusStaysInTheEditorWhileQuestionsCome() {
        val editorOpen = Signal()
        val script = turn(say("at work"), editorOpen.awaited, cleanUp)
        val ide = RunningIde("focus", script, mapOf("a.txt" to "\n", "build/x" to "x"))
        ide.run {
            ask("clean up")
            waitForText("at work")
            openFile("a.txt")
            editorOpen.give()
            waitForQuestion()
            ideFrame { keyboard { typeText("typed here") } }
            invokeAction("SaveAll", now = false)
            ide.waitForFile("a.txt") { it == "typed here\n" }
            invokeAction("dev.siderail.Deny", now = false)
            waitForEnd()
            assertTrue(Files.exists(ide.project.resolve("build/x")))
        }
    }

    @Test
    fun theStatusBarSaysWhatTheAgentDoes() {
        val seen = Signal()
        RunningIde("status", turn(say("at work"), seen.awaited, cleanUp), mapOf("build/x" to "x")).run {
            ask("clean up")
            ideFrame { x { byVisibleText("Siderail: working") }.waitFound() }
            seen.give()
            waitForQuestion()
            ideFrame { x { byVisibleText("Siderail: waits for you") }.waitFound() }
            invokeAction("dev.siderail.Deny", now = false)
            waitForEnd()
            ideFrame { x { byVisibleText("Siderail: working") }.waitGone() }
        }
    }

    /** The turn's end takes out the import that nothing uses; the text that comes back is the one from before all of it. */
    @Test
    fun whatAMessageChangedCanBeRevertedAndTheRevertUndone() {
        val before = "class Shape {}\n"
        val script = turn(write("src/Shape.java", "content" to "import shapes.Side;\n\nclass Shape {\n    int sides;\n}\n"))
        val files = sourceRoot + mapOf("src/Shape.java" to before, "src/shapes/Side.java" to "package shapes;\n\npublic class Side {}\n")
        val ide = RunningIde("revert", script, files)
        ide.run {
            ask("change it")
            waitForText("1 file changed")
            ide.waitForFile("src/Shape.java") { it != null && "int sides;" in it && "import" !in it }
            ideFrame { named("Revert src/Shape.java").waitFound().click() }
            ide.waitForFile("src/Shape.java") { it == before }
            undoIn("src/Shape.java")
            ide.waitForFile("src/Shape.java") { it != null && "int sides;" in it }
        }
    }

    @Test
    fun goingBackRevertsAMessageAndPutsItIntoTheField() {
        val ide = RunningIde("back", turn(replace("a.txt", "one", "two")), mapOf("a.txt" to "one\n"))
        ide.run {
            ask("make it two")
            waitForText("1 file changed")
            ideFrame {
                x { byVisibleText("Go back to before this") }.waitFound().click()
                x { byVisibleText("Revert everything since") }.waitFound().click()
            }
            ide.waitForFile("a.txt") { it == "one\n" }
            waitForDraft("make it two")
        }
    }

    /** The notice comes in place of an agent: once it is there, none starts any more. */
    @Test
    fun noAgentStartsInSafeModeUntilTheProjectIsTrusted() {
        RunningIde("safe-mode", turn(says = "at work"), mapOf("a.txt" to "a\n"), isTrusted = false).run {
            ask("begin")
            ideFrame { x { byVisibleText("This project is open in Safe Mode") }.waitFound() }
            assertEquals(emptyList<ProcessHandle>(), agents())
            trust()
            waitForText("at work")
        }
    }

    @Test
    fun closingTheProjectEndsTheAgentWithoutAnError() {
        RunningIde("close", turn(say("at work"), sleep(600)), mapOf("a.txt" to "a\n")).run {
            ask("work for long")
            waitForText("at work")
            invokeAction("CloseProject", now = false)
            waitUntil({ "${agents()} run" }) { agents().isEmpty() }
        }
    }
}

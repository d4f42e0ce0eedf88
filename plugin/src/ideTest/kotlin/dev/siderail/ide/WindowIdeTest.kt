package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledOnOs
import org.junit.jupiter.api.condition.OS
import java.nio.file.Files
import java.nio.file.Path

/** The tool window in a real IDE: chats, focus, questions, plans, status, history. */
class WindowIdeTest {
    private val cleanUp = call("run_command", "command" to "rm -rf build")

    private fun Driver.showHistory() {
        showChat()
        ideFrame {
            tab("History").click()
            named("Search conversations").waitFound()
        }
    }

    private fun Driver.askForPlan(message: String) {
        showChat()
        ideFrame { named("Plan first").click() }
        ask(message)
    }

    @Test
    fun aFurtherChatIsATabThatCloses() {
        quietIde("tabs").run {
            showChat()
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame {
                val second = tab("Chat 2")
                second.waitFound().click()
                invokeAction("CloseContent", now = false)
                second.waitGone()
            }
        }
    }

    @Test
    fun aNewChatShowsTheWindowThatWasHidden() {
        quietIde("hidden").run {
            showChat()
            invokeAction("HideActiveWindow", now = false)
            ideFrame { field().waitGone() }
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame {
                field().waitFound()
                tab("Chat 2").waitFound()
            }
        }
    }

    @Test
    fun aNewChatComesIntoViewWithTheHistoryInFront() {
        quietIde("history-front").run {
            showHistory()
            ideFrame { field().waitGone() }
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame {
                field().waitFound()
                tab("Chat 2").waitFound()
            }
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

    @Test
    fun theWordInTheStatusBarShowsTheChat() {
        val seen = Signal()
        RunningIde("status-click", turn(say("at work"), seen.awaited), mapOf("a.txt" to "a\n")).run {
            ask("work")
            waitForText("at work")
            invokeAction("HideActiveWindow", now = false)
            ideFrame {
                field().waitGone()
                x { byVisibleText("Siderail: working") }.waitFound().click()
                field().waitFound()
            }
            seen.give()
            waitForEnd()
        }
    }

    @Test
    fun anApprovedPlanIsCarriedOut() {
        val script = turn(present("1. Make it two\n2. Stop"), ifAllowed(replace("a.txt", "one", "two")))
        val ide = RunningIde("plan", script, mapOf("a.txt" to "one\n"))
        ide.run {
            askForPlan("make it two")
            ideFrame { named("Approve and start").waitFound(RunningIde.LONG) }
            assertEquals("one\n", Files.readString(ide.project.resolve("a.txt")))
            ideFrame { named("Approve and start").click() }
            waitForText("Plan approved")
            waitForEnd()
            ide.waitForFile("a.txt") { it == "two\n" }
        }
    }

    @Test
    fun feedbackOnAPlanBringsAnotherOne() {
        val script = turn(present("1. Make it two\n2. Stop"), says = "the first plan") + turn(
            seen("make it three"),
            present("1. Make it three\n2. Stop"),
            ifAllowed(replace("a.txt", "one", "three")),
            match = "The plan is not approved",
        )
        val ide = RunningIde("plan-feedback", script, mapOf("a.txt" to "one\n"))
        ide.run {
            askForPlan("make it two")
            ideFrame {
                named("What should be different? (optional)").waitFound(RunningIde.LONG).click()
                keyboard { typeText("make it three") }
                named("Request changes").click()
            }
            waitForText("Plan returned with feedback")
            ideFrame { named("Approve and start").waitFound(RunningIde.LONG).click() }
            waitForEnd()
            ide.waitForFile("a.txt") { it == "three\n" }
        }
    }

    @Test
    fun anotherPolicyStartsTheAgentAgainAndTheConversationGoesOn() {
        val script = turn(says = "first answer", match = "begin") +
            turn(call("run_command", "command" to "mkdir made", expect = "allowed"), match = "make it")
        val ide = RunningIde("policy", script, mapOf("a.txt" to "a\n"))
        ide.run {
            ask("begin")
            waitForText("first answer")
            val before = agents().map { it.pid() }
            ideFrame { named("Policy of this chat, from the next message on: redirect").waitFound().click() }
            choose("Policy of this chat", "yolo")
            ask("make it")
            // Under the policy before somebody would be asked.
            waitForEnd()
            assertTrue(Files.exists(ide.project.resolve("made")))
            waitUntil({ "of $before run ${agents()}" }) { agents().none { it.pid() in before } }
            ideFrame { assertEquals(2, conversation().texts().split("first answer").size) }
        }
    }

    /** Linux alone shows the variables of another process. */
    @EnabledOnOs(OS.LINUX)
    @Test
    fun aKeyIsGivenToTheAgentAndIsNotInTheSettings() {
        val ide = RunningIde("key", turn(says = "at work"), mapOf("a.txt" to "a\n"))
        ide.run {
            showChat()
            ideFrame {
                named("Siderail Settings").waitFound().click()
                x { byClass("JTextArea") }.waitFound().click()
                keyboard { typeText("X_API_KEY=abcd1234efgh") }
                named("Apply").click()
                keyboard { escape() }
            }
            invokeAction("SaveAll", now = false)
        }
        val stored = checkNotNull(ide.stored("siderail"))
        assertTrue("X_API_KEY" in stored && "abcd1234efgh" !in stored, stored)
        ide.run {
            ask("begin")
            waitForText("at work")
            assertTrue(agents().any { "X_API_KEY=abcd1234efgh" in Files.readString(Path.of("/proc/${it.pid()}/environ")) })
        }
    }

    @Test
    fun aConversationIsResumedAfterARestart() {
        val ide = RunningIde("resume", turn(says = "first answer", match = "begin") + turn(match = "more"), mapOf("a.txt" to "a\n"))
        ide.run {
            ask("begin")
            waitForText("first answer")
            // The title that the agent gives.
            ideFrame { tab("begin").waitFound() }
        }
        ide.run {
            showHistory()
            ideFrame { named("Resume begin").waitFound(RunningIde.LONG).click() }
            waitForText("An earlier conversation")
            waitForText("first answer")
            waitForText("Resumed here")
            ideFrame { tab("begin").waitFound() }
            ask("more")
            waitForEnd()
        }
    }

    @Test
    fun aConversationIsExportedWhileItsAgentGoesOnBehindTheDialog() {
        val dialogOpen = Signal()
        val script = turn(says = "first answer", match = "begin") + turn(say("at work"), dialogOpen.awaited, match = "more")
        val ide = RunningIde("export", script, mapOf("a.txt" to "a\n"))
        ide.run {
            ask("begin")
            waitForText("first answer")
            ask("more")
            waitForText("at work")
            openExport()
            dialogOpen.give()
            ideFrame { x { byVisibleText("Siderail: working") }.waitGone() }
            confirmExport()
            ide.waitForFile("begin.md") { it != null && "first answer" in it }
        }
    }

    /** Not as `root`, who may write everywhere. */
    @Test
    fun aPageThatCannotBeSavedIsReported() {
        val script = turn(says = "first answer", match = "begin") +
            turn(call("get_notifications", result = "begin.md was not saved"), match = "look")
        val ide = RunningIde("export-refused", script, mapOf("a.txt" to "a\n"))
        ide.run {
            ask("begin")
            waitForText("first answer")
            assertTrue(ide.project.toFile().setWritable(false))
            openExport()
            confirmExport()
            ask("look")
            waitForEnd()
            assertTrue(!Files.exists(ide.project.resolve("begin.md")))
        }
    }

    private fun Driver.openExport() {
        showHistory()
        ideFrame {
            named("Export begin as Markdown").waitFound(RunningIde.LONG).click()
            dialog().waitFound()
        }
    }

    /** Where nothing was saved before, the dialog proposes the project's folder. */
    private fun Driver.confirmExport() = ideFrame {
        waitUntil({ "OK is grey" }) { named("OK").isEnabled() }
        named("OK").click()
        dialog().waitGone()
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

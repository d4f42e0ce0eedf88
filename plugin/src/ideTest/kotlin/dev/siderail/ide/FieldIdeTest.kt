package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.codeEditor
import com.intellij.driver.sdk.ui.components.common.ideFrame
import com.intellij.driver.sdk.ui.components.elements.popupMenu
import com.intellij.driver.sdk.ui.components.elements.tree
import com.intellij.driver.sdk.ui.ui
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The field that the person writes in: drafts, what goes along, and what the IDE writes into it. Nothing is sent unasked. */
class FieldIdeTest {
    private fun Driver.type(draft: String) = ideFrame {
        field().waitFound().click()
        keyboard { typeText(draft) }
    }

    /** Types what `@` completes, and takes the first thing that is offered. */
    private fun Driver.mention(word: String, offered: String = word) {
        showChat()
        ideFrame {
            keyboard { typeText("@$word") }
            named("Suggestions").waitFound().waitContainsText(offered)
            keyboard { enter() }
        }
    }

    private fun Driver.assertNothingIsSent() = ideFrame { assertTrue("this was sent" !in conversation().texts()) }

    @Test
    fun aDraftIsThereAfterARestart() {
        val ide = quietIde("draft")
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
        val ide = quietIde("drafts")
        ide.run {
            showChat()
            type("half a thought")
            invokeAction("dev.siderail.NewChat", now = false)
            ideFrame { tab("Chat 2").waitFound().click() }
            type("and another")
        }
        ide.run {
            showChat()
            waitForDraft("half a thought", "and another")
        }
    }

    @Test
    fun theSelectionIsAChipBesideAQuestionThatIsNotSent() {
        quietIde("selection", mapOf("a.txt" to "one")).run {
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
        quietIde("no-selection").run {
            openFile("a.txt")
            invokeAction("dev.siderail.AddSelection", now = false)
            ideFrame { named("Attached").waitFound().waitContainsText("No text is selected in the editor") }
        }
    }

    @Test
    fun theMenuOfTheEditorShowsTheChatWithTheFocusInItsField() {
        quietIde("menu").run {
            showChat()
            invokeAction("HideActiveWindow", now = false)
            ideFrame { field().waitGone() }
            openFile("a.txt")
            ideFrame { codeEditor().rightClick() }
            ui.popupMenu().select("Siderail: Add Selection to Chat")
            ideFrame {
                field().waitFound()
                keyboard { typeText("typed here") }
            }
            waitForDraft("typed here")
        }
    }

    @Test
    fun filesAndSymbolsAreCompletedIntoTheText() {
        quietIde("mentions", sourceRoot + ("src/Square.java" to "class Square {\n    int side;\n}\n")).run {
            mention("Squ", offered = "Square.java")
            waitForDraft("@src/Square.java")
            mention("side")
            waitForDraft("@src/Square.java:2")
            assertNothingIsSent()
        }
    }

    @Test
    fun problemsAndUncommittedChangesAreChips() {
        val files = sourceRoot + git + ("src/Broken.java" to "class Broken {\n    Missing lost;\n}\n")
        quietIde("chips", files) { stage(it, "src/Broken.java") }.run {
            openFile("src/Broken.java")
            mention("problems")
            ideFrame { named("Remove problems: src/Broken.java").waitFound() }
            mention("diff")
            ideFrame { named("Remove diff").waitFound() }
            assertNothingIsSent()
        }
    }

    @Test
    fun theSelectionIsAChipOnlyWhereSomethingIsSelected() {
        quietIde("mention-selection", mapOf("a.txt" to "one")).run {
            openFile("a.txt")
            mention("selection")
            ideFrame { named("Attached").waitFound().waitContainsText("No text is selected in the editor") }
            openFile("a.txt")
            invokeAction("\$SelectAll", now = false)
            mention("selection")
            ideFrame { named("Remove a.txt:1").waitFound() }
            assertNothingIsSent()
        }
    }

    @Test
    fun aProblemOfTheCaretsLineIsWrittenIntoTheFieldAndNotSent() {
        val files = sourceRoot + ("src/Broken.java" to "class Broken {\n    Missing lost;\n}\n")
        quietIde("fix", files).run {
            openFile("src/Broken.java")
            ideFrame {
                codeEditor().goToLine(2)
                codeEditor().invokeIntentionAction("Fix with the agent (Siderail)")
            }
            waitForDraft("Fix this problem: ", "@src/Broken.java:2")
            assertNothingIsSent()
        }
    }

    @Test
    fun theProblemsViewAsksAboutAProblemOrAFileInTheField() {
        val files = sourceRoot + ("src/Broken.java" to "class Broken {\n    Missing lost;\n}\n")
        quietIde("problems-view", files).run {
            openFile("src/Broken.java")
            fixInProblemsView { "Missing" in it }
            waitForDraft("Fix this problem: ", "@src/Broken.java:2")
            fixInProblemsView { it.startsWith("Broken.java") }
            waitForDraft("Fix the problems that the IDE finds in @src/Broken.java")
            assertNothingIsSent()
        }
    }

    private fun Driver.fixInProblemsView(isRow: (String) -> Boolean) {
        invokeAction("ActivateProblemsViewToolWindow", now = false)
        val view = ideFrame().x { byClass("HighlightingPanel") }
        view.waitFound().waitContainsText("Missing")
        view.tree().rightClickRow(isRow)
        ui.popupMenu().select("Siderail: Fix with the Agent")
    }

    @Test
    fun theIconAboveTheCommitMessageAsksForOneInTheField() {
        quietIde("commit-icon", git + ("a.txt" to "a\n")) { stage(it, "a.txt") }.run {
            invokeAction("CheckinProject", now = false)
            ideFrame { named("Siderail: Ask for a Commit Message").waitFound().click() }
            waitForDraft("Propose a commit message")
            assertNothingIsSent()
        }
    }

    @Test
    fun aCommitMessageIsAskedForInTheFieldAndNotSent() {
        quietIde("commit").run {
            invokeAction("dev.siderail.CommitMessage", now = false)
            waitForDraft("Propose a commit message")
            assertNothingIsSent()
        }
    }
}

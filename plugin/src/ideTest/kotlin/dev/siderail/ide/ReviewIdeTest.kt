package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.editorTabs
import com.intellij.driver.sdk.ui.components.common.gutter
import com.intellij.driver.sdk.ui.components.common.ideFrame
import com.intellij.driver.sdk.ui.ui
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** What a message has changed, looked at, kept and reverted. */
class ReviewIdeTest {
    @Test
    fun theDiffOfAChangedFileOpensInTheViewerOfTheIde() {
        RunningIde("diff", turn(replace("a.txt", "one", "two")), mapOf("a.txt" to "one\n")).run {
            ask("make it two")
            waitForText("1 file changed")
            ideFrame { named("Show the diff of a.txt").waitFound().click() }
            val viewer = ui.x { byClass("SimpleDiffPanel") }
            viewer.waitFound().waitContainsText("one")
            viewer.waitContainsText("two")
        }
    }

    @Test
    fun eachPlaceThatAMessageChangedIsKeptOrRevertedInTheGutter() {
        val script = turn(replace("a.txt", "one", "first"), replace("a.txt", "nine", "last"))
        val ide = RunningIde("marks", script, mapOf("a.txt" to "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"))
        ide.run {
            openFile("a.txt")
            showMarks()
            waitUntil({ "${marks().size} marks" }) { marks().size == 2 }
            marks().first().click()
            choose(MARK, "Keep This")
            waitUntil({ "${marks().size} marks" }) { marks().size == 1 }
            waitForText("1 left")
            marks().single().click()
            choose(MARK, "Revert This")
            ide.waitForFile("a.txt") { it == "first\n2\n3\n4\n5\n6\n7\n8\nnine\n" }
            waitUntil({ "${marks().size} marks" }) { marks().isEmpty() }
            undoIn("a.txt")
            ide.waitForFile("a.txt") { it == "first\n2\n3\n4\n5\n6\n7\n8\nlast\n" }
        }
    }

    @Test
    fun aPlaceThatThePersonHasChangedSinceIsNotRevertedInTheGutter() {
        val ide = RunningIde("mark-changed", turn(replace("a.txt", "one", "two")), mapOf("a.txt" to "one\n"))
        ide.run {
            openFile("a.txt")
            showMarks()
            openFile("a.txt")
            ideFrame { keyboard { typeText("my") } }
            waitUntil({ "${marks().size} marks" }) { marks().size == 1 }
            assertEquals("Changed by the agent, and by somebody else since: click to keep or compare", marks().single().mark.getTooltipText())
            marks().single().click()
            choose(MARK, "Revert This")
            // The entry cannot be chosen: the list stays, first without what was typed.
            ideFrame { repeat(2) { keyboard { escape() } } }
            invokeAction("SaveAll", now = false)
            ide.waitForFile("a.txt") { it != null && "my" in it && "one" !in it }
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

    @Test
    fun goingBackToTheFirstMessageRevertsTheSecondTooAndBringsItsAttachment() {
        val script = turn(replace("a.txt", "one", "two"), says = "first answer") + turn(replace("b.txt", "one", "two"))
        val ide = RunningIde("back-twice", script, mapOf("a.txt" to "one", "b.txt" to "one\n"))
        ide.run {
            openFile("a.txt")
            invokeAction("\$SelectAll", now = false)
            invokeAction("dev.siderail.AddSelection", now = false)
            ideFrame { named("Remove a.txt:1").waitFound() }
            ask("make it two")
            waitForText("first answer")
            ask("the other one, too")
            waitForEnd()
            ide.waitForFile("b.txt") { it == "two\n" }
            ideFrame {
                val ways = xx { byVisibleText("Go back to before this") }
                waitUntil({ "there are ${ways.list().size} ways back" }) { ways.list().size == 2 }
                ways.list().first().click()
                x { byVisibleText("Revert everything since") }.waitFound().click()
            }
            ide.waitForFile("a.txt") { it == "one" }
            ide.waitForFile("b.txt") { it == "one\n" }
            waitForDraft("make it two")
            ideFrame { named("Remove a.txt:1").waitFound() }
        }
    }

    /** Has the agent change the file, and marks the places in its editor. */
    private fun Driver.showMarks() {
        ask("change it")
        waitForText("1 file changed")
        waitForEnd()
        ideFrame { named("Show in editor").waitFound().click() }
    }

    /** From above to below. */
    private fun Driver.marks() =
        ideFrame().editorTabs().gutter().icons.filter { it.mark.getTooltipText().orEmpty().startsWith("Changed by the agent") }

    private companion object {
        /** The title of a mark's menu. */
        const val MARK = "Change by the Agent"
    }
}

package dev.siderail.ide

import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Test

/** What the tools know of code, against the IDE's own Java support. */
class ToolsIdeTest {
    private val files = mapOf(
        "src/Shape.java" to "interface Shape {\n    double area();\n}\n",
        "src/Square.java" to "class Square implements Shape {\n    double side;\n\n    public double area() {\n        return side * side;\n    }\n}\n",
        "src/Main.java" to "class Main {\n    double all(Square square) {\n        return square.area();\n    }\n}\n",
        "src/Broken.java" to "class Broken {\n    Missing lost;\n}\n",
    ) + sourceRoot

    /** Calls a tool, which has to answer with each of the texts. */
    private fun answers(name: String, tool: String, arguments: String, vararg wanted: String) {
        val calls = wanted.joinToString("\n") { "  { call = \"$tool\", arguments = $arguments, expect_result_contains = \"$it\" }," }
        val ide = RunningIde(name, "[[prompt]]\nstep = [\n$calls\n  { say = \"asked\" },\n]\n", files)
        ide.run {
            openFile("src/Main.java")
            ask("look")
            waitForText("asked")
            assertExpectationsHeld()
        }
    }

    @Test
    fun symbolsAreFoundByName() = answers("symbols", "search_symbols", "{ query = \"Squ\" }", "Square", "src/Square.java:1")

    @Test
    fun anOutlineIsTheStructureView() = answers("outline", "get_file_outline", "{ path = \"src/Square.java\" }", "area", "side")

    @Test
    fun referencesAreThoseOfFindUsages() =
        answers("references", "find_references", "{ symbol = \"area\", path = \"src/Square.java\", line = 4 }", "src/Main.java:3")

    @Test
    fun aDeclarationIsShownFromItsUse() =
        answers("declaration", "go_to_declaration", "{ path = \"src/Main.java\", line = 3, column = 23 }", "src/Square.java:4", "return side * side;")

    @Test
    fun aHierarchyIsThatOfGoToImplementation() = answers("hierarchy", "get_hierarchy", "{ symbol = \"Shape\" }", "src/Square.java:1")

    @Test
    fun aClosedFileIsInspected() = answers("problems", "get_problems", "{ path = \"src/Broken.java\" }", "`Missing` leads to no declaration")

    @Test
    fun aRenameIsAskedAndChangesAllFiles() {
        val script = """
            [[prompt]]
            step = [
              { call = "rename_symbol", arguments = { symbol = "Square", new_name = "Box" }, expect = "allowed" },
              { say = "renamed" },
            ]
        """.trimIndent()
        val ide = RunningIde("rename", script, files)
        ide.run {
            ask("call it a box")
            ideFrame { x { byVisibleText("Deny") }.waitFound(RunningIde.LONG) }
            invokeAction("dev.siderail.Allow", now = false)
            waitForText("renamed")
            ide.waitForFile("src/Box.java") { it != null && it.startsWith("class Box implements Shape") }
            ide.waitForFile("src/Main.java") { it != null && "Box square" in it }
        }
    }

    @Test
    fun aRenameToATakenNameOpensNoDialog() {
        val script = """
            [[prompt]]
            step = [
              { call = "rename_symbol", arguments = { symbol = "Square", new_name = "Shape" }, expect = "failed", expect_result_contains = "nothing was renamed" },
              { say = "told" },
            ]
        """.trimIndent()
        val ide = RunningIde("rename-taken", script, files)
        ide.run {
            ask("call it a shape")
            ideFrame { x { byVisibleText("Deny") }.waitFound(RunningIde.LONG) }
            invokeAction("dev.siderail.Allow", now = false)
            waitForText("told")
            assertExpectationsHeld()
            ide.waitForFile("src/Square.java") { it != null && it.startsWith("class Square") }
        }
    }
}

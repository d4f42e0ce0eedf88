package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.client.Remote
import com.intellij.driver.client.utility
import com.intellij.driver.sdk.Project
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.singleProject
import org.junit.jupiter.api.Test

/** What the tools know of code and of the IDE, against the IDE's own support of the languages. */
class LookingIdeTest {
    private val files = mapOf(
        "src/Shape.java" to "interface Shape {\n    double area();\n}\n",
        "src/Square.java" to "class Square implements Shape {\n    double side;\n\n    public double area() {\n        return side * side;\n    }\n}\n",
        "src/Main.java" to "class Main {\n    double all(Square square) {\n        return square.area();\n    }\n}\n",
        "src/Broken.java" to "class Broken {\n    Missing lost;\n}\n",
    ) + sourceRoot

    private val kotlin = mapOf(
        "src/Shape.kt" to "interface Shape {\n    fun area(): Int\n}\n",
        "src/Square.kt" to "class Square(val side: Int) : Shape {\n    override fun area(): Int = side * side\n}\n",
        "src/Main.kt" to "fun all(square: Square): Int {\n    return square.area()\n}\n",
    ) + sourceRoot

    private val typeScript = mapOf(
        "shape.ts" to "export interface Shape {\n    area(): number;\n}\n",
        "square.ts" to "import {Shape} from \"./shape\";\n\nexport class Square implements Shape {\n    side = 1;\n\n    area(): number {\n        return this.side * this.side;\n    }\n}\n",
        "main.ts" to "import {Square} from \"./square\";\n\nexport function all(square: Square): number {\n    return square.area();\n}\n",
    )

    /** Makes the calls, whose answers have to be as they say. */
    private fun answers(name: String, vararg calls: String, files: Map<String, String> = this.files, before: Driver.() -> Unit = {}) {
        RunningIde(name, turn(*calls), files).run {
            before()
            ask("look")
            waitForEnd()
        }
    }

    @Test
    fun symbolsAreFoundByName() = answers("symbols", call("search_symbols", "query" to "Squ", result = "src/Square.java:1"))

    @Test
    fun anOutlineIsTheStructureView() = answers(
        "outline",
        call("get_file_outline", "path" to "src/Square.java", result = "area"),
        call("get_file_outline", "path" to "src/Square.java", result = "side"),
    )

    @Test
    fun referencesAreThoseOfFindUsages() = answers(
        "references",
        call("find_references", "symbol" to "area", "path" to "src/Square.java", "line" to 4, result = "src/Main.java:3"),
    )

    @Test
    fun aDeclarationIsShownFromItsUse() = answers(
        "declaration",
        call("go_to_declaration", "path" to "src/Main.java", "line" to 3, "column" to 23, result = "src/Square.java:4"),
        call("go_to_declaration", "path" to "src/Main.java", "line" to 3, "column" to 23, result = "return side * side;"),
    )

    @Test
    fun aHierarchyIsThatOfGoToImplementation() =
        answers("hierarchy", call("get_hierarchy", "symbol" to "Shape", result = "src/Square.java:1"))

    @Test
    fun kotlinIsKnownAsJavaIs() = answers(
        "kotlin",
        call("search_symbols", "query" to "Squ", result = "src/Square.kt:1"),
        call("get_file_outline", "path" to "src/Square.kt", result = "area"),
        call("find_references", "symbol" to "area", "path" to "src/Square.kt", "line" to 2, result = "src/Main.kt:2"),
        call("go_to_declaration", "path" to "src/Main.kt", "line" to 2, "column" to 19, result = "src/Square.kt:2"),
        call("get_hierarchy", "symbol" to "Shape", result = "src/Square.kt:1"),
        files = kotlin,
    )

    @Test
    fun typeScriptIsKnownAsJavaIs() = answers(
        "typescript",
        call("search_symbols", "query" to "Squ", result = "square.ts:3"),
        call("get_file_outline", "path" to "square.ts", result = "area"),
        call("find_references", "symbol" to "area", "path" to "square.ts", "line" to 6, result = "main.ts:4"),
        call("go_to_declaration", "path" to "main.ts", "line" to 4, "column" to 19, result = "square.ts:6"),
        call("get_hierarchy", "symbol" to "Shape", result = "square.ts:3"),
        files = typeScript,
    )

    @Test
    fun aHierarchyInKotlinGoesOverSeveralLevels() = answers(
        "kotlin-levels",
        call("get_hierarchy", "symbol" to "Shape", result = "src/Special.kt:1"),
        files = sourceRoot + mapOf(
            "src/Shape.kt" to "open class Shape\n",
            "src/Square.kt" to "open class Square : Shape()\n",
            "src/Special.kt" to "class Special : Square()\n",
        ),
    )

    @Test
    fun aHierarchyInTypeScriptGoesOverSeveralLevels() = answers(
        "typescript-levels",
        call("get_hierarchy", "symbol" to "Shape", result = "special.ts:3"),
        files = mapOf(
            "shape.ts" to "export class Shape {}\n",
            "square.ts" to "import {Shape} from \"./shape\";\n\nexport class Square extends Shape {}\n",
            "special.ts" to "import {Square} from \"./square\";\n\nexport class Special extends Square {}\n",
        ),
    )

    @Test
    fun aClosedFileIsInspected() =
        answers("problems", call("get_problems", "path" to "src/Broken.java", result = "`Missing` leads to no declaration"))

    @Test
    fun anOpenFileHasTheProblemsThatItsEditorMarks() = answers(
        "marks",
        call("get_problems", result = "src/Broken.java:2:5: error: "),
        call("get_problems", result = "what code analysis has marked in the editor"),
        before = { openFile("src/Broken.java") },
    )

    @Test
    fun aRenameIsAskedAndChangesAllFiles() {
        val ide = RunningIde("rename", turn(call("rename_symbol", "symbol" to "Square", "new_name" to "Box", expect = "allowed")), files)
        ide.run {
            ask("call it a box")
            allow()
            waitForEnd()
            ide.waitForFile("src/Box.java") { it != null && it.startsWith("class Box implements Shape") }
            ide.waitForFile("src/Main.java") { it != null && "Box square" in it }
        }
    }

    @Test
    fun aRenameToATakenNameOpensNoDialog() {
        val taken = call("rename_symbol", "symbol" to "Square", "new_name" to "Shape", expect = "failed", result = "nothing was renamed")
        val ide = RunningIde("rename-taken", turn(taken), files)
        ide.run {
            ask("call it a shape")
            allow()
            waitForEnd()
            assertNoDialog()
            ide.waitForFile("src/Square.java") { it != null && it.startsWith("class Square") }
        }
    }

    @Test
    fun theLatestNotificationsAreListed() =
        answers("notifications", call("get_notifications", result = "information Post: a letter has come")) {
            notify("Post", "a letter has come")
        }

    @Test
    fun theEndOfTheLogIsRead() = answers(
        "log",
        call("read_ide_log", "filter" to "Loaded custom plugins", result = "Siderail ("),
        call("read_ide_log", "lines" to 1, result = "the last 1 of "),
    )

    @Test
    fun filesThatGitIgnoresOrTheProjectExcludesAreNotListed() {
        val more = mapOf(".gitignore" to "*.tmp\n", "src/left.tmp" to "", "out/Made.java" to "class Made {}\n")
        answers(
            "listing",
            call("list_project_files", result = "Square.java", lacks = "left.tmp"),
            call("list_project_files", lacks = "Made.java"),
            files = files + git + more,
        )
    }
}

@Remote("com.intellij.notification.NotificationType")
internal interface NotificationKind {
    fun valueOf(name: String): NotificationKind
}

@Remote("com.intellij.notification.Notification")
internal interface Balloon {
    fun notify(project: Project)
}

/** Has the IDE notify the person of something. */
private fun Driver.notify(title: String, content: String) {
    val kind = utility<NotificationKind>().valueOf("INFORMATION")
    new(Balloon::class, "Siderail", title, content, kind).notify(singleProject())
}

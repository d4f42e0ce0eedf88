package dev.siderail.tools

import com.google.gson.JsonParser
import dev.siderail.bridge.Event
import dev.siderail.document.ToolFailure
import dev.siderail.document.ToolFailure.Code
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

class SmallPartsTest {
    @Test
    fun `claims on one path begin in turn, those on others at once, and a withdrawn one does not hold up the rest`() {
        val queue = ClaimQueue()
        val begun = ArrayList<Int>()
        fun take(id: Int, vararg paths: String) = queue.take(id.toLong(), paths.map(Path::of)) { begun.add(id) }
        take(1, "/p/a")
        take(2, "/p/a")
        take(3, "/p/b")
        take(4, "/p")
        take(5, "/p/b", "/q")
        take(6, "/q/x")
        take(7)
        assertEquals(listOf(1, 3, 7), begun)
        queue.release(2)
        queue.release(1)
        assertEquals(listOf(1, 3, 7), begun)
        queue.release(3)
        assertEquals(listOf(1, 3, 7, 4), begun)
        queue.release(4)
        assertEquals(listOf(1, 3, 7, 4, 5), begun)
        queue.release(5)
        assertEquals(listOf(1, 3, 7, 4, 5, 6), begun)
    }

    @Test
    fun `arguments are read as models write them`() {
        val arguments = Arguments(
            JsonParser.parseString("""{"n":"7","big":1e9,"half":1.5,"yes":"true","no":null,"text":3,"list":[1]}""").asJsonObject,
        )
        assertEquals(7, arguments.number("n", 1, 10))
        assertEquals(10, arguments.amount("big", 1, 10))
        assertEquals(9, arguments.amount("n", 9, 10))
        assertEquals(null, arguments.number("absent", 1, 10))
        assertTrue(arguments.flag("yes"))
        assertFalse(arguments.flag("no") || arguments.has("no"))
        assertEquals(1, arguments.list("list")?.size)
        for (wrong in listOf({ arguments.number("half", 1, 10) }, { arguments.number("big", 1, 10) }, { arguments.text("text") }, { arguments.flag("n") })) {
            assertEquals(Code.INVALID_PARAM, assertThrows<ToolFailure> { wrong() }.code)
        }
        assertEquals(Code.MISSING_PARAM, assertThrows<ToolFailure> { arguments.requiredText("absent") }.code)
    }

    @Test
    fun `globs fit as people mean them`() {
        fun fits(pattern: String, path: String, folder: String = ".") = Glob(pattern, "/base", folder).matches(path)
        for ((pattern, path) in listOf(
            "*.java" to "a/b/C.java", "**/*.java" to "C.java", "src/**/T*.kt" to "src/Test.kt", "/base/src/*" to "src/a",
            "./src" to "src/a/b", "{a,b}/?.txt" to "b/x.txt", "[a-c]*.md" to "docs/b.md", "a.b" to "a.b", "deep" to "x/deep/y",
        )) {
            assertTrue(fits(pattern, path), "$pattern $path")
        }
        for ((pattern, path) in listOf("*.java" to "a/b.javac", "src/*.kt" to "src/a/b.kt", "[!a]*.md" to "a.md", "a.b" to "axb")) {
            assertFalse(fits(pattern, path), "$pattern $path")
        }
        assertTrue(fits("deep/*.txt", "src/deep/a.txt", "src"))
        assertFalse(fits("deep/*.txt", "other/deep/a.txt", "src"))
    }

    @Test
    fun `a turn is over when its work is, not where an agent is sent on`() {
        fun ends(json: String) = ToolService.endsTurn(Event.of(JsonParser.parseString(json).asJsonObject))
        fun event(name: String, more: String = "") = """{"v":1,"seq":1,"t":1.0,"session":1,"turn":1,"event":"$name"$more}"""
        assertFalse(ends(event("TURN_ENDED", ""","stop_reason":"end_turn","continues":true""")))
        assertTrue(ends(event("TURN_ENDED", ""","stop_reason":"end_turn","continues":false""")))
        assertTrue(ends(event("SUMMARY")))
        assertFalse(ends(event("TURN_STARTED")))
    }
}

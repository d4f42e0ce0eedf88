package dev.siderail.toolwindow

import dev.siderail.ui.Texts
import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** What the window and the terminal both say, they say in the same words. */
class SameWordsTest {
    private fun read(file: String) = Files.readString(Path.of(System.getProperty("siderail.root"), file))

    @Test
    fun `what yolo still asks about is worded alike in the window, in the terminal and in the documentation`() {
        val asks = "unless it is dangerous or writes outside the project"
        val texts = mapOf("the window" to Texts["policy.yolo.hint"]) + listOf("docs/usage.md", "rust/cli/src/init.rs").associateWith(::read)
        assertEquals(emptySet<String>(), texts.filterValues { asks !in it }.keys)
    }

    @Test
    fun `an option that denies is called as in the terminal`() {
        val terminal = read("rust/cli/src/question.rs")
        for (kind in listOf("RejectOnce" to "reject_once", "RejectAlways" to "reject_always")) {
            val words = Texts["permission.kind.${kind.second}"].lowercase()
            assertTrue(Regex("""K::${kind.first} => \("$words[" ]""").containsMatchIn(terminal), words)
        }
    }
}

package dev.siderail.toolwindow

import dev.siderail.TestFolders
import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Test

class PageSaverTest {
    private val folder = TestFolders.create("pages")
    private val later = ArrayDeque<() -> Unit>()
    private val background = ArrayDeque<() -> Unit>()
    private val failures = ArrayList<Pair<String, String>>()
    private val asked = ArrayList<String>()

    private fun saver(place: Path?) = PageSaver({ place.also { _ -> asked += it } }, later::add, background::add) { title, why -> failures += title to why }

    private fun run(tasks: ArrayDeque<() -> Unit>) = tasks.removeFirst()()

    @Test
    fun `whoever brings a page waits neither for the person nor for the disk`() {
        val place = folder.resolve("page.md")
        saver(place).save("page.md", "# ä")
        assertEquals(emptyList<String>(), asked)
        run(later)
        assertEquals(listOf("page.md"), asked)
        assertFalse(Files.exists(place))
        run(background)
        assertEquals("# ä", Files.readString(place))
    }

    @Test
    fun `a page that cannot be written is told, and one that is not wanted is not`() {
        val place = folder.resolve("no such folder/page.md")
        saver(place).save("page.md", "# x")
        run(later)
        run(background)
        run(later)
        assertEquals("page.md was not saved", failures.single().first)
        assertEquals(true, "$place" in failures.single().second)
        saver(null).save("page.md", "# x")
        run(later)
        assertEquals(0, background.size)
        assertEquals(1, failures.size)
    }
}

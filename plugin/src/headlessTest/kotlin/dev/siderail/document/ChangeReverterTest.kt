package dev.siderail.document

import java.nio.file.Files
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChangeReverterTest {
    private val ide = WriterFixture()
    private val reverter = ChangeReverter(ide.platform.project) { ide.folder }

    @Test
    fun `a part is reverted on the disk with the file's line ends, and one undo brings it back`() {
        val after = "A\r\nb\r\nC\r\n"
        ide.put("a.txt", after)
        val file = ReviewedFile("a.txt", "a\r\nb\r\nc\r\n", after, partsOf(0, 1, 0, 1, 2, 3, 2, 3))
        assertEquals(setOf(0), reverter.revert(file, setOf(0)).parts)
        assertEquals("a\r\nb\r\nC\r\n", ide.onDisk("a.txt"))
        assertEquals(1, ide.undoAll("a.txt").size)
        assertEquals("A\nb\nC\n", ide.document("a.txt").text)
    }

    @Test
    fun `what somebody has typed since stays, and the rest is reverted`() {
        ide.put("b.txt", "A\nb\nC\n")
        ide.type("b.txt", "A\nb\nC typed\n")
        val reverted = reverter.revert(ReviewedFile("b.txt", "a\nb\nc\n", "A\nb\nC\n", partsOf(0, 1, 0, 1, 2, 3, 2, 3)), setOf(0, 1))
        assertEquals(setOf(0) to "it has changed since", reverted.parts to reverted.refusal)
        assertEquals("a\nb\nC typed\n", ide.document("b.txt").text)
    }

    @Test
    fun `a file that was created goes unless it was changed, and one that was deleted comes back`() {
        ide.put("new.txt", "new\n")
        assertEquals("", reverter.revert(ReviewedFile("new.txt", null, "new\n", emptyList()), setOf(0)).refusal)
        assertFalse(Files.exists(ide.path("new.txt")))
        ide.put("other.txt", "new\nmine\n")
        assertEquals("it has changed since", reverter.revert(ReviewedFile("other.txt", null, "new\n", emptyList()), setOf(0)).refusal)
        assertEquals("", reverter.revert(ReviewedFile("gone.txt", "old\n", null, emptyList()), setOf(0)).refusal)
        assertEquals("old\n", ide.onDisk("gone.txt"))
        assertEquals("new\nmine\n", ide.onDisk("other.txt"))
    }

    @Test
    fun `what cannot be done is said and thrown at nobody`() {
        assertEquals("gone.toy does not exist", reverter.revert(ReviewedFile("gone.toy", "a\n", "b\n", partsOf(0, 1, 0, 1)), setOf(0)).refusal)
        assertFalse(reverter.revert(ReviewedFile("../out.txt", "a\n", "b\n", partsOf(0, 1, 0, 1)), setOf(0)).refusal.isEmpty())
    }
}

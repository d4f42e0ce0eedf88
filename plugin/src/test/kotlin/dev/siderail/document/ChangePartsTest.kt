package dev.siderail.document

import dev.siderail.document.Standing.State
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** Parts as the engine tells them: each four numbers, the lines before and after. */
internal fun partsOf(vararg lines: Int): List<ChangePart> =
    lines.toList().chunked(4).mapIndexed { at, (old, oldEnd, new, newEnd) -> ChangePart(at, Lines(old, oldEnd), Lines(new, newEnd)) }

class ChangePartsTest {
    private val before = "a\nb\nc\nd\ne\nf\ng\n"
    private val after = "a\nB\nc\nd\nnew\ne\ng\n"
    private val parts = partsOf(1, 2, 1, 2, 4, 4, 4, 5, 5, 6, 6, 6)
    private val change = ChangeParts(before, after, parts)

    private fun states(text: String) = change.standing(text).map { it.state }

    @Test
    fun `a change has parts that are reverted alone, together, and leave the rest`() {
        assertEquals(listOf(Lines(1, 2), Lines(4, 5), Lines(6, 6)), change.standing(after).map { it.lines })
        assertEquals("a\nb\nc\nd\nnew\ne\ng\n", change.without(after, setOf(0)).first)
        assertEquals("a\nB\nc\nd\ne\ng\n", change.without(after, setOf(1)).first)
        assertEquals("a\nB\nc\nd\nnew\ne\nf\ng\n", change.without(after, setOf(2)).first)
        assertEquals(before to setOf(0, 1, 2), change.without(after, setOf(0, 1, 2)))
    }

    @Test
    fun `work elsewhere in the file stays, and the parts are found in it`() {
        val present = "top\n" + after.replace("d\n", "") + "end\n"
        assertEquals(listOf(State.STANDS, State.STANDS, State.STANDS), states(present))
        assertEquals("top\na\nb\nc\ne\nf\ng\nend\n", change.without(present, setOf(0, 1, 2)).first)
    }

    @Test
    fun `a part whose text was changed since is not touched`() {
        val present = after.replace("B\n", "Bb\n")
        assertEquals(listOf(State.CHANGED, State.STANDS, State.STANDS), states(present))
        assertEquals(present to emptySet<Int>(), change.without(present, setOf(0)))
        assertEquals(State.CHANGED, states(after.replace("e\ng\n", "e\nother\ng\n"))[2], "where lines are gone, others came")
        assertEquals(listOf(State.REVERTED, State.STANDS, State.STANDS), states(after.replace("B\n", "b\n")))
    }

    @Test
    fun `line ends of the disk, a mark and a last line without an end do not matter or are kept`() {
        val onDisk = ChangeParts("\uFEFFa\r\nb", "\uFEFFa\r\nc", partsOf(1, 2, 1, 2))
        assertEquals("a\nb" to setOf(0), onDisk.without("a\nc", setOf(0)))
        assertEquals(listOf(State.CHANGED), onDisk.standing("a\nc\n").map { it.state })
    }

    @Test
    fun `what is decided about a file is known part by part`() {
        val file = ReviewedFile("a", before, after, parts)
        assertEquals(setOf(0, 1, 2), file.open)
        file.keep(setOf(1))
        file.reverted(setOf(0, 2))
        assertEquals(emptySet<Int>() to false, file.open to file.isReverted)
        file.reverted(setOf(1))
        assertEquals(true, file.isReverted)
        assertEquals("B\n", file.texts(0).second)
        assertEquals(setOf(0), ReviewedFile("a", null, "new\n", partsOf(0, 0, 0, 1)).open)
    }
}

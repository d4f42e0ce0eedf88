package dev.siderail.document

import com.intellij.openapi.util.text.LineTokenizer
import com.intellij.openapi.util.text.StringUtil
import com.intellij.util.diff.Diff
import com.intellij.util.diff.FilesTooBigForDiffException

/** Lines of a text, from 0; [end] is behind the last one. */
data class Lines(val start: Int, val end: Int) {
    val size: Int get() = end - start
}

/** A part of a file's change, as the engine has found it: the lines [old] of the text before became the lines [new] of the text after. */
data class ChangePart(val number: Int, val old: Lines, val new: Lines)

/** Where a part is in the present text. [lines] is exact for one in the state [STANDS][State.STANDS], else near it. */
internal class Standing(val part: ChangePart, val state: State, val lines: Lines) {
    enum class State {
        /** As the agent left it. */
        STANDS,

        /** As it was before the agent. */
        REVERTED,

        /** Somebody has changed it since. */
        CHANGED,
    }
}

/**
 * Where the parts of a change are in a text that may have changed since, by the platform's own diff, and how to take some of
 * them back. A part whose lines are no longer what the change left is never touched. Line ends are `\n`.
 */
internal class ChangeParts(before: String, after: String, val parts: List<ChangePart>) {
    private val old = lines(plain(before))
    private val new = lines(plain(after))

    /** Where each part is in [text]. */
    fun standing(text: String): List<Standing> {
        val lines = lines(text)
        val (sinceOld, sinceNew) = try {
            Diff.buildChanges(old, lines) to Diff.buildChanges(new, lines)
        } catch (_: FilesTooBigForDiffException) {
            return parts.map { Standing(it, Standing.State.CHANGED, Lines(0, 0)) }
        }
        return parts.map { part ->
            val place = moved(part.new, sinceNew)
            if (place != null) return@map Standing(part, Standing.State.STANDS, place)
            val state = if (moved(part.old, sinceOld) == null) Standing.State.CHANGED else Standing.State.REVERTED
            val near = Diff.translateLine(sinceNew, part.new.start, true).coerceIn(0, lines.size)
            Standing(part, state, Lines(near, (near + part.new.size).coerceAtMost(lines.size)))
        }
    }

    /** What the lines of a part were. */
    fun before(part: ChangePart): String = old.slice(part.old.start until part.old.end).joinToString("")

    fun after(part: ChangePart): String = new.slice(part.new.start until part.new.end).joinToString("")

    /** [text] without those of the [chosen] parts that it contains, and the numbers of these. */
    fun without(text: String, chosen: Set<Int>): Pair<String, Set<Int>> {
        val standing = standing(text).filter { it.part.number in chosen && it.state == Standing.State.STANDS }
        val lines = lines(text).toMutableList()
        for (one in standing.sortedByDescending { it.lines.start }) {
            lines.subList(one.lines.start, one.lines.end).clear()
            lines.add(one.lines.start, before(one.part))
        }
        return lines.joinToString("") to standing.mapTo(HashSet()) { it.part.number }
    }

    internal companion object {
        /** A text as its document has it. */
        fun plain(text: String): String = StringUtil.convertLineSeparators(text.removePrefix("\uFEFF"))

        /** With their ends, so that a last line without one is another line. */
        private fun lines(text: String): Array<String> = LineTokenizer.tokenize(text, true)

        /** Where [lines] are now; null where they were changed, or, of lines that are gone, what is around them. */
        private fun moved(lines: Lines, since: Diff.Change?): Lines? {
            val kept = if (lines.size == 0) lines.start - 1..lines.start else lines.start until lines.end
            val now = kept.map { Diff.translateLine(since, it) }
            if (now.first() < minOf(kept.first, 0) || now.indices.any { now[it] != now.first() + it }) return null
            val start = now.first() + lines.start - kept.first
            return Lines(start, start + lines.size)
        }
    }
}

package dev.siderail.document

import com.intellij.util.diff.Diff
import com.intellij.util.diff.FilesTooBigForDiffException

/** Lines of a text, from 0; [end] is behind the last one. */
internal data class Lines(val start: Int, val end: Int) {
    val isEmpty: Boolean get() = start == end
}

/** A part of a file's change: the lines [old] of the text before became the lines [new] of the text after. */
internal class ChangePart(val number: Int, val old: Lines, val new: Lines)

/** Where a part is in the present text. [lines] is exact for one that [STANDS][State.STANDS], else near it. */
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
 * The parts of a change from one text to another, and how to take some of them back in a text that may have changed
 * since. A part whose lines are no longer what the change left is never touched. Pure; line ends are `\n`.
 */
internal class ChangeParts(before: String, after: String) {
    private val old = terminated(unified(before.removePrefix(MARK)))
    private val new = terminated(unified(after.removePrefix(MARK)))
    val parts: List<ChangePart> = steps(old, new).mapIndexed { number, step ->
        ChangePart(number, Lines(step.start, step.start + step.removed), Lines(step.into, step.into + step.added))
    }

    /** Where each part is in [text]. */
    fun standing(text: String): List<Standing> {
        val lines = terminated(text)
        val sinceNew = steps(new, lines)
        val sinceOld = steps(old, lines)
        return parts.map { part ->
            val place = moved(part.new, sinceNew)
            when {
                place != null -> Standing(part, Standing.State.STANDS, place)
                moved(part.old, sinceOld) != null -> Standing(part, Standing.State.REVERTED, near(part.new, sinceNew, lines.size))
                else -> Standing(part, Standing.State.CHANGED, near(part.new, sinceNew, lines.size))
            }
        }
    }

    /** What the lines of a part were. */
    fun before(part: ChangePart): String = old.subList(part.old.start, part.old.end).joinToString("")

    fun after(part: ChangePart): String = new.subList(part.new.start, part.new.end).joinToString("")

    /** [text] without those of the [chosen] parts that stand in it, and the numbers of these. */
    fun without(text: String, chosen: Set<Int>): Pair<String, Set<Int>> {
        val standing = standing(text).filter { it.part.number in chosen && it.state == Standing.State.STANDS }
        val lines = terminated(text).toMutableList()
        for (one in standing.sortedByDescending { it.lines.start }) {
            val range = lines.subList(one.lines.start, one.lines.end)
            range.clear()
            range.addAll(old.subList(one.part.old.start, one.part.old.end))
        }
        return lines.joinToString("") to standing.mapTo(HashSet()) { it.part.number }
    }

    /** [removed] lines from [start] on became [added] lines from [into] on. */
    private class Step(val start: Int, val removed: Int, val into: Int, val added: Int) {
        val end: Int get() = start + removed
    }

    private companion object {
        const val MARK = "\uFEFF"

        /** Lines with their ends, so that a last line without one is another line. */
        fun terminated(text: String): List<String> =
            linesOf(text).let { lines -> lines.mapIndexed { at, line -> if (at < lines.lastIndex || text.endsWith('\n')) line + "\n" else line } }

        fun steps(from: List<String>, to: List<String>): List<Step> = try {
            generateSequence(Diff.buildChanges(from.toTypedArray(), to.toTypedArray())) { it.link }
                .map { Step(it.line0, it.deleted, it.line1, it.inserted) }
                .toList()
        } catch (_: FilesTooBigForDiffException) {
            listOf(Step(0, from.size, 0, to.size))
        }

        /** Where [lines] are behind [steps]; null where a step has touched them. */
        fun moved(lines: Lines, steps: List<Step>): Lines? {
            val isTouched = steps.any { step ->
                if (lines.isEmpty) lines.start in step.start..step.end
                else step.start < lines.end && step.end > lines.start
            }
            if (isTouched) return null
            val by = steps.filter { it.end <= lines.start }.sumOf { it.added - it.removed }
            return Lines(lines.start + by, lines.end + by)
        }

        fun near(lines: Lines, steps: List<Step>, size: Int): Lines {
            val by = steps.filter { it.end <= lines.start }.sumOf { it.added - it.removed }
            val start = (lines.start + by).coerceIn(0, size)
            return Lines(start, (lines.end + by).coerceIn(start, size))
        }
    }
}

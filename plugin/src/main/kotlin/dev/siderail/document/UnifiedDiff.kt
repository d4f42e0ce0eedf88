package dev.siderail.document

import com.intellij.util.diff.Diff
import com.intellij.util.diff.FilesTooBigForDiffException

/** Unified diffs with three lines of context, for the model and for the person. */
internal object UnifiedDiff {
    private const val CONTEXT = 3

    /** Characters of a diff for the person. */
    private const val MOST_FOR_PEOPLE = 200_000

    /** Texts above this are not compared. */
    private const val MOST_COMPARED = 8 * 1024 * 1024

    /** The change of one file; an absent side does not exist. Empty where nothing differs. */
    fun of(path: String, old: String?, new: String?): String {
        if (old.orEmpty() == new.orEmpty() || old.orEmpty().length + new.orEmpty().length > MOST_COMPARED) return ""
        val before = linesOf(old.orEmpty())
        val after = linesOf(new.orEmpty())
        val changes = changes(marked(before, old), marked(after, new))
        val text = StringBuilder()
        text.append(if (old == null) "--- /dev/null\n" else "--- a/$path\n")
        text.append(if (new == null) "+++ /dev/null\n" else "+++ b/$path\n")
        for (hunk in hunks(changes)) hunk(text, hunk, Side(before, old), Side(after, new))
        return text.toString()
    }

    /** The lines of [new], from 1, from the first that differs to the last. */
    fun changedLines(old: String?, new: String): IntRange {
        val before = linesOf(old.orEmpty())
        val after = linesOf(new)
        val head = before.zip(after).takeWhile { (one, other) -> one == other }.size
        val most = minOf(before.size, after.size) - head
        val tail = (1..most).takeWhile { before[before.size - it] == after[after.size - it] }.size
        return head + 1..after.size - tail
    }

    /** A diff as it is kept for the person. */
    fun forPeople(diff: String): String? = if (diff.isEmpty()) null else cut(diff, MOST_FOR_PEOPLE)

    /** At most [most] characters of whole lines, with a word about the rest. */
    fun cut(diff: String, most: Int): String {
        if (diff.length <= most) return diff
        val end = diff.lastIndexOf('\n', most - 1) + 1
        val left = linesOf(diff.substring(end)).size
        return "${diff.substring(0, end)}[$left more lines of the diff]\n"
    }

    private class Side(val lines: List<String>, text: String?) {
        val isTerminated = text.isNullOrEmpty() || text.endsWith('\n')
    }

    private class Change(val line0: Int, val line1: Int, val deleted: Int, val inserted: Int)

    /** A last line without its end differs from the same line with one. */
    private fun marked(lines: List<String>, text: String?): Array<String> {
        val marked = lines.toTypedArray()
        if (marked.isNotEmpty() && !text.orEmpty().endsWith('\n')) marked[marked.size - 1] += "\u0000"
        return marked
    }

    private fun changes(before: Array<String>, after: Array<String>): List<Change> = try {
        generateSequence(Diff.buildChanges(before, after)) { it.link }
            .map { Change(it.line0, it.line1, it.deleted, it.inserted) }
            .toList()
    } catch (_: FilesTooBigForDiffException) {
        listOf(Change(0, 0, before.size, after.size))
    }

    /** Changes whose context would touch stand in one hunk. */
    private fun hunks(changes: List<Change>): List<List<Change>> {
        val hunks = ArrayList<MutableList<Change>>()
        for (change in changes) {
            val last = hunks.lastOrNull()?.last()
            if (last != null && change.line0 - (last.line0 + last.deleted) <= 2 * CONTEXT) {
                hunks.last().add(change)
            } else {
                hunks.add(mutableListOf(change))
            }
        }
        return hunks
    }

    private fun hunk(text: StringBuilder, changes: List<Change>, before: Side, after: Side) {
        val first = changes.first()
        val last = changes.last()
        val lead = minOf(CONTEXT, first.line0)
        val tail = minOf(CONTEXT, before.lines.size - (last.line0 + last.deleted))
        val start0 = first.line0 - lead
        val end0 = last.line0 + last.deleted + tail
        val start1 = first.line1 - lead
        val end1 = last.line1 + last.inserted + tail
        text.append("@@ -${range(start0, end0)} +${range(start1, end1)} @@\n")
        var position = start0
        for (change in changes) {
            for (line in position until change.line0) line(text, ' ', before, line)
            for (line in change.line0 until change.line0 + change.deleted) line(text, '-', before, line)
            for (line in change.line1 until change.line1 + change.inserted) line(text, '+', after, line)
            position = change.line0 + change.deleted
        }
        for (line in position until end0) line(text, ' ', before, line)
    }

    private fun line(text: StringBuilder, sign: Char, side: Side, index: Int) {
        text.append(sign).append(side.lines[index]).append('\n')
        if (index == side.lines.lastIndex && !side.isTerminated) text.append("\\ No newline at end of file\n")
    }

    private fun range(start: Int, end: Int): String = when (val size = end - start) {
        0 -> "$start,0"
        1 -> "${start + 1}"
        else -> "${start + 1},$size"
    }
}

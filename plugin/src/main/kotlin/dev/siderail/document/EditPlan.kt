package dev.siderail.document

import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.RangeMarker
import dev.siderail.document.ToolFailure.Code

/**
 * What an edit comes to in a certain text: the replacements, the new text, and notes for the model.
 *
 * @property steps applied one after the other; positions count in the text that the steps before have left
 */
internal class EditPlan private constructor(
    private val steps: List<List<Replacement>>,
    val text: String,
    val notes: List<String>,
    private val wholeFile: Boolean,
    private val lines: IntRange? = null,
) {
    /** In a write action. The changed places, or null where the whole file is new. */
    fun applyTo(document: Document): List<RangeMarker>? {
        if (lines != null) return listOf(marker(document, lines))
        if (wholeFile) {
            Tidier.replaceMiddle(document, text)
            return null
        }
        val changed = ArrayList<RangeMarker>()
        for (step in steps) {
            for (replacement in step.asReversed()) {
                document.replaceString(replacement.start, replacement.end, replacement.text)
                val marker = document.createRangeMarker(replacement.start, replacement.start + replacement.text.length)
                marker.isGreedyToLeft = true
                marker.isGreedyToRight = true
                changed.add(marker)
            }
        }
        return changed
    }

    private fun marker(document: Document, lines: IntRange): RangeMarker {
        val last = maxOf(document.lineCount - 1, 0)
        val start = document.getLineStartOffset((lines.first - 1).coerceIn(0, last))
        val end = document.getLineEndOffset((lines.last - 1).coerceIn(0, last))
        return document.createRangeMarker(start, maxOf(start, end))
    }

    companion object {
        fun of(place: Place, text: String, change: Change): EditPlan = when (change) {
            is Change.Content -> EditPlan(emptyList(), unified(change.text.removePrefix("\uFEFF")), emptyList(), true)
            is Change.Edits -> ofEdits(place, text, change)
            is Change.Tidy -> EditPlan(emptyList(), text, emptyList(), true, change.lines)
        }

        private fun ofEdits(place: Place, original: String, change: Change.Edits): EditPlan {
            if (change.isCreation && original.isEmpty()) {
                return EditPlan(emptyList(), change.edits.single().new, emptyList(), true)
            }
            var text = original
            val steps = ArrayList<List<Replacement>>()
            val notes = ArrayList<String>()
            for ((index, edit) in change.edits.withIndex()) {
                val which = if (change.edits.size == 1) "" else "edit ${index + 1} of ${change.edits.size}: "
                checkSense(edit, which)
                val hit = when (val match = EditMatch.find(text, edit)) {
                    is Match.Hit -> match
                    else -> throw EditConflict.missed(place, which, text, edit, match)
                }
                steps.add(hit.replacements)
                text = replaced(text, hit.replacements)
                note(which, hit.found)?.let(notes::add)
            }
            return EditPlan(steps, text, notes, false)
        }

        private fun checkSense(edit: Edit, which: String) {
            if (edit.old.isEmpty()) {
                throw ToolFailure.invalid(
                    "${which}old_text is empty; name the text to replace, or pass content for the whole file",
                )
            }
            if (edit.old == edit.new) throw ToolFailure.invalid("${which}old_text and new_text are the same")
        }

        private fun replaced(text: String, replacements: List<Replacement>): String {
            val result = StringBuilder(text)
            for (replacement in replacements.asReversed()) {
                result.replace(replacement.start, replacement.end, replacement.text)
            }
            return result.toString()
        }

        /** A tolerant match is said, so that the model's next edit starts from what is really there. */
        private fun note(which: String, found: Found): String? = when (found) {
            is Found.Exactly -> if (found.places == 1) null else "$which${found.places} places replaced"
            Found.ApartFromBlanks -> "${which}old_text matched apart from line ends or trailing blanks"
            is Found.Reindented ->
                "${which}old_text matched with another indent; new_text was shifted alike (${found.shift})"
        }
    }
}

/** What a model is told when its edit does not fit: enough to mend it without reading the file again. */
internal object EditConflict {
    /** Characters of a diff in a failure. */
    private const val MOST_DIFF = 1_500

    /** Characters of a shown line. */
    private const val LINE = 160

    fun missed(place: Place, which: String, text: String, edit: Edit, match: Match): ToolFailure {
        val path = place.name
        return when (match) {
            is Match.Ambiguous -> ToolFailure(
                Code.AMBIGUOUS_MATCH,
                "${which}old_text fits ${match.total} places of $path, at lines ${lineList(match)}; add context that " +
                    "only the meant place has, or set replace_all. Nothing was written.",
            )
            is Match.AlreadyApplied -> ToolFailure(
                Code.TEXT_NOT_FOUND,
                "${which}already applied: old_text is not in $path, and new_text stands at lines " +
                    "${match.lines.first}-${match.lines.last}. Nothing was written.",
            )
            is Match.Unshiftable -> ToolFailure(
                Code.TEXT_NOT_FOUND,
                "${which}old_text fits $path only at line ${match.line} with less indent, and new_text has lines " +
                    "without that much indent; give both with the indent of the file. Nothing was written.",
            )
            is Match.Hit, Match.Nowhere -> ToolFailure(
                Code.TEXT_NOT_FOUND,
                "${which}old_text is not in $path. Nothing was written. ${nearest(text, edit)}",
            )
        }
    }

    fun stale(now: TextSnapshot, expected: String, older: String?): ToolFailure {
        val path = now.place.name
        val changed = if (older != null) {
            "what changed since:\n" + UnifiedDiff.cut(UnifiedDiff.of(path, older, now.text), MOST_DIFF)
        } else {
            "the older text is not known here; read it again: intellij_read_file {\"path\":\"$path\"}"
        }
        return ToolFailure(
            Code.STALE,
            "$path is not what it was at stamp $expected; nothing was written. It has now stamp ${now.stamp}; $changed",
        )
    }

    fun gone(place: Place) = ToolFailure(
        Code.STALE,
        "${place.name} does not exist any more; leave out expected_stamp to write it anew",
    )

    fun unsaved(place: Place) = ToolFailure(
        Code.STALE,
        "${place.name} has changed on the disk while the editor holds unsaved changes of it; nothing was written. " +
            "Ask the person which of the two is to stay",
    )

    private fun lineList(match: Match.Ambiguous): String {
        val more = if (match.total > match.lines.size) " and more" else ""
        return match.lines.joinToString(", ") + more
    }

    private fun nearest(text: String, edit: Edit): String {
        val lines = linesOf(text)
        val range = NearestLines.find(lines, edit.old)
            ?: return "No lines are like it; read the file and copy the text to replace."
        val shown = range.joinToString("") { "${it + 1}\t${lines[it].take(LINE)}\n" }
        return "The nearest lines are ${range.first + 1}-${range.last + 1}; copy what is to be replaced:\n$shown"
    }
}

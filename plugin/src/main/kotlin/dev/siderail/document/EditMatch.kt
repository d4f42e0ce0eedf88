package dev.siderail.document

/**
 * Finds the one place that an edit means; pure text.
 *
 * First the exact text. Only where that occurs nowhere, one tolerant step: the same text but for trailing
 * blanks, then the same lines under another common indent. A tolerant match needs a non-blank line and exactly
 * one place. There is no search for what is merely similar: that is shown to the model, never edited.
 */
internal object EditMatch {
    /** Places that are looked for; more are as ambiguous. */
    private const val MOST_PLACES = 1_000

    /** Places whose lines are told. */
    private const val MOST_LINES = 10

    fun find(text: String, edit: Edit): Match {
        val exact = exactly(text, edit)
        if (exact != Match.Nowhere) return exact
        val tolerant = TolerantMatch.find(text, edit)
        return if (tolerant == Match.Nowhere) alreadyApplied(text, edit.new) ?: Match.Nowhere else tolerant
    }

    private fun exactly(text: String, edit: Edit): Match {
        val found = places(text, edit.old)
        return when {
            found.isEmpty() -> Match.Nowhere
            found.size == 1 -> Match.Hit(listOf(edit.at(found[0])), Found.Exactly(1))
            edit.replaceAll -> {
                val all = separatePlaces(text, edit.old).map { edit.at(it) }
                Match.Hit(all, Found.Exactly(all.size))
            }
            else -> ambiguous(found) { lineNumber(text, it) }
        }
    }

    private fun Edit.at(place: Int) = Replacement(place, place + old.length, new)

    private fun separatePlaces(text: String, piece: String): List<Int> =
        generateSequence(text.indexOf(piece)) { text.indexOf(piece, it + piece.length) }
            .takeWhile { it >= 0 }
            .toList()

    /** Where a piece stands in a text, overlapping places too. */
    fun places(text: String, piece: String): List<Int> =
        generateSequence(text.indexOf(piece)) { text.indexOf(piece, it + 1) }
            .takeWhile { it >= 0 }
            .take(MOST_PLACES)
            .toList()

    fun <T> ambiguous(found: List<T>, line: (T) -> Int) =
        Match.Ambiguous(found.size, found.take(MOST_LINES).map(line))

    private fun alreadyApplied(text: String, new: String): Match? {
        if (new.isBlank()) return null
        val place = places(text, new).singleOrNull() ?: return null
        return Match.AlreadyApplied(lineNumber(text, place)..lineNumber(text, place + new.trimEnd().length))
    }
}

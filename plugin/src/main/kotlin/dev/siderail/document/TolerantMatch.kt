package dev.siderail.document

/** The tolerant step: the same text but for blanks at line ends, or under another common indent. */
internal object TolerantMatch {
    private val BLANKS = charArrayOf(' ', '\t')

    fun find(text: String, edit: Edit): Match {
        val old = Folded(withoutMark(edit.old))
        if (old.text.isBlank()) return Match.Nowhere
        val folded = Folded(text)
        val found = apartFromBlanks(folded, old, edit)
        return if (found == Match.Nowhere) reindented(folded, old, edit) else found
    }

    private fun withoutMark(text: String) = text.removePrefix("\uFEFF")

    /** A text whose lines have lost their trailing blanks and all end in a line end, with the way back. */
    private class Folded(original: String) {
        /** One line: where it begins in the folded text and in the original, and its lengths there. */
        class Line(val folded: Int, val original: Int, val length: Int, val originalLength: Int)

        val lines = ArrayList<Line>()
        val isTerminated = original.endsWith('\n')
        val hasBlankEnd = original.isNotEmpty() && original.last() in BLANKS
        val originalLength = original.length
        val text: String

        init {
            val folded = StringBuilder(original.length + 1)
            var position = 0
            for (line in linesOf(original)) {
                val kept = line.trimEnd(*BLANKS)
                lines.add(Line(folded.length, position, kept.length, line.length))
                folded.append(kept).append('\n')
                position += line.length + 1
            }
            text = folded.toString()
        }

        fun lineAt(position: Int): Int {
            val found = lines.binarySearchBy(position) { it.folded }
            return if (found >= 0) found else -found - 2
        }

        fun original(position: Int): Int {
            if (position >= text.length) return originalLength
            val line = lines[lineAt(position)]
            return line.original + (position - line.folded)
        }

        fun content(line: Int): String = lines[line].let { text.substring(it.folded, it.folded + it.length) }

        fun contents(range: IntRange = lines.indices): List<String> = range.map(::content)
    }

    private fun apartFromBlanks(folded: Folded, old: Folded, edit: Edit): Match {
        val piece = if (old.isTerminated) old.text else old.text.removeSuffix("\n")
        // The blanks that were ignored must have stood at a line's end.
        val found = EditMatch.places(folded.text, piece)
            .filter { !old.hasBlankEnd || folded.text.startsWith("\n", it + piece.length) }
        if (found.isEmpty()) return Match.Nowhere
        if (found.size > 1) return EditMatch.ambiguous(found) { folded.lineAt(it) + 1 }
        val start = found[0]
        val end = start + piece.length
        val originalEnd = if (old.hasBlankEnd && !old.isTerminated) {
            folded.lines[folded.lineAt(end)].let { it.original + it.originalLength }
        } else {
            folded.original(end)
        }
        val runsPastTheEnd = end == folded.text.length && old.isTerminated && !folded.isTerminated
        val new = withoutMark(edit.new).let { if (runsPastTheEnd) it.removeSuffix("\n") else it }
        return Match.Hit(listOf(Replacement(folded.original(start), originalEnd, new)), Found.ApartFromBlanks)
    }

    private fun reindented(folded: Folded, old: Folded, edit: Edit): Match {
        val n = old.lines.size
        val bareOld = old.contents().map { it.trimStart(*BLANKS) }
        val bare = folded.contents().map { it.trimStart(*BLANKS) }
        val firsts = (0..bare.size - n).filter { first ->
            bare[first] == bareOld[0] && bare.subList(first, first + n) == bareOld &&
                Shift.between(old.contents(), folded.contents(first until first + n)) != null
        }
        if (firsts.isEmpty()) return Match.Nowhere
        if (firsts.size > 1) return EditMatch.ambiguous(firsts) { it + 1 }
        val first = firsts[0]
        val shift = Shift.between(old.contents(), folded.contents(first until first + n)) ?: return Match.Nowhere
        val new = shift.apply(withoutMark(edit.new)) ?: return Match.Unshiftable(first + 1)
        val last = folded.lines[first + n - 1]
        val end = if (old.isTerminated) folded.original(last.folded + last.length + 1) else last.original + last.originalLength
        val runsPastTheEnd = old.isTerminated && end == folded.originalLength && !folded.isTerminated
        return Match.Hit(
            listOf(Replacement(folded.lines[first].original, end, if (runsPastTheEnd) new.removeSuffix("\n") else new)),
            Found.Reindented(shift.inWords),
        )
    }

    /** What every line of the new text loses and gains at its beginning. */
    private class Shift(private val remove: String, private val add: String) {
        /** The new text under the file's indent; null where a line has less than is to go. */
        fun apply(new: String): String? {
            val shifted = new.split('\n').map { line ->
                if (line.isBlank()) line
                else if (line.startsWith(remove)) add + line.removePrefix(remove)
                else return null
            }
            return shifted.joinToString("\n")
        }

        val inWords: String
            get() = when {
                remove.isEmpty() -> "${inWords(add)} more"
                add.isEmpty() -> "${inWords(remove)} less"
                else -> "${inWords(add)} in place of ${inWords(remove)}"
            }

        private fun inWords(blanks: String): String {
            val tabs = blanks.count { it == '\t' }
            val spaces = blanks.length - tabs
            return when {
                tabs == 0 -> "$spaces spaces"
                spaces == 0 -> "$tabs tabs"
                else -> "$tabs tabs and $spaces spaces"
            }
        }

        companion object {
            /** The shift from a model's lines to the file's; null where they differ in more than a common indent. */
            fun between(theirs: List<String>, ours: List<String>): Shift? {
                val theirIndent = commonIndent(theirs)
                val ourIndent = commonIndent(ours)
                val fits = theirs.indices.all { index ->
                    val (their, our) = theirs[index] to ours[index]
                    if (their.isEmpty() || our.isEmpty()) their.isEmpty() == our.isEmpty()
                    else their.drop(theirIndent.length) == our.drop(ourIndent.length)
                }
                return when {
                    !fits -> null
                    ourIndent.endsWith(theirIndent) -> Shift("", ourIndent.removeSuffix(theirIndent))
                    theirIndent.endsWith(ourIndent) -> Shift(theirIndent.removeSuffix(ourIndent), "")
                    else -> Shift(theirIndent, ourIndent)
                }
            }

            private fun commonIndent(lines: List<String>): String = lines
                .filter { it.isNotEmpty() }
                .map { line -> line.takeWhile { it in BLANKS } }
                .reduceOrNull { common, indent -> common.commonPrefixWith(indent) }
                .orEmpty()
        }
    }
}

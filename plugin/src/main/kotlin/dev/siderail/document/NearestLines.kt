package dev.siderail.document

/** The lines that look most like a text that was not found, to show them; never to edit them. */
internal object NearestLines {
    /** Lines that are shown at most. */
    private const val MOST_LINES = 10

    /** Comparisons of lines before the search gives up. */
    private const val BUDGET = 400_000

    private const val LEAST_LIKENESS = 0.34

    /** The lines (from 0) most like [old]; null where nothing is alike. */
    fun find(lines: List<String>, old: String): IntRange? {
        val wanted = linesOf(old).map(String::trim).dropWhile(String::isEmpty).take(MOST_LINES)
        if (wanted.isEmpty()) return null
        val wantedWords = wanted.map(::words)
        var best = 0.0 to 0
        for (start in 0 until minOf(lines.size, BUDGET / wanted.size)) {
            var likeness = 0.0
            for (index in wanted.indices) {
                val found = lines.getOrNull(start + index) ?: break
                likeness += likeness(wanted[index], wantedWords[index], found.trim())
            }
            if (likeness > best.first) best = likeness to start
        }
        if (best.first <= LEAST_LIKENESS) return null
        return best.second until minOf(best.second + wanted.size, lines.size)
    }

    /** 1 for the same line, less for the share of common words. */
    private fun likeness(wanted: String, wantedWords: Set<String>, found: String): Double {
        if (wanted == found) return if (wanted.isEmpty()) 0.05 else 1.0
        val foundWords = words(found)
        val all = (wantedWords + foundWords).size
        return if (all == 0) 0.0 else 0.9 * wantedWords.count { it in foundWords } / all
    }

    private fun words(line: String): Set<String> {
        val words = HashSet<String>()
        val word = StringBuilder()
        for (letter in "$line ") {
            if (letter.isLetterOrDigit() || letter == '_') {
                word.append(letter)
            } else if (word.isNotEmpty()) {
                words.add(word.toString())
                word.clear()
            }
        }
        return words
    }
}

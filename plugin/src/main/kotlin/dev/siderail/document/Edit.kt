package dev.siderail.document

/** One replacement that a model asks for, line ends as `\n`. */
class Edit(old: String, new: String, val replaceAll: Boolean = false) {
    val old: String = unified(old)
    val new: String = unified(new)
}

/** A piece of the text and what is to stand there. */
data class Replacement(val start: Int, val end: Int, val text: String)

/** How an edit's place was found. */
sealed interface Found {
    data class Exactly(val places: Int) : Found

    /** Apart from trailing blanks. */
    data object ApartFromBlanks : Found

    /** With another indent, in words. */
    data class Reindented(val shift: String) : Found
}

/** What came of looking for an edit's place. */
sealed interface Match {
    /** [replacements] do not overlap and rise; positions are those of the text that was searched. */
    data class Hit(val replacements: List<Replacement>, val found: Found) : Match

    data object Nowhere : Match

    /** [lines] are those of the first places, from 1. */
    data class Ambiguous(val total: Int, val lines: List<Int>) : Match

    /** The new text stands at these lines already, from 1. */
    data class AlreadyApplied(val lines: IntRange) : Match

    /** It fits at this line with another indent, but the new text has less indent than would go. */
    data class Unshiftable(val line: Int) : Match
}

/** Text as documents hold it: every line end is `\n`. */
internal fun unified(text: String): String =
    if ('\r' in text) text.replace("\r\n", "\n").replace('\r', '\n') else text

/** The lines of a text; a final line end starts no further line. */
internal fun linesOf(text: String): List<String> =
    if (text.isEmpty()) emptyList() else text.removeSuffix("\n").split('\n')

/** The line of a position, from 1. */
internal fun lineNumber(text: CharSequence, position: Int): Int {
    var line = 1
    for (index in 0 until position) if (text[index] == '\n') line++
    return line
}

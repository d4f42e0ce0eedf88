package dev.siderail.document

import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.RangeMarker

/** What is to become of a text. */
sealed interface Change {
    /** The whole new text; a new file's as it is to lie on the disk, with its byte order mark. */
    class Whole(val text: String) : Change

    /** Pieces, in steps: positions of a step count in the text that the steps before have left. */
    class Pieces(val steps: List<List<Replacement>>) : Change

    /** The text stays and is tidied; where [lines] are given, from 1, only they are formatted. */
    class Tidy(val lines: IntRange? = null) : Change
}

/** A piece of a text and its replacement. Those of a step do not overlap and come in order. */
data class Replacement(val start: Int, val end: Int, val text: String)

/** The text that a change makes of [text], without its effects on a document. */
internal fun Change.of(text: String): String = when (this) {
    is Change.Whole -> ChangeParts.plain(this.text)
    is Change.Tidy -> text
    is Change.Pieces -> steps.fold(StringBuilder(text)) { result, step ->
        step.asReversed().fold(result) { all, piece -> all.replace(piece.start, piece.end, piece.text) }
    }.toString()
}

/** In a write action. The changed places, or null where the whole file is new. */
internal fun Change.applyTo(document: Document): List<RangeMarker>? = when (this) {
    is Change.Whole -> {
        document.replaceWith(of(""))
        null
    }
    is Change.Tidy -> lines?.let { listOf(document.lines(it)) }
    is Change.Pieces -> steps.flatMap { step ->
        step.asReversed().map { piece ->
            document.replaceString(piece.start, piece.end, piece.text)
            document.createRangeMarker(piece.start, piece.start + piece.text.length).apply {
                isGreedyToLeft = true
                isGreedyToRight = true
            }
        }
    }
}

private fun Document.lines(lines: IntRange): RangeMarker {
    val last = maxOf(lineCount - 1, 0)
    val start = getLineStartOffset((lines.first - 1).coerceIn(0, last))
    val end = getLineEndOffset((lines.last - 1).coerceIn(0, last))
    return createRangeMarker(start, maxOf(start, end))
}

/** The platform touches only what differs, so that carets and markers stay. */
internal fun Document.replaceWith(text: String) = replaceString(0, textLength, text)

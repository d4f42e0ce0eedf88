package dev.siderail.document

import com.intellij.openapi.vfs.StandardFileSystems
import java.io.IOException
import java.nio.file.Path

/**
 * What of a file the document that is saved into it knows nothing of, and what is to outlast the write: its other
 * names, and line ends of more than one kind.
 */
internal class DiskFile private constructor(private val old: TextSnapshot, private val names: FileNames, private val lines: String?) {
    private var isSaved = false
    private var failure: String? = null

    /** When it is certain that the document changes: makes the file one of its own where it has names outside the project. */
    fun separate() {
        if (names != FileNames.Outside) return
        try {
            FileNames.separate(old.place.absolute)
        } catch (error: IOException) {
            throw ToolFailure.io("write", old.place.name, error)
        }
    }

    /** Right after the document was saved, on the event dispatch thread. */
    fun saved() {
        isSaved = true
        if (lines == null) return
        try {
            LineEnds.putBack(old.file, old.document, lines)
        } catch (error: IOException) {
            failure = "its line ends were mixed and are alike now: they could not be put back (${error.message})"
        }
    }

    /**
     * When the write is done, on its background thread: what the model should know, without full stops. The text is
     * written by then, so that what fails here is told and fails nothing.
     */
    fun after(): List<String> {
        val ofNames = if (names is FileNames.Inside) names.others.takeIf { isSaved }?.let(::rejoined) else names.note
        val ofLines = if (isSaved && lines != null) failure ?: LineEnds.NOTE else null
        return listOfNotNull(ofNames, ofLines)
    }

    private fun rejoined(others: List<Path>): String? = try {
        PendingWrites.flush()
        FileNames.rejoin(old.place.absolute, others)
        // The IDE does not know that they are one file.
        others.mapNotNull { StandardFileSystems.local().findFileByPath(it.toString()) }.forEach { it.refresh(true, false) }
        names.note
    } catch (error: IOException) {
        "the file had ${others.size + 1} names in the project (hard links), and not all have the new text: ${error.message}"
    }

    companion object {
        /** Looks at the file just before it is written, and changes nothing. */
        fun before(old: TextSnapshot, patience: Patience) =
            DiskFile(old, FileNames.of(old.place, patience), LineEnds.mixed(old.file))
    }
}

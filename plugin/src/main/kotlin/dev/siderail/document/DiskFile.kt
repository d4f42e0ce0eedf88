package dev.siderail.document

import com.intellij.openapi.vfs.StandardFileSystems
import java.io.IOException

/**
 * What of a file the document that is saved into it knows nothing of, and what is to outlast the write: its other
 * names, and line ends of more than one kind.
 */
internal class DiskFile private constructor(private val old: TextSnapshot, private val names: FileNames, private val lines: String?) {
    /** What the model should know, without full stops. */
    val notes: List<String> = listOfNotNull(names.note, lines?.let { LineEnds.NOTE })

    /** Right after the document was saved, on the event dispatch thread. */
    fun saved() {
        lines?.let { LineEnds.putBack(old.file, old.document, it) }
    }

    /** When the write is done, on its background thread. */
    fun after() {
        val others = (names as? FileNames.Inside)?.others ?: return
        try {
            PendingWrites.flush()
            FileNames.rejoin(old.place.absolute, others)
        } catch (error: IOException) {
            throw ToolFailure.io("give the other names of", old.place.name, error)
        }
        // The IDE does not know that they are one file.
        others.mapNotNull { StandardFileSystems.local().findFileByPath(it.toString()) }.forEach { it.refresh(true, false) }
    }

    companion object {
        /** Looks at the file just before it is written; makes it one of its own where it has names outside the project. */
        fun before(old: TextSnapshot, patience: Patience): DiskFile {
            val names = FileNames.of(old.place, patience)
            if (names == FileNames.Outside) {
                try {
                    FileNames.separate(old.place.absolute)
                } catch (error: IOException) {
                    throw ToolFailure.io("write", old.place.name, error)
                }
            }
            return DiskFile(old, names, LineEnds.mixed(old.file))
        }
    }
}

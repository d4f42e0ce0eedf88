package dev.siderail.document

import com.intellij.openapi.editor.Document
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.util.io.FileUtilRt
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VFileProperty
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.file.Files

/** Texts of files as the editor has them, unsaved changes included. For background threads. */
class DocumentReader(private val eventThread: EventThread) {
    /** Finds what is at a place, or null. Looks at the disk if the IDE does not know it yet. */
    fun find(place: Place, patience: Patience): VirtualFile? {
        val path = place.absolute.toString().replace('\\', '/')
        val files = StandardFileSystems.local()
        files.findFileByPath(path)?.let { if (it.isValid) return it }
        if (!place.exists) return null
        // Making a file known needs the event thread: a dialog must not keep this waiting.
        eventThread.run(patience) {}
        return files.refreshAndFindFileByPath(path)
    }

    /** Reads a file's text; changes on the disk are taken in first, unless the editor holds unsaved ones. */
    fun read(place: Place, patience: Patience): TextSnapshot {
        val file = find(place, patience) ?: throw gone(place)
        if (file.isDirectory) {
            throw ToolFailure(ToolErrorCode.NOT_TEXT, "${place.name} is a folder; ${ToolName.LIST_PROJECT_FILES} shows what is in it")
        }
        if (file.`is`(VFileProperty.SPECIAL)) throw notText(place, "it is a pipe, a socket or a device, which is never opened")
        if (FileUtilRt.isTooLarge(file.length)) {
            throw ToolFailure(
                ToolErrorCode.NOT_APPLICABLE,
                "${place.name} has ${file.length} bytes, more than the IDE opens as text; look at parts of it with a program",
            )
        }
        val unsaved = FileDocumentManager.getInstance().isFileModified(file)
        val outdated = isOutdated(file, place)
        if (outdated && !unsaved) {
            eventThread.run(patience) {}
            file.refresh(false, false)
        }
        return BackgroundRead.of { snapshot(place, file, unsaved, outdated && unsaved) }
    }

    private fun snapshot(place: Place, file: VirtualFile, unsaved: Boolean, conflict: Boolean): TextSnapshot {
        if (!file.isValid) throw gone(place)
        val documents = FileDocumentManager.getInstance()
        if (file.fileType.isBinary && documents.getCachedDocument(file) == null) throw notText(place, "it is a binary file")
        val document = documents.getDocument(file) ?: throw notText(place, "the IDE has no text for it")
        val text = document.immutableCharSequence.toString()
        if ('\u0000' in text) throw notText(place, "it contains NUL bytes")
        return TextSnapshot(place, file, document, text, document.modificationStamp, unsaved, conflict)
    }

    /** Whether the disk has something else than what the IDE knows. */
    private fun isOutdated(file: VirtualFile, place: Place): Boolean = try {
        Files.size(place.absolute) != file.length ||
            Files.getLastModifiedTime(place.absolute).toMillis() != file.timeStamp
    } catch (_: IOException) {
        true
    }

    private fun gone(place: Place) = ToolFailure(ToolErrorCode.FILE_NOT_FOUND, "${place.name} does not exist")

    private fun notText(place: Place, why: String) = ToolFailure(ToolErrorCode.NOT_TEXT, "${place.name} is not text: $why")
}

/**
 * A file's text at one moment; line ends are `\n`.
 *
 * @property modificationStamp of the document, which tells whether the text is still this one
 * @property unsaved whether the editor holds changes that are not on the disk
 * @property conflict whether the disk has changed as well
 */
class TextSnapshot internal constructor(
    val place: Place,
    val file: VirtualFile,
    internal val document: Document,
    val text: String,
    val modificationStamp: Long,
    val unsaved: Boolean,
    val conflict: Boolean,
) {
    /** Why writing would change bytes that nobody meant to change; null where it would not. */
    internal fun lossOnWriting(newText: String): String? {
        val charset = file.charset
        if (!charset.newEncoder().canEncode(newText)) {
            val letter = newText.codePoints().toArray().map(Character::toString)
                .firstOrNull { !charset.newEncoder().canEncode(it) }
            return "it is in ${charset.name()}, which has no `$letter`; use other characters, or delete the file and " +
                "write it anew as UTF-8"
        }
        val bytes = file.contentsToByteArray()
        val start = file.bom?.size ?: 0
        return try {
            charset.newDecoder().decode(ByteBuffer.wrap(bytes, minOf(start, bytes.size), maxOf(0, bytes.size - start)))
            null
        } catch (_: CharacterCodingException) {
            "its bytes are no valid ${charset.name()}, so that writing would change others than meant; ask the person " +
                "to set the file's encoding in the IDE"
        }
    }
}

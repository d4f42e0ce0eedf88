package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.editor.EditorFactory
import com.intellij.openapi.editor.event.DocumentEvent
import com.intellij.openapi.editor.event.DocumentListener
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VFileProperty
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.openapi.vfs.VirtualFileManager
import com.intellij.openapi.vfs.newvfs.BulkFileListener
import com.intellij.openapi.vfs.newvfs.events.VFileContentChangeEvent
import com.intellij.openapi.vfs.newvfs.events.VFileCreateEvent
import com.intellij.openapi.vfs.newvfs.events.VFileDeleteEvent
import com.intellij.openapi.vfs.newvfs.events.VFileEvent
import com.intellij.openapi.vfs.newvfs.events.VFileMoveEvent
import com.intellij.openapi.vfs.newvfs.events.VFilePropertyChangeEvent
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/**
 * A file as it was before something changed it.
 *
 * @property path as the IDE's file system writes it
 * @property text as on the disk; null where there was no file, or where it is too large or not UTF-8
 */
internal class FileBefore(val path: String, val existed: Boolean, val text: String?)

/** Keeps what files are that a command of the IDE changes and that nobody can name beforehand. */
internal class FilesBefore(private val project: Project) {
    private val files = LinkedHashMap<String, FileBefore>()
    private var room = MOST_TOGETHER

    /** What has changed so far, each file as it was. */
    val changed: List<FileBefore> get() = files.values.toList()

    /** What [work] changed, each file as it was. On the event dispatch thread. */
    fun during(work: () -> Unit): List<FileBefore> {
        val listening = Disposer.newDisposable("files before an agent's command")
        EditorFactory.getInstance().eventMulticaster.addDocumentListener(
            object : DocumentListener {
                override fun beforeDocumentChange(event: DocumentEvent) {
                    FileDocumentManager.getInstance().getFile(event.document)?.let(::keep)
                }
            },
            listening,
        )
        ApplicationManager.getApplication().messageBus.connect(listening).subscribe(
            VirtualFileManager.VFS_CHANGES,
            object : BulkFileListener {
                override fun before(events: List<VFileEvent>) = events.forEach(::note)
            },
        )
        try {
            work()
        } finally {
            Disposer.dispose(listening)
        }
        return changed
    }

    private fun note(event: VFileEvent) {
        when (event) {
            is VFileCreateEvent -> if (!event.isDirectory) absent(event.path)
            is VFileDeleteEvent -> within(event.file).forEach(::keep)
            is VFileContentChangeEvent -> keep(event.file)
            is VFileMoveEvent -> moved(event.file, event.newPath)
            is VFilePropertyChangeEvent -> if (event.propertyName == VirtualFile.PROP_NAME) moved(event.file, event.newPath)
        }
    }

    private fun moved(file: VirtualFile, to: String) {
        for (one in within(file)) {
            keep(one)
            absent(to + one.path.removePrefix(file.path))
        }
    }

    /** The files of a folder, or the file itself. What a link leads to is not touched with it. */
    private fun within(file: VirtualFile): List<VirtualFile> = when {
        !file.isDirectory -> listOf(file)
        file.`is`(VFileProperty.SYMLINK) -> emptyList()
        else -> file.children.flatMap(::within)
    }

    private fun absent(path: String) {
        files.putIfAbsent(path, FileBefore(path, false, null))
    }

    private fun keep(file: VirtualFile) {
        if (file.isDirectory || file.path in files || file.fileSystem.protocol != StandardFileSystems.FILE_PROTOCOL) return
        val text = if (file.length > room) null else text(file)?.takeIf { it.length <= minOf(MOST_FILE, room) }
        room -= text?.length ?: 0
        files[file.path] = FileBefore(file.path, true, text)
    }

    private fun text(file: VirtualFile): String? {
        val documents = FileDocumentManager.getInstance()
        val unsaved = documents.getCachedDocument(file)?.takeIf(documents::isDocumentUnsaved)
            ?: return utf8(file.contentsToByteArray())
        val mark = if (file.bom == null) "" else "\uFEFF"
        return mark + unsaved.text.replace("\n", documents.getLineSeparator(file, project))
    }

    private fun utf8(bytes: ByteArray): String? = try {
        Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()
    } catch (_: CharacterCodingException) {
        null
    }

    private companion object {
        const val MOST_FILE = 2 shl 20
        const val MOST_TOGETHER = 16 shl 20
    }
}

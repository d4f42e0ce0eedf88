package dev.siderail.document

import com.intellij.openapi.command.undo.UndoManager
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.util.Computable
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiDocumentManager
import dev.siderail.TestFolders
import dev.siderail.headless.HeadlessPlatform
import java.nio.file.Files
import java.nio.file.Path
import javax.swing.SwingUtilities

/** A project folder on the disk and the writer over it, on the platform's genuine classes. */
class WriterFixture(root: Path = TestFolders.create("project")) {
    val platform = HeadlessPlatform.instance
    val folder = ProjectFolder(root)
    val eventThread = EventThread(platform.project)
    val reader = DocumentReader(eventThread)
    val writer = DocumentWriter(platform.project, eventThread, reader)
    val relocator = FileRelocator(platform.project, eventThread, reader)

    fun path(name: String): Path = folder.root.resolve(name)

    fun onDisk(name: String): String = Files.readString(path(name))

    fun put(name: String, text: String) = put(name, text.toByteArray())

    fun put(name: String, bytes: ByteArray) {
        Files.createDirectories(path(name).parent)
        Files.write(path(name), bytes)
    }

    fun virtualFile(name: String): VirtualFile =
        checkNotNull(StandardFileSystems.local().refreshAndFindFileByPath(path(name).toString()))

    fun document(name: String) = platform.application.runReadAction(
        Computable { checkNotNull(FileDocumentManager.getInstance().getDocument(virtualFile(name))) },
    )

    fun read(name: String): TextSnapshot = reader.read(folder.resolve(name), PATIENT)

    /** Writes over what is there now, or a new file. */
    fun write(
        name: String,
        change: Change,
        stamp: Long? = if (Files.exists(path(name))) read(name).modificationStamp else null,
        work: TidyWork = ALL,
        patience: Patience = PATIENT,
        names: FileNames = FileNames(),
    ): Written = writer.write(folder.resolve(name), change, stamp, patience, names) { _, _ -> work }

    /** The document's text; empty where there is no file. */
    fun texts(name: String): String = if (Files.exists(path(name))) runCatching { read(name).text }.getOrDefault("") else ""

    /** Replaces the first place where [old] is. */
    fun replace(name: String, old: String, new: String, work: TidyWork = ALL, names: FileNames = FileNames()): Written {
        val read = read(name)
        val start = read.text.indexOf(old)
        val change = Change.Pieces(listOf(listOf(Replacement(start, start + old.length, new))))
        return write(name, change, read.modificationStamp, work, names = names)
    }

    /** Types into the editor, without saving. */
    fun type(name: String, text: String) {
        val document = document(name)
        onEventThread {
            Command.run(platform.project, "typing") {
                platform.application.runWriteAction { document.setText(text) }
            }
            commit()
        }
    }

    /** The names of what can be undone, newest first, undoing it all. */
    fun undoAll(name: String): List<String> = stepThrough(name) { it }

    fun redoAll(name: String) {
        val editor = platform.editor(virtualFile(name), document(name))
        val manager = UndoManager.getInstance(platform.project)
        onEventThread { 
            while (manager.isRedoAvailable(editor)) manager.redo(editor)
            commit()
        }
    }

    /** The IDE commits in the background, a moment later; here nothing does. */
    private fun commit() = PsiDocumentManager.getInstance(platform.project).commitAllDocuments()

    private fun stepThrough(name: String, named: (String) -> String): List<String> {
        val editor = platform.editor(virtualFile(name), document(name))
        val manager = UndoManager.getInstance(platform.project)
        val names = ArrayList<String>()
        onEventThread {
            while (manager.isUndoAvailable(editor)) {
                names.add(named(manager.getUndoActionNameAndDescription(editor).first.removePrefix("Undo ")))
                manager.undo(editor)
            }
            commit()
        }
        return names
    }

    companion object {
        val PATIENT = Patience {}
        val ALL = TidyWork(imports = true, format = true)

        fun onEventThread(work: () -> Unit) = HeadlessPlatform.instance.application.invokeAndWait(work)

        fun failure(work: () -> Unit): ToolFailure = org.junit.jupiter.api.assertThrows<ToolFailure> { work() }
    }
}

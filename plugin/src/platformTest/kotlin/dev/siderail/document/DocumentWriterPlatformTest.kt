package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.command.undo.UndoManager
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.vfs.LocalFileSystem
import com.intellij.testFramework.fixtures.BasePlatformTestCase
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

/**
 * The scenarios of writing in the IDE that Gradle brings: compiled by both builds, run by `gradle test`. The same
 * scenarios run with every change on the classes of 2020.1, as `DocumentWriterTest`.
 */
class DocumentWriterPlatformTest : BasePlatformTestCase() {
    private lateinit var folder: ProjectFolder
    private lateinit var writer: DocumentWriter

    override fun setUp() {
        super.setUp()
        folder = ProjectFolder(dev.siderail.TestFolders.create("project"))
        val eventThread = EventThread(project)
        writer = DocumentWriter(project, eventThread, DocumentReader(eventThread))
    }

    fun testAnEditWithItsFormatIsOneUndoStepAndSaved() {
        put("a.xml", "<a><b/></a>\n")
        val written = write("a.xml", Change.Edits(listOf(Edit("<b/>", "<b/><c/>"))))
        assertEquals(written.after, Files.readString(path("a.xml")))
        val file = checkNotNull(LocalFileSystem.getInstance().refreshAndFindFileByPath(path("a.xml").toString()))
        val editor = FileEditorManager.getInstance(project).openFile(file, false).first()
        val undo = UndoManager.getInstance(project)
        assertTrue(undo.isUndoAvailable(editor))
        undo.undo(editor)
        assertEquals("<a><b/></a>\n", FileDocumentManager.getInstance().getDocument(file)?.text)
        assertFalse(undo.isUndoAvailable(editor))
        undo.redo(editor)
        assertEquals(written.after, FileDocumentManager.getInstance().getDocument(file)?.text)
    }

    fun testLineEndsStayAsTheFileHasThem() {
        put("a.txt", "one\r\ntwo\r\n")
        write("a.txt", Change.Edits(listOf(Edit("one\r\ntwo", "1\r\n2\n3"))))
        assertEquals("1\r\n2\r\n3\r\n", Files.readString(path("a.txt")))
    }

    fun testANewFileIsMadeWithItsFolders() {
        write("new/deep/a.txt", Change.Content("text\n"))
        assertEquals("text\n", Files.readString(path("new/deep/a.txt")))
    }

    fun testAnEditMeantForAnOlderTextIsRefused() {
        put("a.txt", "one\n")
        val refused = runCatching { write("a.txt", Change.Content("two\n"), stamp = "0123456789abcdef") }.exceptionOrNull()
        assertEquals(ToolFailure.Code.STALE, (refused as ToolFailure).code)
        assertEquals("one\n", Files.readString(path("a.txt")))
    }

    private fun path(name: String): Path = folder.root.resolve(name)

    private fun put(name: String, text: String) {
        Files.writeString(path(name), text)
    }

    /** On a background thread, as for agents, while this one goes on dispatching events. */
    private fun write(name: String, change: Change, stamp: String? = null): Written {
        val work = Callable {
            writer.write(folder.resolve(name), change, stamp, {}) { _, _ -> TidyWork(imports = true, format = true) }
        }
        return dispatchingUntil(ApplicationManager.getApplication().executeOnPooledThread(work))
    }

    private fun <T> dispatchingUntil(result: Future<T>): T {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)
        while (true) {
            com.intellij.testFramework.PlatformTestUtil.dispatchAllEventsInIdeEventQueue()
            try {
                return result.get(20, TimeUnit.MILLISECONDS)
            } catch (timeout: TimeoutException) {
                if (System.nanoTime() > end) throw timeout
            } catch (failure: java.util.concurrent.ExecutionException) {
                throw failure.cause ?: failure
            }
        }
    }
}

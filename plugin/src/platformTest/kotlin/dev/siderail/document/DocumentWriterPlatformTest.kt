package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.command.undo.UndoManager
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.vfs.LocalFileSystem
import com.intellij.testFramework.fixtures.BasePlatformTestCase
import dev.siderail.bridge.ToolErrorCode
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

/**
 * Writing in the IDE that Gradle brings: compiled by both builds, run by `gradle test`. The same is tried with every
 * change on the classes of 2020.1, as `DocumentWriterTest`; what lies on the disk then is one list for both
 * ([WriteScenario]).
 */
class DocumentWriterPlatformTest : BasePlatformTestCase() {
    private lateinit var folder: ProjectFolder
    private lateinit var reader: DocumentReader
    private lateinit var writer: DocumentWriter

    override fun setUp() {
        super.setUp()
        folder = ProjectFolder(dev.siderail.TestFolders.create("project"))
        val eventThread = EventThread(project)
        reader = DocumentReader(eventThread)
        writer = DocumentWriter(project, eventThread, reader)
    }

    fun testAnEditWithItsFormatIsOneUndoStepAndSaved() {
        put("a.xml", "<a><b/></a>\n")
        val written = write("a.xml", edit("<b/>", "<b/><c/>"))
        assertEquals(written.after, Files.readString(path("a.xml")))
        val editor = FileEditorManager.getInstance(project).openFile(virtualFile("a.xml"), false).first()
        assertEquals(listOf(written.after, "<a><b/></a>\n"), undoneTexts("a.xml"))
        UndoManager.getInstance(project).redo(editor)
        assertEquals(written.after, document("a.xml").text)
    }

    fun testFilesAreOnTheDiskAsTheScenariosSay() {
        for ((number, scenario) in WriteScenario.all.withIndex()) {
            val name = "scenario$number.txt"
            scenario.before?.let { Files.write(path(name), it) }
            assertEquals(scenario.name, scenario.code, codeOf { write(name, scenario.change) })
            assertEquals(scenario.name, scenario.after?.toList(), path(name).takeIf(Files::exists)?.let(Files::readAllBytes)?.toList())
        }
    }

    fun testANewFileIsMadeWithItsFolders() {
        write("new/deep/a.txt", whole("text\n"))
        assertEquals("text\n", Files.readString(path("new/deep/a.txt")))
    }

    fun testAnEditMeantForAnOlderTextIsRefused() {
        put("a.txt", "one\n")
        assertEquals(ToolErrorCode.STALE, codeOf { write("a.txt", whole("two\n"), stamp = -7) })
        assertEquals("one\n", Files.readString(path("a.txt")))
    }

    fun testTextThatIsTypedAndNotSavedIsWhatAnEditWorksOn() {
        put("a.txt", "one\n")
        type("a.txt", "one\ntyped\n")
        write("a.txt", edit("one", "1"))
        assertEquals("1\ntyped\n", Files.readString(path("a.txt")))
        assertEquals(listOf("1\ntyped\n", "one\ntyped\n", "one\n"), undoneTexts("a.txt"))
    }

    fun testAChangeOnTheDiskBesideUnsavedTextIsAConflict() {
        put("a.txt", "one\n")
        type("a.txt", "typed\n")
        put("a.txt", "from outside, longer\n")
        assertEquals(ToolErrorCode.STALE, codeOf { write("a.txt", edit("typed", "t")) })
        assertEquals("typed\n", document("a.txt").text)
    }

    fun testAChangeOnTheDiskIsTakenIn() {
        put("a.txt", "one\n")
        document("a.txt")
        put("a.txt", "one\nfrom outside\n")
        write("a.txt", edit("one", "1"))
        assertEquals("1\nfrom outside\n", Files.readString(path("a.txt")))
    }

    fun testAFileThatIsReadOnlyIsLeftAlone() {
        put("a.txt", "one\n")
        assertTrue(path("a.txt").toFile().setReadOnly())
        assertEquals(ToolErrorCode.READ_ONLY, codeOf { write("a.txt", edit("one", "1")) })
        assertEquals("one\n", document("a.txt").text)
    }

    fun testAGuardedPartIsLeftAlone() {
        put("a.txt", "one\ntwo\n")
        val document = document("a.txt")
        document.createGuardedBlock(0, 3)
        document.startGuardedBlockChecking()
        assertEquals(ToolErrorCode.READ_ONLY, codeOf { write("a.txt", edit("one", "1")) })
        assertEquals("one\ntwo\n", document.text)
    }

    fun testAHugeFileIsWrittenAsItIs() {
        val text = "<a>\n" + "<b/>\n".repeat(30_000) + "</a>\n"
        put("big.xml", "<a/>\n")
        assertEquals(2, write("big.xml", whole(text)).notes.size)
        assertEquals(text, Files.readString(path("big.xml")))
    }

    fun testAWriteThatIsCancelledNeverHappens() {
        put("a.txt", "one\n")
        val cancelled = codeOf { write("a.txt", whole("two\n"), patience = { throw ToolFailure.cancelled() }) }
        assertEquals(ToolErrorCode.CANCELLED, cancelled)
        assertEquals("one\n", document("a.txt").text)
    }

    fun testNamesInTheProjectGetTheNewTextAndOneOutsideKeepsTheOld() {
        put("a.txt", "one\n")
        Files.createLink(path("b.txt"), path("a.txt"))
        write("a.txt", edit("one", "1"), names = FileNames(inside = listOf(path("b.txt"))))
        assertEquals("1\n", Files.readString(path("b.txt")))
        val outside = dev.siderail.TestFolders.create("outside").resolve("kept.txt")
        Files.writeString(outside, "one\n")
        Files.createLink(path("c.txt"), outside)
        write("c.txt", edit("one", "1"), names = FileNames(outside = true))
        assertEquals("one\n", Files.readString(outside))
    }

    private fun edit(old: String, new: String): (String) -> Change = { text ->
        val start = text.indexOf(old)
        Change.Pieces(listOf(listOf(Replacement(start, start + old.length, new))))
    }

    private fun whole(text: String): (String) -> Change = { Change.Whole(text) }

    /** Why it is refused; null where it is not. */
    private fun codeOf(write: () -> Unit): ToolErrorCode? = try {
        write()
        null
    } catch (refused: ToolFailure) {
        refused.code
    }

    private fun virtualFile(name: String) = checkNotNull(LocalFileSystem.getInstance().refreshAndFindFileByPath(path(name).toString()))

    private fun document(name: String) = checkNotNull(FileDocumentManager.getInstance().getDocument(virtualFile(name)))

    /** Types into the editor, without saving. */
    private fun type(name: String, text: String) {
        val document = document(name)
        Command.run(project, "typing") { ApplicationManager.getApplication().runWriteAction { document.setText(text) } }
    }

    /** The text now, and after each undo step. */
    private fun undoneTexts(name: String): List<String> {
        val editor = FileEditorManager.getInstance(project).openFile(virtualFile(name), false).first()
        val undo = UndoManager.getInstance(project)
        val texts = arrayListOf(document(name).text)
        while (undo.isUndoAvailable(editor)) {
            undo.undo(editor)
            texts += document(name).text
        }
        return texts
    }

    private fun path(name: String): Path = folder.root.resolve(name)

    private fun put(name: String, text: String) {
        Files.writeString(path(name), text)
    }

    /** On a background thread, as for agents, while this one keeps dispatching events. */
    private fun write(
        name: String,
        change: (String) -> Change,
        stamp: Long? = null,
        patience: Patience = Patience {},
        names: FileNames = FileNames(),
    ): Written {
        val work = Callable {
            val place = folder.resolve(name)
            val read = if (place.exists) reader.read(place) {} else null
            val now = stamp ?: read?.modificationStamp
            writer.write(place, change(read?.text.orEmpty()), now, patience, names) { _, _ -> TidyWork(imports = true, format = true) }
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

package dev.siderail.document

import dev.siderail.TestFolders
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.headless.LateFormatter
import dev.siderail.headless.ToyLanguage
import java.nio.file.StandardCopyOption
import com.intellij.psi.PsiDocumentManager
import dev.siderail.document.WriterFixture.Companion.failure
import dev.siderail.document.WriterFixture.Companion.onEventThread
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocumentWriterTest {
    private val ide = WriterFixture()

    @Test
    fun `an edit, its imports and its format are one undo step, and redo brings all of it back`() {
        ide.put("a.toy", "import b;\nx = b;\n")
        val written = ide.write("a.toy", Change.Whole("import b;import a; import b;  y=a;z   =b ;"))
        val tidy = "import a;\nimport b;\ny = a;\nz = b;\n"
        assertEquals(tidy, written.after)
        assertEquals(tidy, ide.onDisk("a.toy"))
        assertEquals(listOf("Agent: edit a.toy"), ide.undoAll("a.toy"))
        assertEquals("import b;\nx = b;\n", ide.document("a.toy").text)
        ide.redoAll("a.toy")
        assertEquals(tidy, ide.document("a.toy").text)
    }

    @Test
    fun `an edit formats what it changed and leaves the lines around it as they were`() {
        ide.put("a.toy", "x   =   1;\ny=2;\nz   =   3;\n")
        val written = ide.replace("a.toy", "y=2;", "y=4;w=5;", TidyWork(imports = false, format = true))
        assertEquals("x   =   1;\ny = 4;\nw = 5;\nz   =   3;\n", written.after)
    }

    @Test
    fun `text that the user has typed and not saved is what an edit works on`() {
        ide.put("a.toy", "x = 1;\n")
        ide.type("a.toy", "x = 1;\ntyped = 1;\n")
        assertTrue(ide.read("a.toy").unsaved)
        ide.replace("a.toy", "x = 1;", "x = 2;")
        assertEquals("x = 2;\ntyped = 1;\n", ide.onDisk("a.toy"))
        assertEquals(listOf("Agent: edit a.toy", "typing"), ide.undoAll("a.toy"))
    }

    @Test
    fun `an edit meant for an older text is refused`() {
        ide.put("a.toy", "x = 1;\ny = 1;\n")
        val read = ide.read("a.toy")
        ide.type("a.toy", "x = 1;\ny = 7;\n")
        val stale = failure { ide.write("a.toy", Change.Whole("new;"), read.modificationStamp) }
        assertEquals(ToolErrorCode.STALE, stale.code)
        assertEquals("x = 1;\ny = 7;\n", ide.document("a.toy").text)
        assertEquals("new;\n", ide.write("a.toy", Change.Whole("new;")).after.trimEnd() + "\n")
    }

    @Test
    fun `a change on the disk is taken in, unless the editor holds unsaved text`() {
        ide.put("a.toy", "x = 1;\n")
        ide.read("a.toy")
        ide.put("a.toy", "x = 1;\nfrom = outside;\n")
        assertEquals("x = 1;\nfrom = outside;\n", ide.read("a.toy").text)
        ide.type("a.toy", "typed = 1;\n")
        ide.put("a.toy", "from = outside_again;\n")
        val conflict = failure { ide.replace("a.toy", "typed", "t") }
        assertEquals(ToolErrorCode.STALE, conflict.code)
        assertEquals("typed = 1;\n", ide.document("a.toy").text)
    }

    @Test
    fun `byte order mark and charset stay`() {
        val mark = byteArrayOf(0xEF.toByte(), 0xBB.toByte(), 0xBF.toByte())
        ide.put("mark.toy", mark + "x = 1;\n".toByteArray())
        ide.replace("mark.toy", "x = 1;", "x = ä;")
        assertArrayEquals(mark + "x = ä;\n".toByteArray(), Files.readAllBytes(ide.path("mark.toy")))
        val wide = byteArrayOf(0xFF.toByte(), 0xFE.toByte())
        ide.put("wide.toy", wide + "x = 1;\n".toByteArray(Charsets.UTF_16LE))
        ide.replace("wide.toy", "x = 1;", "x = ä;")
        assertArrayEquals(wide + "x = ä;\n".toByteArray(Charsets.UTF_16LE), Files.readAllBytes(ide.path("wide.toy")))
    }

    @Test
    fun `bytes that are no text in the file's charset are not rewritten`() {
        val latin = "x = ".toByteArray() + byteArrayOf(0xE4.toByte(), 0xC3.toByte()) + ";\n".toByteArray()
        ide.put("latin.toy", latin)
        ide.virtualFile("latin.toy").charset = Charsets.UTF_8
        val refused = failure { ide.replace("latin.toy", "x =", "y =") }
        assertEquals(ToolErrorCode.INVALID_PARAM, refused.code)
        assertArrayEquals(latin, Files.readAllBytes(ide.path("latin.toy")))
    }

    @Test
    fun `a new file is made with its folders, saved, and not over one that is there`() {
        val written = ide.write("new/deep/n.toy", Change.Whole("\uFEFFx=1;\r\ny=2;\r\n"))
        assertEquals("\uFEFFx = 1;\r\ny = 2;\r\n", ide.onDisk("new/deep/n.toy"))
        assertEquals(null, written.before)
        val there = failure { ide.write("new/deep/n.toy", Change.Whole("x"), stamp = null) }
        assertEquals(ToolErrorCode.STALE, there.code)
    }

    @Test
    fun `a file that cannot be written is left alone and said to be read-only`() {
        ide.put("r.toy", "x = 1;\n")
        Files.setPosixFilePermissions(ide.path("r.toy"), PosixFilePermissions.fromString("r--r--r--"))
        assertEquals(ToolErrorCode.READ_ONLY, failure { ide.replace("r.toy", "x", "y") }.code)
        assertEquals("x = 1;\n", ide.document("r.toy").text)
    }

    @Test
    fun `a guarded part of a file is left alone`() {
        ide.put("g.toy", "x = 1;\ny = 1;\n")
        val document = ide.document("g.toy")
        onEventThread {
            document.createGuardedBlock(0, 6)
            document.startGuardedBlockChecking()
        }
        assertEquals(ToolErrorCode.READ_ONLY, failure { ide.replace("g.toy", "x = 1", "x = 2", TidyWork.NOTHING) }.code)
        assertEquals("x = 1;\ny = 1;\n", document.text)
    }

    @Test
    fun `the syntax tree is that of the new text when the write has been answered`() {
        ide.put("a.toy", "x = 1;\n")
        ide.replace("a.toy", "x = 1;", "fresh = 2;")
        onEventThread {
            val documents = PsiDocumentManager.getInstance(ide.platform.project)
            assertFalse(documents.hasUncommitedDocuments())
            assertEquals("fresh = 2;\n", documents.getPsiFile(ide.document("a.toy"))?.text)
        }
    }

    @Test
    fun `files are deleted and moved as commands, and nothing is replaced unasked`() {
        ide.put("d/a.toy", "x = 1;\n")
        ide.put("b.toy", "y = 1;\n")
        val (from, to) = ide.folder.resolve("d/a.toy") to ide.folder.resolve("b.toy")
        assertEquals(ToolErrorCode.INVALID_PARAM, failure { ide.relocator.move(from, to, false, WriterFixture.PATIENT) }.code)
        ide.relocator.move(from, to, true, WriterFixture.PATIENT)
        assertEquals("x = 1;\n", ide.onDisk("b.toy"))
        ide.relocator.move(to, ide.folder.resolve("new/a.toy"), false, WriterFixture.PATIENT)
        assertEquals("x = 1;\n", ide.onDisk("new/a.toy"))
        ide.relocator.delete(ide.folder.resolve("new"), WriterFixture.PATIENT)
        assertFalse(Files.exists(ide.path("new")))
    }

    @Test
    fun `an import that this turn brought in survives the optimiser until the turn ends`() {
        ide.put("a.toy", "import b;\nx = b;\n")
        val kept = ide.write(
            "a.toy",
            Change.Pieces(listOf(listOf(Replacement(0, 9, "import c;\nimport b;")))),
            work = TidyWork(imports = true, format = true, keep = setOf("import c;")),
        )
        assertEquals("import c;\nimport b;\nx = b;\n", kept.after)
        assertTrue(kept.importsWait)
        assertTrue(kept.notes.any { "`import c;`" in it }, kept.notes.toString())
        assertEquals(listOf("Agent: edit a.toy"), ide.undoAll("a.toy"))
        ide.redoAll("a.toy")
        val tidied = ide.write("a.toy", Change.Tidy())
        assertEquals("import b;\nx = b;\n", tidied.after)
    }

    @Test
    fun `a formatter that would finish later is a part of the write, its undo step and what is saved`() {
        ide.put("a.toy", "x = 1;\n")
        LateFormatter.during(ide.platform) {
            val written = ide.replace("a.toy", "x = 1;", "x=2;")
            assertEquals("x = 2;\n", written.after)
            assertEquals("x = 2;\n", ide.onDisk("a.toy"))
            onEventThread {}
            assertEquals(listOf("Agent: edit a.toy"), ide.undoAll("a.toy"))
        }
    }

    @Test
    fun `the imports of a new file are in order, without analysis on the event dispatch thread`() {
        val written = ide.write("new.toy", Change.Whole("import b;import a;x=b;"))
        assertEquals("import b;\nx = b;\n", written.after)
        assertEquals(emptyList<String>(), written.notes)
        assertEquals(written.after, ide.onDisk("new.toy"))
        assertEquals(1, ide.undoAll("new.toy").size)
    }

    @Test
    fun `text that a person types while a write is tidied stays, and the write is on the disk`() {
        ide.put("a.toy", "x = 1;\n")
        val document = ide.document("a.toy")
        ToyLanguage.Imports.meanwhile = {
            ToyLanguage.Imports.meanwhile = {}
            ide.platform.application.invokeLater {
                Command.run(ide.platform.project, "typing") { ide.platform.application.runWriteAction { document.insertString(0, "y=0;") } }
            }
        }
        val written = ide.replace("a.toy", "x = 1;", "x=2;")
        assertEquals("y=0;x=2;\n", written.after)
        assertEquals("y=0;x=2;\n", ide.onDisk("a.toy"))
        assertTrue(written.notes.single().startsWith("not tidied: the text was changed"), written.notes.toString())
    }

    @Test
    fun `a tidying that fails leaves the written text and says so`() {
        ide.put("a.toy", "x = 1;\n")
        val written = ide.replace("a.toy", "x = 1;", "x=fails;")
        assertEquals("x = fails;\n", ide.onDisk("a.toy"))
        assertEquals(listOf("imports not optimised: the toy optimiser was told to fail"), written.notes)
    }

    @Test
    fun `a huge file is written as it is and the limit is said`() {
        ide.put("big.toy", "x = 1;\n".repeat(20_000))
        val written = ide.write("big.toy", Change.Whole("y=1;\n".repeat(30_000)))
        assertEquals("y=1;\n".repeat(30_000), ide.onDisk("big.toy"))
        assertEquals(2, written.notes.size, written.notes.toString())
    }

    @Test
    fun `a dialog that closes by itself within a moment costs no write`() {
        ide.put("a.toy", "x = 1;\n")
        ide.read("a.toy")
        ide.platform.application.dialog = dev.siderail.headless.HonestApplication.Dialog
        val closing = Thread {
            Thread.sleep(700)
            ide.platform.application.dialog = null
        }
        closing.start()
        assertEquals("x = 2;\n", ide.replace("a.toy", "x = 1;", "x = 2;").after)
        closing.join()
    }

    @Test
    fun `a write under a modal dialog is refused soon and leaves nothing behind`() {
        ide.put("a.toy", "x = 1;\n")
        ide.read("a.toy")
        ide.platform.application.dialog = dev.siderail.headless.HonestApplication.Dialog
        try {
            val started = System.nanoTime()
            assertEquals(ToolErrorCode.MODAL_BLOCKING, failure { ide.replace("a.toy", "x", "y") }.code)
            assertTrue(System.nanoTime() - started < TimeUnit.SECONDS.toNanos(10))
        } finally {
            ide.platform.application.dialog = null
        }
        onEventThread {}
        assertEquals("x = 1;\n", ide.document("a.toy").text)
    }

    @Test
    fun `a write that is cancelled while the event thread is busy never happens`() {
        ide.put("a.toy", "x = 1;\n")
        ide.read("a.toy")
        val busy = java.util.concurrent.CountDownLatch(1)
        java.awt.EventQueue.invokeLater { busy.await() }
        val cancelled = failure { ide.write("a.toy", Change.Whole("y"), patience = { throw ToolFailure.cancelled() }) }
        assertEquals(ToolErrorCode.CANCELLED, cancelled.code)
        busy.countDown()
        onEventThread {}
        assertEquals("x = 1;\n", ide.document("a.toy").text)
    }

    @Test
    fun `a tidying that is cancelled while the event thread is busy never happens`() {
        ide.put("a.toy", "x=1;\n")
        ide.read("a.toy")
        val busy = java.util.concurrent.CountDownLatch(1)
        val isCancelled = java.util.concurrent.atomic.AtomicBoolean()
        val canceller = Thread {
            Thread.sleep(500)
            isCancelled.set(true)
            Thread.sleep(1_500)
            busy.countDown()
        }
        ToyLanguage.Imports.meanwhile = {
            ToyLanguage.Imports.meanwhile = {}
            java.awt.EventQueue.invokeLater { busy.await() }
            canceller.start()
        }
        val written = ide.write("a.toy", Change.Tidy(), patience = { if (isCancelled.get()) throw ToolFailure.cancelled() })
        canceller.join()
        onEventThread {}
        assertTrue(written.notes.single().startsWith("not tidied"), written.notes.toString())
        assertEquals("x=1;\n", ide.document("a.toy").text)
    }

    @Test
    fun `all names of a file in the project get the new text, however the IDE saves`() {
        ide.put("a.toy", "x = 1;\n")
        ide.put("sub/other.toy", "")
        Files.delete(ide.path("sub/other.toy"))
        Files.createLink(ide.path("sub/other.toy"), ide.path("a.toy"))
        val others = FileNames(inside = listOf(ide.path("sub/other.toy")))
        assertEquals(null, ide.replace("a.toy", "x = 1;", "x = 2;", names = others).unlinked)
        assertEquals("x = 2;\n", ide.onDisk("sub/other.toy"))
        val gone = FileNames(inside = listOf(ide.path("sub/gone.toy")))
        assertTrue("gone.toy" in ide.replace("a.toy", "x = 2;", "x = 2 ;", names = gone).unlinked.orEmpty())
        assertEquals("x = 2;\n", ide.onDisk("a.toy"), "written all the same")
        // As an IDE does that writes a file beside and renames it.
        val saved = ide.path("saved.toy")
        Files.writeString(saved, "x = 3;\n")
        Files.move(saved, ide.path("a.toy"), StandardCopyOption.REPLACE_EXISTING)
        FileNames.rejoin(ide.path("a.toy"), listOf(ide.path("sub/other.toy")))
        assertEquals("x = 3;\n", ide.onDisk("sub/other.toy"))
        assertTrue(Files.isSameFile(ide.path("a.toy"), ide.path("sub/other.toy")))
        assertEquals(listOf("a.toy", "sub"), Files.list(ide.folder.root).use { all -> all.map { "${it.fileName}" }.sorted().toList() })
    }

    @Test
    fun `a name outside the project keeps the old text`() {
        val outside = TestFolders.create("outside").resolve("kept.toy")
        Files.writeString(outside, "x = 1;\n")
        Files.createLink(ide.path("a.toy"), outside)
        ide.replace("a.toy", "x = 1;", "x = 2;", names = FileNames(outside = true))
        assertEquals("x = 2;\n", ide.onDisk("a.toy"))
        assertEquals("x = 1;\n", Files.readString(outside))
        ide.replace("a.toy", "x = 2;", "x = 3;")
        assertEquals(2, ide.undoAll("a.toy").size)
    }

    @Test
    fun `a write that is refused leaves a file's other names as they are`() {
        val outside = TestFolders.create("outside").resolve("kept.toy")
        Files.writeString(outside, "x = 1;\n")
        Files.createLink(ide.path("a.toy"), outside)
        ide.read("a.toy")
        ide.platform.application.dialog = dev.siderail.headless.HonestApplication.Dialog
        try {
            val refused = failure { ide.replace("a.toy", "x = 1;", "x = 2;", names = FileNames(outside = true)) }
            assertEquals(ToolErrorCode.MODAL_BLOCKING, refused.code)
        } finally {
            ide.platform.application.dialog = null
        }
        assertTrue(Files.isSameFile(outside, ide.path("a.toy")), "nothing was written")
        ide.replace("a.toy", "x = 1;", "x = 2;", names = FileNames(outside = true))
        assertEquals("x = 1;\n", Files.readString(outside))
    }

    @TestFactory
    fun `files are on the disk as every IDE is to leave them`() = WriteScenario.all.map { scenario ->
        dynamicTest(scenario.name) {
            val ide = WriterFixture()
            scenario.before?.let { ide.put("a.txt", it) }
            val refused = runCatching { ide.write("a.txt", scenario.change(ide.texts("a.txt"))) }.exceptionOrNull()
            if (refused != null && refused !is ToolFailure) throw refused
            assertEquals(scenario.code, (refused as ToolFailure?)?.code)
            assertArrayEquals(scenario.after, ide.path("a.txt").takeIf(Files::exists)?.let(Files::readAllBytes))
        }
    }
}

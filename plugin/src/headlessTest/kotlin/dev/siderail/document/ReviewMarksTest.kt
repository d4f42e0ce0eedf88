package dev.siderail.document

import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.editor.impl.DocumentMarkupModel
import com.intellij.openapi.editor.markup.GutterIconRenderer
import com.intellij.openapi.editor.markup.RangeHighlighter
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.fileEditor.FileEditorManagerListener
import com.intellij.openapi.fileTypes.PlainTextFileType
import com.intellij.openapi.util.Computable
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.testFramework.LightVirtualFile
import dev.siderail.document.WriterFixture.Companion.onEventThread
import java.util.concurrent.TimeUnit
import javax.swing.ImageIcon
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReviewMarksTest {
    private val ide = WriterFixture()
    private val clicks = ArrayList<String>()
    private val action = object : AnAction() {
        override fun actionPerformed(event: AnActionEvent) = Unit
    }
    private val look = ReviewMarkLook(ImageIcon(), { it }) { file, part, canRevert ->
        clicks += "${file.path} $part $canRevert"
        action
    }
    private lateinit var marks: ReviewMarks
    private val file = ReviewedFile("a.txt", "a\nb\nc\nd\n", "A\nb\nc\n", partsOf(0, 1, 0, 1, 3, 4, 3, 3))

    init {
        ide.put("a.txt", "A\nb\nc\n")
        onEventThread { marks = ReviewMarks(ide.platform.project, look) }
    }

    @AfterEach
    fun close() = onEventThread { Disposer.dispose(marks) }

    private fun opened(file: VirtualFile) = onEventThread {
        val manager = FileEditorManager.getInstance(ide.platform.project)
        ide.platform.project.messageBus.syncPublisher(FileEditorManagerListener.FILE_EDITOR_MANAGER).fileOpened(manager, file)
    }

    private fun shown(): List<Pair<Int, GutterIconRenderer>> {
        val document = ide.document("a.txt")
        var found = emptyList<Pair<Int, GutterIconRenderer>>()
        onEventThread {
            found = DocumentMarkupModel.forDocument(document, ide.platform.project, true).allHighlighters
                .sortedBy { it.startOffset }.map { document.getLineNumber(it.startOffset) to it.gutterIconRenderer as GutterIconRenderer }
        }
        return found
    }

    @Test
    fun `each part has its mark in the gutter until it is decided about`() {
        ide.document("a.txt")
        onEventThread { marks.show(ide.folder.root, listOf(file)) }
        assertEquals(listOf(0, 3), shown().map { it.first })
        onEventThread {
            file.keep(setOf(0))
            marks.refresh(file)
        }
        assertEquals(listOf(3), shown().map { it.first })
        onEventThread { marks.show(ide.folder.root, emptyList()) }
        assertEquals(emptyList<Int>(), shown().map { it.first })
    }

    @Test
    fun `a part whose text was changed since is marked, and not offered to be reverted`() {
        ide.document("a.txt")
        onEventThread { marks.show(ide.folder.root, listOf(file)) }
        ide.type("a.txt", "A typed\nb\nc\n")
        onEventThread { marks.refresh(file) }
        val (first, second) = shown().map { it.second }
        assertEquals(listOf("changed", "stands"), listOf(first.tooltipText, second.tooltipText))
        listOf(first, second).forEach { it.clickAction }
        assertEquals(listOf("a.txt 0 false", "a.txt 1 true"), clicks)
    }

    @Test
    fun `a file that is opened later has its marks, too`() {
        onEventThread { marks.show(ide.folder.root, listOf(file)) }
        ide.document("a.txt")
        opened(ide.virtualFile("a.txt"))
        assertEquals(2, shown().size)
    }

    @Test
    fun `a file that is not on the disk has no marks, and its path need not be one of the disk`() {
        onEventThread { marks.show(ide.folder.root, listOf(file)) }
        for (name in listOf("what\u0000?.txt", ide.path("a.txt").toString().removePrefix("/"))) {
            val light = LightVirtualFile(name, PlainTextFileType.INSTANCE, "A\nb\nc\n")
            val document = checkNotNull(ide.platform.application.runReadAction(Computable { FileDocumentManager.getInstance().getDocument(light) }))
            opened(light)
            var shown = emptyList<RangeHighlighter>()
            onEventThread { shown = DocumentMarkupModel.forDocument(document, ide.platform.project, true).allHighlighters.toList() }
            assertEquals(emptyList<RangeHighlighter>(), shown)
        }
    }
}

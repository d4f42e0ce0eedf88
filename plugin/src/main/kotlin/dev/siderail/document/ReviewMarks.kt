package dev.siderail.document

import com.intellij.openapi.Disposable
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.impl.DocumentMarkupModel
import com.intellij.openapi.editor.markup.GutterIconRenderer
import com.intellij.openapi.editor.markup.HighlighterLayer
import com.intellij.openapi.editor.markup.HighlighterTargetArea
import com.intellij.openapi.editor.markup.RangeHighlighter
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.fileEditor.FileEditorManagerListener
import com.intellij.openapi.project.DumbAware
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VirtualFile
import java.nio.file.Path
import javax.swing.Icon

/** What a mark looks like and does. [click] gets the file, the part, and whether it can be reverted now. */
class ReviewMarkLook(val icon: Icon, val tooltip: (state: String) -> String, val click: (ReviewedFile, part: Int, canRevert: Boolean) -> AnAction)

/**
 * Marks the parts of a prompt's changes in the gutter of editors, until they are decided about. One set of files at a
 * time: those of the last prompt, or of the one that the person has chosen. Lives on the event dispatch thread, with
 * the lock that documents need.
 */
class ReviewMarks(private val project: Project, private val look: ReviewMarkLook) : Disposable {
    private val marks = HashMap<ReviewedFile, List<RangeHighlighter>>()
    private var shown: Map<Path, ReviewedFile> = emptyMap()

    init {
        project.messageBus.connect(this).subscribe(
            FileEditorManagerListener.FILE_EDITOR_MANAGER,
            object : FileEditorManagerListener {
                override fun fileOpened(source: FileEditorManager, file: VirtualFile) {
                    // Paths of other file systems need not be paths of the disk at all.
                    if (file.fileSystem.protocol == StandardFileSystems.FILE_PROTOCOL) shown[Path.of(file.path)]?.let { mark(it, file) }
                }
            },
        )
    }

    /** Marks these files instead of those before. [root] is the project's folder. */
    fun show(root: Path, files: List<ReviewedFile>) {
        marks.keys.toList().forEach(::unmark)
        shown = files.associateBy { root.resolve(it.path).normalize() }
        files.forEach(::refresh)
    }

    /** Brings the marks of a file up to date with its text and with what was decided. */
    fun refresh(file: ReviewedFile) {
        val path = shown.entries.firstOrNull { it.value === file }?.key ?: return
        unmark(file)
        StandardFileSystems.local().findFileByPath(path.toString().replace('\\', '/'))?.let { mark(file, it) }
    }

    private fun mark(file: ReviewedFile, at: VirtualFile) {
        if (!at.isValid || file.after == null) return
        val document = FileDocumentManager.getInstance().getCachedDocument(at) ?: return
        unmark(file)
        val markup = DocumentMarkupModel.forDocument(document, project, true)
        marks[file] = standing(file, document).map { one ->
            val (start, end) = range(document, one.lines)
            markup.addRangeHighlighter(start, end, HighlighterLayer.LAST, null, HighlighterTargetArea.LINES_IN_RANGE)
                .also { it.gutterIconRenderer = PartMark(file, one.part.number, document) }
        }
    }

    private fun standing(file: ReviewedFile, document: Document): List<Standing> =
        file.change.standing(document.immutableCharSequence.toString())
            .filter { (it.part.number in file.open) && it.state != Standing.State.REVERTED }

    private fun unmark(file: ReviewedFile) = marks.remove(file).orEmpty().forEach { mark ->
        if (mark.isValid) DocumentMarkupModel.forDocument(mark.document, project, true).removeHighlighter(mark)
    }

    /** Lines that are gone have their mark where they were. */
    private fun range(document: Document, lines: Lines): Pair<Int, Int> {
        if (document.lineCount == 0) return 0 to 0
        val last = document.lineCount - 1
        val first = lines.start.coerceIn(0, last)
        return document.getLineStartOffset(first) to document.getLineEndOffset((lines.end - 1).coerceIn(first, last))
    }

    override fun dispose() {
        marks.keys.toList().forEach(::unmark)
    }

    /** Asks for the state anew each time: the person may type meanwhile. */
    private inner class PartMark(private val file: ReviewedFile, private val part: Int, private val document: Document) : GutterIconRenderer(), DumbAware {
        private fun stands() = file.change.standing(document.immutableCharSequence.toString())
            .any { it.part.number == part && it.state == Standing.State.STANDS }

        override fun getIcon() = look.icon

        override fun getTooltipText() = look.tooltip(if (stands()) "stands" else "changed")

        override fun isNavigateAction() = true

        override fun getClickAction() = look.click(file, part, stands())

        override fun equals(other: Any?) = other is PartMark && other.file === file && other.part == part

        override fun hashCode() = System.identityHashCode(file) * 31 + part
    }
}

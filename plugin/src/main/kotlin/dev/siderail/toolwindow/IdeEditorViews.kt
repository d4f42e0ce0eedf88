package dev.siderail.toolwindow

import com.intellij.openapi.editor.EditorFactory
import com.intellij.openapi.editor.colors.EditorColorsManager
import com.intellij.openapi.editor.ex.EditorEx
import com.intellij.openapi.editor.markup.HighlighterLayer
import com.intellij.openapi.editor.markup.HighlighterTargetArea
import com.intellij.openapi.editor.markup.TextAttributes
import com.intellij.openapi.fileTypes.FileType
import com.intellij.openapi.fileTypes.FileTypeRegistry
import com.intellij.openapi.fileTypes.PlainTextFileType
import com.intellij.ui.EditorTextField
import dev.siderail.ui.Line
import java.awt.Dimension
import java.awt.Font
import javax.swing.JComponent
import kotlin.math.roundToInt

/** The IDE's editors as viewers. Each is there while its field is on the screen, and released by it. */
internal object IdeEditorViews : EditorViews {
    override fun code(text: String, language: String): JComponent? = block(text, typeOf(language)) {}

    override fun diff(lines: List<String>): JComponent? = block(lines.joinToString("\n"), PlainTextFileType.INSTANCE) { editor -> mark(editor, lines) }

    private fun block(said: String, type: FileType, decorate: (EditorEx) -> Unit): JComponent? {
        val text = said.replace("\r", "").trimEnd('\n')
        if (text.length > MOST) return null
        val field = EditorTextField(EditorFactory.getInstance().createDocument(text), null, type, true, false)
        field.setFontInheritedFromLAF(false)
        field.addSettingsProvider { editor ->
            editor.settings.isUseSoftWraps = false
            editor.settings.additionalLinesCount = 0
            editor.settings.isCaretRowShown = false
            editor.setHorizontalScrollbarVisible(true)
            editor.setVerticalScrollbarVisible(false)
            editor.setBorder(null)
            // The wheel belongs to the conversation.
            editor.scrollPane.isWheelScrollingEnabled = false
            editor.scrollPane.addMouseWheelListener { SidewaysScroll.passOn(editor.scrollPane, it) }
            decorate(editor)
        }
        val lines = text.split('\n')
        return EditorBlock(field, lines.size, lines.maxOf { it.length } + 1, ::cell)
    }

    private fun mark(editor: EditorEx, lines: List<String>) = lines.forEachIndexed { at, line ->
        val ground = DiffView.groundOf(line)?.invoke() ?: return@forEachIndexed
        val attributes = TextAttributes().apply { backgroundColor = ground }
        val start = editor.document.getLineStartOffset(at)
        val end = editor.document.getLineEndOffset(at)
        editor.markupModel.addRangeHighlighter(start, end, HighlighterLayer.ADDITIONAL_SYNTAX, attributes, HighlighterTargetArea.LINES_IN_RANGE)
    }

    private fun typeOf(language: String): FileType = if (language.isBlank()) PlainTextFileType.INSTANCE
    else FileTypeRegistry.getInstance().getFileTypeByFileName("a." + EditorViews.extension(language)).takeUnless { it.isBinary } ?: PlainTextFileType.INSTANCE

    /** A letter of the editor's font. */
    private fun cell(): Dimension {
        val scheme = EditorColorsManager.getInstance().globalScheme
        val metrics = Line().getFontMetrics(Font(scheme.editorFontName, Font.PLAIN, scheme.editorFontSize))
        return Dimension(metrics.charWidth('m'), (metrics.height * scheme.lineSpacing).roundToInt())
    }

    /** Characters of longer texts are drawn: an editor for each would cost more than its colours are worth. */
    private const val MOST = 40_000
}

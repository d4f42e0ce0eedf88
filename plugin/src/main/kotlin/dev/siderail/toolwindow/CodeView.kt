package dev.siderail.toolwindow

import dev.siderail.ui.Card
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Texts
import dev.siderail.ui.Visible
import dev.siderail.ui.beside
import dev.siderail.ui.named
import java.awt.Color
import java.awt.Container
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Insets
import java.awt.event.MouseWheelEvent
import javax.swing.JComponent
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.SwingUtilities
import javax.swing.text.Highlighter

/**
 * A block of code with its language and a copy button. While it grows it is drawn, and text is appended, not replaced; when it is
 * whole, it is an editor where there is one ([EditorViews]).
 */
internal class CodeView(private val actions: ChatActions) : Card(gap = 2, padding = Insets(4, 10, 6, 6), ground = { Look.code }, line = { null }) {
    private val language = Line("", { Look.small }, { Look.muted })
    private val text = CodeText()
    private val drawn = SidewaysScroll(text)
    private var code = Piece.Code("", "")
    private var editor: JComponent? = null
    private val copy = LinkButton(Texts["code.copy"], { Look.small }, { Look.muted }) { actions.copy(code.text) }

    init {
        add(beside(center = language, east = copy))
        add(drawn)
    }

    /** [isWhole]: nothing will follow. */
    fun show(code: Piece.Code, isWhole: Boolean = false) {
        if (editor != null && code == this.code) return
        this.code = code
        language.text = code.language.ifEmpty { " " }
        copy.named(Texts["code.copy.named", code.language])
        text.show(code.text)
        if (isWhole) becomeEditor()
    }

    private fun becomeEditor() {
        val made = EditorViews.views?.code(Visible.text(code.text), code.language) ?: return
        remove(componentCount - 1)
        add(made)
        editor = made
        revalidate()
    }

    /** Editors keep the colours that they were made with. */
    override fun updateUI() {
        super.updateUI()
        @Suppress("UNNECESSARY_SAFE_CALL")
        editor?.let { becomeEditor() }
    }
}

/** Text in the editor's font, one line a line. */
internal open class CodeText : JTextArea() {
    init {
        isEditable = false
        isOpaque = false
        tabSize = 4
        updateUI()
    }

    override fun updateUI() {
        super.updateUI()
        border = null
        isOpaque = false
        font = Look.mono
    }

    fun show(said: String) {
        val now = Visible.text(said)
        val length = document.length
        val before = text
        if (now == before) return
        if (length > 0 && now.startsWith(before)) append(now.substring(length)) else text = now
        revalidate()
    }

    override fun paintComponent(graphics: Graphics) {
        foreground = Look.foreground
        super.paintComponent(graphics)
    }
}

/** Scrolls sideways only; the wheel belongs to the conversation around it. */
internal class SidewaysScroll(private val view: JTextArea) : JScrollPane(view, VERTICAL_SCROLLBAR_NEVER, HORIZONTAL_SCROLLBAR_AS_NEEDED) {
    init {
        updateUI()
        isWheelScrollingEnabled = false
        addMouseWheelListener { passOn(this, it) }
    }

    override fun updateUI() {
        super.updateUI()
        border = null
        isOpaque = false
        viewport?.isOpaque = false
    }

    override fun getPreferredSize(): Dimension {
        val size = view.preferredSize
        val bar = if (width in 1 until size.width) horizontalScrollBar.preferredSize.height else 0
        return Dimension(size.width, size.height + bar)
    }

    companion object {
        /** Sideways with Shift; else the wheel scrolls what is around [pane]. */
        fun passOn(pane: JScrollPane, event: MouseWheelEvent) {
            if (event.isShiftDown) {
                val bar = pane.horizontalScrollBar
                bar.value += (event.preciseWheelRotation * Look.px(30)).toInt()
                return
            }
            val outer: Container = SwingUtilities.getAncestorOfClass(JScrollPane::class.java, pane) ?: return
            outer.dispatchEvent(SwingUtilities.convertMouseEvent(pane, event, outer))
        }
    }
}

/** A few lines of a change, each behind its sign; removed and added ones on grounds of their own. */
internal class DiffView(lines: List<String>) : Card(gap = 0, padding = Insets(4, 4, 4, 4), ground = { Look.code }, line = { null }) {
    init {
        add(EditorViews.views?.diff(lines) ?: drawn(lines))
    }

    private fun drawn(lines: List<String>): JComponent {
        val area = object : CodeText() {
            init {
                text = lines.joinToString("\n")
                mark(lines)
            }

            private fun mark(lines: List<String>) {
                var at = 0
                for (line in lines) {
                    val end = at + line.length
                    groundOf(line)?.let { highlighter.addHighlight(at, end, wholeLine(it)) }
                    at = end + 1
                }
            }
        }
        return SidewaysScroll(area)
    }

    /** Paints over the whole width, not just behind the letters. */
    private fun wholeLine(ground: () -> Color) = Highlighter.HighlightPainter { g, start, _, _, component ->
        component.modelToView2D(start)?.let { at ->
            g.color = ground()
            g.fillRect(0, at.y.toInt(), component.width, at.height.toInt())
        }
    }

    companion object {
        /** The background of a line; null where it is as it was. */
        fun groundOf(line: String): (() -> Color)? = when (line.take(1)) {
            "+" -> ({ Look.added })
            "-" -> ({ Look.removed })
            else -> null
        }
    }
}

package dev.siderail.toolwindow

import dev.siderail.ui.Column
import dev.siderail.ui.Html
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Texts
import dev.siderail.ui.named
import java.awt.Insets

/**
 * What the model says. Text and code are parts under each other. When more arrives, only what follows the
 * settled blocks is looked at again, and of that only the parts that differ are touched: while streaming, the last.
 */
internal class SpeechBody(private val actions: ChatActions) : Column(gap = 4) {
    /** Parts in the making: whole ones, and text that may still grow. */
    private class Parts(val whole: ArrayList<Piece> = ArrayList(), val html: StringBuilder = StringBuilder()) {
        fun add(piece: Piece) = when (piece) {
            is Piece.Code -> {
                flush()
                whole += piece
            }
            is Piece.Html -> {
                html.append(piece.html)
                if (html.length > PART) flush() else Unit
            }
        }

        fun flush() {
            if (html.isNotEmpty()) whole += Piece.Html(html.toString())
            html.clear()
        }
    }

    private val settled = Parts()
    private var nSettled = 0
    private val shown = ArrayList<Piece>()

    fun show(settledPieces: List<Piece>, openPieces: List<Piece>) {
        val from = settled.whole.size
        while (nSettled < settledPieces.size) settled.add(settledPieces[nSettled++])
        val open = Parts(html = StringBuilder(settled.html))
        openPieces.forEach(open::add)
        open.flush()
        val tail = settled.whole.subList(from, settled.whole.size) + open.whole
        tail.forEachIndexed { at, part -> put(from + at, part, from + at < settled.whole.size) }
        while (shown.size > from + tail.size) {
            shown.removeAt(shown.size - 1)
            remove(componentCount - 1)
        }
        revalidate()
    }

    private fun put(at: Int, part: Piece, isSettled: Boolean) {
        val before = shown.getOrNull(at)
        if (part == before && !(isSettled && part is Piece.Code)) return
        if (before == null || before::class != part::class) {
            if (before != null) remove(at)
            add(component(part), at)
        }
        when (part) {
            is Piece.Html -> (getComponent(at) as HtmlPane).show(part.html)
            is Piece.Code -> (getComponent(at) as CodeView).show(part, isSettled)
        }
        if (before == null) shown += part else shown[at] = part
    }

    private fun component(part: Piece): javax.swing.JComponent = when (part) {
        is Piece.Html -> HtmlPane { open(it) }
        is Piece.Code -> CodeView(actions)
    }

    private fun open(address: String) {
        if (address.startsWith(Html.FILE)) actions.openFile(address.removePrefix(Html.FILE)) else actions.browse(address)
    }

    private companion object {
        /** Characters of HTML after which a new part begins, so that a long answer is not laid out anew for each word. */
        const val PART = 4_000
    }
}

internal class MessageView(private val item: SpeechItem, actions: ChatActions) : Column(padding = Insets(6, 0, 2, 0)), ItemView {
    private val body = SpeechBody(actions)

    init {
        add(body)
        refresh()
    }

    override fun refresh() = body.show(item.settled, item.open)
}

/** One line, and below it, when it is unfolded, what a model wrote. */
internal abstract class FoldedSpeech(private val actions: ChatActions, padding: Insets = Insets(0, 0, 0, 0)) : Column(gap = 2, padding), ItemView {
    protected val fold = LinkButton("", { Look.font }, { Look.muted }) { toggle() }
    private val body = Column(padding = Insets(2, 20, 4, 0))
    private var isOpen = false
    private val speech by lazy { SpeechBody(actions).also(body::add) }

    init {
        add(LeftAligned(fold))
        add(body)
    }

    private fun toggle() {
        isOpen = !isOpen
        refresh()
    }

    /** What the line says now. */
    protected abstract fun title(): String

    /** Shows all there is. */
    protected abstract fun fill(speech: SpeechBody)

    override fun refresh() {
        fold.icon = Mark(if (isOpen) Mark.Kind.CHEVRON_DOWN else Mark.Kind.CHEVRON_RIGHT, 12)
        fold.text = title()
        body.isVisible = isOpen
        if (isOpen) fill(speech)
        revalidate()
        repaint()
    }
}

/** Thinking: one line, unless it is unfolded. */
internal class ThoughtView(private val item: SpeechItem, actions: ChatActions) : FoldedSpeech(actions) {
    init {
        refresh()
    }

    override fun title() = if (item.isClosed) Texts["thought.done"] else Texts["thought.running"]

    override fun fill(speech: SpeechBody) = speech.show(item.settled, item.open)

    override fun refresh() {
        super.refresh()
        fold.named(fold.text, item.text.firstLine())
    }
}

/** A component at its own width, at the left. */
internal class LeftAligned(component: java.awt.Component) : javax.swing.JPanel(java.awt.BorderLayout()) {
    init {
        isOpaque = false
        add(component, java.awt.BorderLayout.WEST)
    }
}

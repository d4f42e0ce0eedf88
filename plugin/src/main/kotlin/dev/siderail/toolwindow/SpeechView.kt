package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.Insets

/**
 * What the model says. Text and code are parts under each other; when more arrives only the parts that differ
 * are touched, which while streaming is the last one.
 */
internal class SpeechBody(private val actions: ChatActions) : Column(gap = 4) {
    private sealed interface Part {
        data class Html(val html: String) : Part

        data class Code(val code: Block.Code) : Part
    }

    private var shown: List<Part> = emptyList()

    fun show(blocks: List<Block>) {
        val parts = parts(blocks)
        for ((at, part) in parts.withIndex()) {
            val before = shown.getOrNull(at)
            if (part == before) continue
            if (before == null || before::class != part::class) {
                while (componentCount > at) remove(componentCount - 1)
                add(component(part))
            }
            when (part) {
                is Part.Html -> (getComponent(at) as HtmlPane).show(part.html)
                is Part.Code -> (getComponent(at) as CodeView).show(part.code)
            }
            if (before != null && before::class != part::class) shown = parts.take(at + 1)
        }
        while (componentCount > parts.size) remove(componentCount - 1)
        shown = parts
        revalidate()
    }

    private fun component(part: Part): javax.swing.JComponent = when (part) {
        is Part.Html -> HtmlPane { open(it) }
        is Part.Code -> CodeView(actions)
    }

    private fun open(address: String) {
        if (address.startsWith(MarkdownHtml.FILE)) actions.openFile(address.removePrefix(MarkdownHtml.FILE)) else actions.browse(address)
    }

    private fun parts(blocks: List<Block>): List<Part> {
        val parts = ArrayList<Part>()
        val html = StringBuilder()
        fun flush() {
            if (html.isNotEmpty()) parts += Part.Html(html.toString())
            html.clear()
        }
        for (block in blocks) {
            if (block is Block.Code) {
                flush()
                parts += Part.Code(block)
            } else {
                html.append(MarkdownHtml.block(block))
                if (html.length > PART) flush()
            }
        }
        flush()
        return parts
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

    override fun refresh() = body.show(item.blocks)
}

/** Thinking: one line, unless it is unfolded. */
internal class ThoughtView(private val item: SpeechItem, private val actions: ChatActions) : Column(gap = 2), ItemView {
    private val fold = LinkButton("", { Look.font }, { Look.muted }) { toggle() }
    private val body = Column(padding = Insets(2, 20, 4, 0))
    private var isOpen = false
    private var speech: SpeechBody? = null

    init {
        add(LeftAligned(fold))
        add(body)
        body.isVisible = false
        refresh()
    }

    private fun toggle() {
        isOpen = !isOpen
        refresh()
    }

    override fun refresh() {
        fold.icon = Mark(if (isOpen) Mark.Kind.CHEVRON_DOWN else Mark.Kind.CHEVRON_RIGHT, 12)
        fold.text = if (item.isClosed) Texts["thought.done"] else Texts["thought.running"]
        fold.named(fold.text, item.text.firstLine())
        fold.toolTipText = null
        body.isVisible = isOpen
        if (isOpen) {
            val shown = speech ?: SpeechBody(actions).also {
                speech = it
                body.add(it)
            }
            shown.show(item.blocks)
        }
        revalidate()
        repaint()
    }
}

/** A component at its own width, at the left. */
internal class LeftAligned(component: java.awt.Component) : javax.swing.JPanel(java.awt.BorderLayout()) {
    init {
        isOpaque = false
        add(component, java.awt.BorderLayout.WEST)
    }
}

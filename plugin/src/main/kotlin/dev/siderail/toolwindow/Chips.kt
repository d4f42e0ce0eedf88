package dev.siderail.toolwindow

import dev.siderail.engine.Attachment
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Visible
import dev.siderail.ui.flat
import dev.siderail.ui.named
import dev.siderail.ui.outline
import dev.siderail.ui.smooth
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import javax.swing.JButton

/** What is attached to the draft, each with a cross, and why the last one was refused. */
internal class Chips(private val attachments: Attachments, private val changed: () -> Unit) : Column(gap = 4) {
    private var shown: Pair<List<Attachment>, String>? = null

    init {
        named(Texts["attach.name"])
        refresh()
    }

    fun refresh() {
        val now = attachments.all to attachments.refusal
        if (now == shown) return
        shown = now
        removeAll()
        if (now.first.isNotEmpty()) add(Flow(gap = 4).apply { now.first.forEach { add(Chip(it)) } })
        if (now.second.isNotEmpty()) add(Marked(Mark(Mark.Kind.WARNING), Prose(now.second, { Look.small }, { Look.warning })))
        isVisible = componentCount > 0
        revalidate()
        repaint()
    }

    /** Pressed, it takes its attachment away. */
    private inner class Chip(private val attachment: Attachment) : JButton() {
        private val cross = Mark(Mark.Kind.CROSS, 10) { Look.muted }

        init {
            flat()
            font = Look.small
            named(Texts["attach.remove", attachment.name])
            toolTipText = Texts["attach.remove", Visible.text(attachment.name)]
            addActionListener {
                attachments.remove(attachment)
                changed()
            }
        }

        private fun name() = Visible.text(attachment.name)

        override fun getPreferredSize(): Dimension {
            val metrics = getFontMetrics(Look.small)
            return Dimension(minOf(metrics.stringWidth(name()), Look.px(MOST)) + cross.iconWidth + Look.px(18), metrics.height + Look.px(4))
        }

        override fun paintComponent(graphics: Graphics) {
            val g = graphics.create() as Graphics2D
            smooth(g)
            g.color = if (model.isRollover || isFocusOwner) Look.hover else Look.prompt
            g.fillRoundRect(0, 0, width, height, Look.px(8), Look.px(8))
            g.font = Look.small
            g.color = Look.foreground
            val metrics = g.fontMetrics
            val text = shortened(name(), metrics, width - cross.iconWidth - Look.px(16))
            g.drawString(text, Look.px(6), (height - metrics.height) / 2 + metrics.ascent)
            cross.paintIcon(this, g, width - cross.iconWidth - Look.px(5), (height - cross.iconHeight) / 2)
            if (isFocusOwner) {
                g.color = Look.focus
                outline(g, 2f)
            }
            g.dispose()
        }
    }

    private companion object {
        const val MOST = 200
    }
}

package dev.siderail.toolwindow

import dev.siderail.ui.Card
import dev.siderail.ui.Look
import dev.siderail.ui.Texts
import dev.siderail.ui.flat
import dev.siderail.ui.named
import dev.siderail.ui.smooth
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import javax.swing.JButton

/**
 * The agent's commands, or files and symbols, that fit what is being typed, above the field. A part of the window, no popup: nothing takes
 * the focus from the field, whose keys move in it.
 */
internal class CommandList(private val offers: () -> Offers, private val take: () -> Unit) :
    Card(gap = 0, padding = Insets(4, 4, 4, 4), ground = { Look.raised }, line = { Look.border }) {
    private var shown: Pair<List<Offer>, Int> = emptyList<Offer>() to 0

    init {
        named(Texts["commands.name"])
        isVisible = false
    }

    fun refresh() {
        val now = offers().let { it.offered to it.selected }
        if (now == shown) return
        shown = now
        removeAll()
        now.first.forEachIndexed { at, offer -> add(Row(offer, at)) }
        isVisible = now.first.isNotEmpty()
        revalidate()
        repaint()
    }

    private inner class Row(private val offer: Offer, private val at: Int) : JButton() {
        init {
            isFocusable = false
            flat()
            font = Look.font
            named(offer.label, offer.detail)
            addActionListener {
                offers().select(at)
                take()
            }
        }

        override fun getPreferredSize() = Dimension(Look.px(120), getFontMetrics(Look.font).height + Look.px(8))

        override fun paintComponent(graphics: Graphics) {
            val g = graphics.create() as Graphics2D
            smooth(g)
            if (at == offers().selected || model.isRollover) {
                g.color = if (at == offers().selected) Look.prompt else Look.hover
                g.fillRoundRect(0, 0, width, height, Look.px(6), Look.px(6))
            }
            val metrics = g.getFontMetrics(Look.font)
            val base = (height - metrics.height) / 2 + metrics.ascent
            var x = Look.px(8)
            x = write(g, offer.label, Look.mono, Look.foreground, x, base)
            write(g, offer.detail, Look.small, Look.muted, x + Look.px(12), base)
            g.dispose()
        }

        private fun write(g: Graphics2D, text: String, font: java.awt.Font, color: java.awt.Color, x: Int, base: Int): Int {
            g.font = font
            g.color = color
            val shown = shortened(text, g.fontMetrics, width - Look.px(8) - x)
            g.drawString(shown, x, base)
            return x + g.fontMetrics.stringWidth(shown)
        }
    }
}

/** The text as far as there is room for it, the end left out, or the beginning. */
internal fun shortened(text: String, metrics: java.awt.FontMetrics, room: Int, keepsEnd: Boolean = false): String {
    if (metrics.stringWidth(text) <= room) return text
    if (room < metrics.charWidth('…') * 2) return ""
    fun shown(kept: Int) = if (keepsEnd) "…" + text.takeLast(kept) else text.take(kept) + "…"
    var kept = text.length
    while (kept > 0 && metrics.stringWidth(shown(kept)) > room) kept -= if (kept > 80) kept / 8 else 1
    return shown(kept)
}

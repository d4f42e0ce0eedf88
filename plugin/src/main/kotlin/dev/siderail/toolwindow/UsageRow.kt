package dev.siderail.toolwindow

import dev.siderail.ui.Html
import dev.siderail.ui.Look
import dev.siderail.ui.Texts
import dev.siderail.ui.named
import dev.siderail.ui.smooth
import java.awt.Color
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import javax.swing.JPanel

/** How full the context is and what the conversation cost: a small line that asks for nothing. */
internal class UsageRow : JPanel() {
    private var usage: Usage? = null

    fun show(now: Usage?) {
        if (now == usage) return
        usage = now
        val line = now?.line().orEmpty()
        isVisible = line.isNotEmpty()
        val details = now?.details().orEmpty()
        toolTipText = if (details.isEmpty()) null else details.joinToString("<br>", "<html>", "</html>") { Html.escape(it) }
        named(Texts["usage.name"], line)
        revalidate()
        repaint()
    }

    init {
        isOpaque = false
        isVisible = false
        named(Texts["usage.name"])
    }

    override fun getPreferredSize() = Dimension(Look.px(120), getFontMetrics(Look.small).height + Look.px(2))

    override fun paintComponent(graphics: Graphics) {
        val shown = usage ?: return
        val g = graphics.create() as Graphics2D
        smooth(g)
        g.font = Look.small
        g.color = Look.muted
        val metrics = g.fontMetrics
        val text = shortened(shown.line(), metrics, width)
        val x = width - metrics.stringWidth(text)
        g.drawString(text, x, (height - metrics.height) / 2 + metrics.ascent)
        shown.share?.let { meter(g, it, x - Look.px(10)) }
        g.dispose()
    }

    private fun meter(g: Graphics2D, share: Double, right: Int) {
        val (wide, high) = Look.px(48) to Look.px(4)
        val (x, y) = right - wide to (height - high) / 2
        if (x < 0) return
        g.color = Look.mix(Look.foreground, Look.background, 0.15)
        g.fillRoundRect(x, y, wide, high, high, high)
        g.color = tone(share)
        g.fillRoundRect(x, y, (wide * share).toInt().coerceAtLeast(high), high, high, high)
    }

    private fun tone(share: Double): Color = if (share > FULL) Look.warning else Look.mix(Look.accent, Look.background, 0.8)

    private companion object {
        /** From here on agents begin to shorten what they remember. */
        const val FULL = 0.85
    }
}

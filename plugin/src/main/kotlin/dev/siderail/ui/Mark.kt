package dev.siderail.ui

import java.awt.BasicStroke
import java.awt.Color
import java.awt.Component
import java.awt.Dimension
import java.awt.Font
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.geom.Path2D
import javax.swing.Icon
import javax.swing.JButton

/** Icons in place of marks that are drawn; null for those that are. */
internal fun interface MarkIcons {
    fun of(kind: Mark.Kind): Icon?
}

/**
 * The marks. Inside of an IDE they are its icons ([Mark.icons]); without one, and where a mark has a colour of its own, they are drawn.
 */
internal class Mark(private val kind: Kind, private val side: Int = 14, private val color: (() -> Color)? = null) : Icon {
    enum class Kind { CHECK, CROSS, DENIED, DOT, RING, RUNNING, ASK, WARNING, CHEVRON_RIGHT, CHEVRON_DOWN, ARROW_UP, STOP, PLUS, CIRCLE_DONE }

    /** What turns is the same for everybody, whatever its colour. */
    private fun icon(): Icon? = if (color == null || kind == Kind.RUNNING) icons.of(kind) else null

    override fun getIconWidth() = maxOf(Look.px(side), icon()?.iconWidth ?: 0)

    override fun getIconHeight() = maxOf(Look.px(side), icon()?.iconHeight ?: 0)

    override fun paintIcon(component: Component?, graphics: Graphics, x: Int, y: Int) {
        val icon = icon() ?: return draw(graphics, x, y)
        // The component is what an icon that moves repaints.
        icon.paintIcon(component, graphics, x + (iconWidth - icon.iconWidth) / 2, y + (iconHeight - icon.iconHeight) / 2)
    }

    private fun draw(graphics: Graphics, x: Int, y: Int) {
        val g = graphics.create() as Graphics2D
        smooth(g)
        g.translate(x, y)
        val scale = Look.px(side) / 14.0
        g.scale(scale, scale)
        g.color = color?.invoke() ?: default()
        g.stroke = BasicStroke(1.5f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND)
        when (kind) {
            Kind.CHECK -> lines(g, 3.0, 7.4, 6.0, 10.2, 11.2, 4.2)
            Kind.CROSS -> {
                lines(g, 4.0, 4.0, 10.0, 10.0)
                lines(g, 10.0, 4.0, 4.0, 10.0)
            }
            Kind.DENIED -> {
                g.drawOval(2, 2, 10, 10)
                lines(g, 3.6, 10.4, 10.4, 3.6)
            }
            Kind.DOT -> g.fillOval(5, 5, 5, 5)
            Kind.RING -> g.drawOval(3, 3, 8, 8)
            Kind.RUNNING -> {
                g.drawArc(2, 2, 10, 10, 90 - turn(), -250)
            }
            Kind.ASK -> {
                g.fillOval(1, 1, 12, 12)
                g.color = Look.background
                g.font = Font(Font.SANS_SERIF, Font.BOLD, 10)
                g.drawString("?", 4.2f, 10.6f)
            }
            Kind.WARNING -> {
                lines(g, 7.0, 1.8, 12.8, 12.0, 1.2, 12.0, 7.0, 1.8)
                lines(g, 7.0, 5.6, 7.0, 8.4)
                g.fillOval(6, 9, 2, 2)
            }
            Kind.CHEVRON_RIGHT -> lines(g, 5.4, 3.6, 8.8, 7.0, 5.4, 10.4)
            Kind.CHEVRON_DOWN -> lines(g, 3.6, 5.4, 7.0, 8.8, 10.4, 5.4)
            Kind.ARROW_UP -> {
                lines(g, 7.0, 11.4, 7.0, 2.8)
                lines(g, 3.4, 6.2, 7.0, 2.6, 10.6, 6.2)
            }
            Kind.STOP -> g.fillRoundRect(3, 3, 8, 8, 2, 2)
            Kind.PLUS -> {
                lines(g, 7.0, 2.6, 7.0, 11.4)
                lines(g, 2.6, 7.0, 11.4, 7.0)
            }
            Kind.CIRCLE_DONE -> {
                g.fillOval(2, 2, 10, 10)
                g.color = Look.background
                lines(g, 4.6, 7.2, 6.4, 8.9, 9.5, 5.4)
            }
        }
        g.dispose()
    }

    /** Turns once in a second and a half, by the clock, for whoever repaints it. */
    private fun turn(): Int = if (isStill) 0 else (System.nanoTime() / 1_000_000L % 1500 * 360 / 1500).toInt()

    companion object {
        /** For pictures. */
        var isStill: Boolean = false

        /** The IDE's, once a window is open in it. */
        @Volatile
        var icons: MarkIcons = MarkIcons { null }

        /** In an editor's gutter, at what the agent changed. */
        fun ofChange() = Mark(Kind.DOT, 12) { Look.accent }
    }

    private fun default(): Color = when (kind) {
        Kind.CHECK, Kind.CIRCLE_DONE -> Look.good
        Kind.CROSS -> Look.bad
        Kind.DENIED, Kind.WARNING -> Look.warning
        Kind.RUNNING, Kind.ASK -> Look.accent
        Kind.PLUS, Kind.STOP, Kind.ARROW_UP -> Look.foreground
        else -> Look.muted
    }

    private fun lines(g: Graphics2D, vararg points: Double) {
        val path = Path2D.Double()
        path.moveTo(points[0], points[1])
        for (at in 2 until points.size step 2) path.lineTo(points[at], points[at + 1])
        g.draw(path)
    }
}

/** A round button with a mark; the main one is filled. */
internal class MarkButton(private val mark: () -> Mark.Kind, private val isFilled: () -> Boolean, onClick: () -> Unit) : JButton() {
    init {
        addActionListener { onClick() }
        updateUI()
    }

    override fun updateUI() {
        super.updateUI()
        flat()
    }

    override fun getPreferredSize() = Dimension(Look.px(26), Look.px(26))

    override fun paintComponent(graphics: Graphics) {
        val g = graphics.create() as Graphics2D
        smooth(g)
        val isActive = isEnabled && isFilled()
        val ground = when {
            isActive -> if (Look.isDark) Look.mix(Look.accent, Look.background, 0.75) else Look.accent
            model.isRollover && isEnabled -> Look.hover
            else -> null
        }
        ground?.let {
            g.color = it
            g.fillRoundRect(0, 0, width, height, Look.px(8), Look.px(8))
        }
        if (isFocusOwner) {
            g.color = Look.focus
            outline(g, 2f)
        }
        val color = when {
            isActive -> if (Look.isDark) Look.mix(Color.BLACK, Look.background, 0.5) else Color.WHITE
            isEnabled -> null
            else -> Look.mix(Look.muted, Look.background, 0.6)
        }
        val icon = Mark(mark(), 14, color?.let { { it } })
        icon.paintIcon(this, g, (width - icon.iconWidth) / 2, (height - icon.iconHeight) / 2)
        g.dispose()
    }
}

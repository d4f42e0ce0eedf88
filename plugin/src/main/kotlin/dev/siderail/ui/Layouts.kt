package dev.siderail.ui

import java.awt.BorderLayout
import java.awt.Component
import java.awt.Container
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import java.awt.LayoutManager
import java.awt.Rectangle
import java.awt.RenderingHints
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.Scrollable
import javax.swing.SwingConstants
import javax.swing.border.AbstractBorder

/*
 * Layouts whose height follows from their width: text wraps, buttons flow onto the next line. Swing's own
 * layouts ask for a size before the width is known, which cuts wrapped text off.
 */

/** A component whose height depends on the width it gets. */
internal interface Flowing {
    fun heightFor(width: Int): Int
}

internal fun Component.heightAt(width: Int): Int = if (this is Flowing) heightFor(width) else preferredSize.height

/** Puts components under each other, each as wide as the column. */
internal open class Column(private val gap: Int = 0, private val padding: Insets = Insets(0, 0, 0, 0)) :
    JPanel(null), Flowing, Scrollable {
    init {
        isOpaque = false
        layout = Layout()
    }

    private fun inner(): Insets {
        val outer = insets
        return Insets(
            outer.top + Look.px(padding.top),
            outer.left + Look.px(padding.left),
            outer.bottom + Look.px(padding.bottom),
            outer.right + Look.px(padding.right),
        )
    }

    override fun heightFor(width: Int): Int {
        val inner = inner()
        val shown = components.filter { it.isVisible }
        val inside = (width - inner.left - inner.right).coerceAtLeast(1)
        return inner.top + inner.bottom + shown.sumOf { it.heightAt(inside) } + Look.px(gap) * (shown.size - 1).coerceAtLeast(0)
    }

    private inner class Layout : LayoutManager {
        override fun addLayoutComponent(name: String?, component: Component?) = Unit

        override fun removeLayoutComponent(component: Component?) = Unit

        override fun preferredLayoutSize(parent: Container): Dimension {
            val inner = inner()
            val widest = components.filter { it.isVisible }.maxOfOrNull { it.preferredSize.width } ?: 0
            val width = if (this@Column.width > 0) this@Column.width else widest + inner.left + inner.right
            return Dimension(widest + inner.left + inner.right, heightFor(width))
        }

        override fun minimumLayoutSize(parent: Container) = Dimension(0, 0)

        override fun layoutContainer(parent: Container) {
            val inner = inner()
            val inside = (width - inner.left - inner.right).coerceAtLeast(1)
            var y = inner.top
            for (component in components) {
                if (!component.isVisible) continue
                val height = component.heightAt(inside)
                component.setBounds(inner.left, y, inside, height)
                y += height + Look.px(gap)
            }
        }
    }

    override fun getPreferredScrollableViewportSize(): Dimension = preferredSize

    override fun getScrollableUnitIncrement(visible: Rectangle, orientation: Int, direction: Int) = Look.px(20)

    override fun getScrollableBlockIncrement(visible: Rectangle, orientation: Int, direction: Int) =
        if (orientation == SwingConstants.VERTICAL) visible.height - Look.px(20) else visible.width

    override fun getScrollableTracksViewportWidth() = true

    override fun getScrollableTracksViewportHeight() = false
}

/** Components beside each other, of which the middle one takes the room. */
internal fun beside(west: JComponent? = null, center: JComponent? = null, east: JComponent? = null, gap: Int = 0) = JPanel(BorderLayout(Look.px(gap), 0)).apply {
    isOpaque = false
    west?.let { add(it, BorderLayout.WEST) }
    center?.let { add(it, BorderLayout.CENTER) }
    east?.let { add(it, BorderLayout.EAST) }
}

/** Puts components beside each other and, where they do not fit, onto further lines. */
internal open class Flow(private val gap: Int = 6, private val lineGap: Int = gap) : JPanel(null), Flowing {
    init {
        isOpaque = false
        layout = Layout()
    }

    override fun heightFor(width: Int): Int = place(width) { _, _, _, _, _ -> }

    private fun place(width: Int, put: (Component, Int, Int, Int, Int) -> Unit): Int {
        val inner = insets
        val space = Look.px(gap)
        val right = width - inner.right
        var x = inner.left
        var y = inner.top
        var line = ArrayList<Triple<Component, Int, Dimension>>()
        var height = 0
        fun endLine() {
            for ((component, at, size) in line) put(component, at, y + (height - size.height) / 2, size.width, size.height)
            line = ArrayList()
        }
        for (component in components) {
            if (!component.isVisible) continue
            val size = component.preferredSize
            if (x > inner.left && x + size.width > right) {
                endLine()
                y += height + Look.px(lineGap)
                x = inner.left
                height = 0
            }
            val room = (right - inner.left).coerceAtLeast(1)
            if (size.width > room) size.setSize(room, component.heightAt(room))
            line += Triple(component, x, size)
            x += size.width + space
            height = maxOf(height, size.height)
        }
        endLine()
        return y + height + inner.bottom
    }

    private inner class Layout : LayoutManager {
        override fun addLayoutComponent(name: String?, component: Component?) = Unit

        override fun removeLayoutComponent(component: Component?) = Unit

        override fun preferredLayoutSize(parent: Container): Dimension {
            val shown = components.filter { it.isVisible }
            val width = shown.sumOf { it.preferredSize.width } + Look.px(gap) * (shown.size - 1).coerceAtLeast(0)
            return Dimension(width + insets.left + insets.right, heightFor(if (this@Flow.width > 0) this@Flow.width else Int.MAX_VALUE / 2))
        }

        override fun minimumLayoutSize(parent: Container) = Dimension(0, 0)

        override fun layoutContainer(parent: Container) {
            val spare = ((height - heightFor(width)) / 2).coerceAtLeast(0)
            place(width) { component, x, y, w, h -> component.setBounds(x, y + spare, w, h) }
        }
    }
}

/** A rounded ground with a line around it; colours are asked for at every paint. */
internal open class Card(
    gap: Int = 6,
    padding: Insets = Insets(10, 12, 10, 12),
    private val ground: () -> java.awt.Color = { Look.raised },
    private val line: () -> java.awt.Color? = { Look.border },
) : Column(gap, padding) {
    override fun paintComponent(graphics: Graphics) {
        val g = graphics.create() as Graphics2D
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON)
        g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE)
        val arc = Look.px(8).toDouble()
        val half = Look.px(1) / 2.0
        val shape = java.awt.geom.RoundRectangle2D.Double(half, half, width - 2 * half, height - 2 * half, arc, arc)
        g.color = ground()
        g.fill(shape)
        line()?.let {
            g.color = it
            g.stroke = Look.stroke(1f)
            g.draw(shape)
        }
        g.dispose()
    }
}

/** A line on one side, in the theme's border colour of the moment. */
internal class EdgeBorder(private val top: Boolean = false, private val bottom: Boolean = false) : AbstractBorder() {
    override fun getBorderInsets(component: Component, insets: Insets): Insets =
        insets.apply { set(if (this@EdgeBorder.top) Look.px(1) else 0, 0, if (this@EdgeBorder.bottom) Look.px(1) else 0, 0) }

    override fun paintBorder(component: Component, graphics: Graphics, x: Int, y: Int, width: Int, height: Int) {
        graphics.color = Look.border
        if (top) graphics.fillRect(x, y, width, Look.px(1))
        if (bottom) graphics.fillRect(x, y + height - Look.px(1), width, Look.px(1))
    }
}

/** Text that wraps, and at its right something that does not. */
internal class Wrapped(private val text: Prose, private val end: JComponent) : JPanel(null), Flowing {
    init {
        isOpaque = false
        add(text)
        add(end)
    }

    private fun room(width: Int) = (width - end.preferredSize.width - Look.px(8)).coerceAtLeast(1)

    override fun heightFor(width: Int): Int = maxOf(text.heightFor(room(width)), end.preferredSize.height)

    override fun getPreferredSize() =
        Dimension(text.preferredSize.width + end.preferredSize.width + Look.px(8), heightFor(if (width > 0) width else Look.px(400)))

    override fun doLayout() {
        val size = end.preferredSize
        text.setBounds(0, 0, room(width), text.heightFor(room(width)))
        end.setBounds(width - size.width, 0, size.width, size.height)
    }
}

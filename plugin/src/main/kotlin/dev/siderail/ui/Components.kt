package dev.siderail.ui

import com.intellij.ui.components.JBLabel
import java.awt.Color
import java.awt.Component
import java.awt.Cursor
import java.awt.Dimension
import java.awt.Font
import java.awt.FontMetrics
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.RenderingHints
import java.awt.event.ActionEvent
import java.awt.event.FocusEvent
import java.awt.event.FocusListener
import java.awt.event.MouseAdapter
import java.awt.event.MouseEvent
import java.awt.font.TextAttribute
import javax.swing.AbstractAction
import javax.swing.AbstractButton
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.KeyStroke
import javax.swing.border.Border
import javax.swing.event.DocumentEvent
import javax.swing.event.DocumentListener

/*
 * The small parts that panels are made of. They follow the theme by asking for fonts and colours when they are
 * installed anew (`updateUI`) or painted.
 */

/** A line of text in one of the theme's roles; shortened with an ellipsis, the whole as a tool tip. */
internal open class Line(
    text: String = "",
    private val face: () -> Font = { Look.font },
    private val color: () -> Color = { Look.foreground },
) : JBLabel() {
    init {
        // Text of agents must not be taken for HTML by the label.
        putClientProperty("html.disable", true)
        this.text = text
        updateUI()
    }

    override fun setText(text: String?) = super.setText(text?.let(Visible::text))

    override fun updateUI() {
        super.updateUI()
        @Suppress("UNNECESSARY_SAFE_CALL", "USELESS_ELVIS")
        face?.let { font = it() }
    }

    override fun paintComponent(graphics: Graphics) {
        foreground = color()
        super.paintComponent(graphics)
    }

    /** Says that an ellipsis is all right here; the whole text is the tool tip. */
    fun shortening() = apply {
        name = "may-shorten"
        toolTipText = text.takeIf { it.isNotBlank() && !it.startsWith("<") }
    }
}

/** Text over several lines that wraps; plain, selectable. */
internal class Prose(
    text: String = "",
    private val face: () -> Font = { Look.font },
    private val color: () -> Color = { Look.foreground },
) : JTextArea(text), Flowing {
    init {
        isEditable = false
        lineWrap = true
        wrapStyleWord = true
        isOpaque = false
        border = null
        margin = null
        updateUI()
    }

    override fun setText(text: String?) = super.setText(text?.let(Visible::text))

    override fun updateUI() {
        super.updateUI()
        border = null
        isOpaque = false
        @Suppress("UNNECESSARY_SAFE_CALL")
        face?.let { font = it() }
    }

    override fun heightFor(width: Int): Int {
        if (this.width != width) setSize(width, maxOf(height, 1))
        return getUI().getRootView(this).let {
            it.setSize(width.toFloat(), 0f)
            it.getPreferredSpan(javax.swing.text.View.Y_AXIS).toInt() + insets.top + insets.bottom
        }
    }

    override fun paintComponent(graphics: Graphics) {
        foreground = color()
        super.paintComponent(graphics)
    }
}

/** A button that looks like a link; reached by the keyboard like any button. */
internal open class LinkButton(
    text: String,
    private val face: () -> Font = { Look.font },
    private val color: () -> Color = { Look.accent },
    onClick: () -> Unit = {},
) : JButton(text) {
    init {
        putClientProperty("html.disable", true)
        cursor = Cursor.getPredefinedCursor(Cursor.HAND_CURSOR)
        addActionListener { onClick() }
        updateUI()
    }

    override fun updateUI() {
        super.updateUI()
        flat(javax.swing.BorderFactory.createEmptyBorder(Look.px(1), 0, Look.px(1), 0))
        margin = java.awt.Insets(0, 0, 0, 0)
        @Suppress("UNNECESSARY_SAFE_CALL")
        face?.let { font = it() }
    }

    override fun getPreferredSize(): Dimension {
        val metrics = getFontMetrics(font)
        val gap = if (icon == null) 0 else icon.iconWidth + iconTextGap
        return Dimension(metrics.stringWidth(text.orEmpty()) + gap + Look.px(2), maxOf(metrics.height, icon?.iconHeight ?: 0) + Look.px(2))
    }

    override fun paintComponent(graphics: Graphics) {
        val g = graphics.create() as Graphics2D
        smooth(g)
        g.color = if (isEnabled) color() else Look.muted
        val metrics = g.getFontMetrics(font)
        val isIconLast = horizontalTextPosition == LEADING
        val textAt = if (icon == null || isIconLast) 0 else icon.iconWidth + iconTextGap
        icon?.paintIcon(this, g, if (isIconLast) metrics.stringWidth(text) + iconTextGap else 0, (height - icon.iconHeight) / 2)
        val isMarked = model.isRollover || isFocusOwner
        g.font = if (isMarked) font.deriveFont(mapOf(TextAttribute.UNDERLINE to TextAttribute.UNDERLINE_ON)) else font
        g.drawString(text.orEmpty(), textAt, (height - metrics.height) / 2 + metrics.ascent)
        g.dispose()
    }
}

/** Nothing of a button but what it paints itself. */
internal fun AbstractButton.flat(edge: Border? = null) {
    isContentAreaFilled = false
    isBorderPainted = false
    isFocusPainted = false
    isOpaque = false
    border = edge
}

/** Does something at a key, as long as the focus is where [condition] says. */
internal fun JComponent.onKey(key: KeyStroke, name: String, condition: Int = JComponent.WHEN_FOCUSED, act: () -> Unit) {
    getInputMap(condition).put(key, name)
    actionMap.put(
        name,
        object : AbstractAction() {
            override fun actionPerformed(event: ActionEvent) = act()
        },
    )
}

/** The words of a text in lines that fit. */
internal fun wrapped(text: String, metrics: FontMetrics, room: Int): List<String> =
    text.split(' ').fold(ArrayList<String>()) { lines, word ->
        val longer = lines.lastOrNull()?.let { "$it $word" }
        if (longer != null && metrics.stringWidth(longer) <= room) lines[lines.lastIndex] = longer else lines += word
        lines
    }

/** A word on a ground of its own colour. */
internal class Badge(text: String, private val color: () -> Color) : Line(text, { Look.small }, color) {
    init {
        border = javax.swing.BorderFactory.createEmptyBorder(Look.px(1), Look.px(6), Look.px(1), Look.px(6))
    }

    override fun paintComponent(graphics: Graphics) {
        val g = graphics.create() as Graphics2D
        smooth(g)
        g.color = Look.mix(color(), Look.background, if (Look.isDark) 0.22 else 0.12)
        g.fillRoundRect(0, 0, width, height, Look.px(8), Look.px(8))
        g.dispose()
        super.paintComponent(graphics)
    }
}

/** Draws a rounded line inside the component's edge. */
internal fun Component.outline(g: Graphics2D, width: Float) {
    val pen = Look.stroke(width)
    val half = pen.lineWidth / 2.0
    val arc = Look.px(8).toDouble()
    g.stroke = pen
    g.draw(java.awt.geom.RoundRectangle2D.Double(half, half, this.width - 2 * half, height - 2 * half, arc, arc))
}

internal fun smooth(g: Graphics2D) {
    g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON)
    g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE)
    val hints = java.awt.Toolkit.getDefaultToolkit().getDesktopProperty("awt.font.desktophints") as? Map<*, *>
    if (hints != null) g.addRenderingHints(hints) else g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON)
}

/** Paints [painted] anew when the focus comes or goes. */
internal fun Component.repaintsWithFocus(painted: Component = this) = addFocusListener(
    object : FocusListener {
        override fun focusGained(event: FocusEvent) = painted.repaint()

        override fun focusLost(event: FocusEvent) = painted.repaint()
    },
)

internal fun Component.onClick(action: () -> Unit) {
    cursor = Cursor.getPredefinedCursor(Cursor.HAND_CURSOR)
    addMouseListener(
        object : MouseAdapter() {
            override fun mouseClicked(event: MouseEvent) {
                if (event.button == MouseEvent.BUTTON1) action()
            }
        },
    )
}

/**
 * A button of a card. The main one is filled; none is ever the default button of a window. A label that is too
 * long for a line takes several: what is granted has to be read to its end.
 */
internal class CardButton(text: String, private val isMain: Boolean = false, onClick: () -> Unit) : JButton(text), Flowing {
    /** The key that does the same, shown behind the text. */
    var key: String = ""

    /** What it does cannot be undone. */
    var isDangerous: Boolean = false

    init {
        putClientProperty("html.disable", true)
        addActionListener { onClick() }
        updateUI()
    }

    override fun updateUI() {
        super.updateUI()
        flat()
        font = Look.font
    }

    override fun getPreferredSize(): Dimension {
        val metrics = getFontMetrics(font)
        return Dimension(metrics.stringWidth(text.orEmpty()) + keyRoom() + Look.px(24), metrics.height + Look.px(10))
    }

    private fun keyRoom() = if (key.isEmpty()) 0 else getFontMetrics(Look.small).stringWidth(key) + Look.px(8)

    override fun paintComponent(graphics: Graphics) {
        val g = graphics.create() as Graphics2D
        smooth(g)
        val arc = Look.px(8)
        val ground = when {
            !isEnabled -> Look.raised
            isMain && isDangerous -> Color(0xB3261E)
            isMain -> if (Look.isDark) Look.mix(Look.accent, Color(0x1E3A6E), 0.35) else Look.accent
            model.isRollover || model.isPressed -> Look.hover
            else -> Look.raised
        }
        g.color = ground
        g.fillRoundRect(0, 0, width, height, arc, arc)
        if (!isMain || !isEnabled) {
            g.color = Look.mix(Look.foreground, Look.background, 0.30)
            outline(g, 1f)
        }
        if (isFocusOwner) {
            g.color = if (isMain) Look.foreground else Look.focus
            outline(g, 2f)
        }
        g.color = if (!isEnabled) Look.mix(Look.muted, Look.raised, 0.7) else if (isMain) Color.WHITE else Look.foreground
        g.font = font
        val metrics = g.fontMetrics
        val lines = lines(width)
        var base = (height - metrics.height * lines.size) / 2 + metrics.ascent
        val start = if (lines.size == 1) (width - metrics.stringWidth(lines[0]) - keyRoom()) / 2 else Look.px(12)
        for (line in lines) {
            g.drawString(line, start, base)
            base += metrics.height
        }
        if (key.isNotEmpty()) {
            g.font = Look.small
            g.color = if (isMain) Color(255, 255, 255, 190) else Look.muted
            g.drawString(key, width - Look.px(12) - g.fontMetrics.stringWidth(key), base - metrics.height)
        }
        g.dispose()
    }

    override fun heightFor(width: Int): Int = getFontMetrics(font).height * lines(width).size + Look.px(10)

    private fun lines(width: Int) = wrapped(text.orEmpty(), getFontMetrics(font), width - keyRoom() - Look.px(22))
}

/** Scrolls up and down only, without an edge and a ground of its own. */
internal class PlainScroll(view: JComponent) : JScrollPane(view, VERTICAL_SCROLLBAR_AS_NEEDED, HORIZONTAL_SCROLLBAR_NEVER) {
    override fun updateUI() {
        super.updateUI()
        border = null
        isOpaque = false
        viewport?.isOpaque = false
    }
}

/** Tells of every change of what is typed. */
internal fun listener(changed: () -> Unit): DocumentListener = object : DocumentListener {
    override fun insertUpdate(event: DocumentEvent) = changed()

    override fun removeUpdate(event: DocumentEvent) = changed()

    override fun changedUpdate(event: DocumentEvent) = Unit
}

/** In a text area of a form, Tab is the way out. */
internal fun focusMovesOnTab(area: JTextArea) {
    area.setFocusTraversalKeys(java.awt.KeyboardFocusManager.FORWARD_TRAVERSAL_KEYS, null)
    area.setFocusTraversalKeys(java.awt.KeyboardFocusManager.BACKWARD_TRAVERSAL_KEYS, null)
}

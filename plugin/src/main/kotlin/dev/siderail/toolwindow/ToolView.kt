package dev.siderail.toolwindow

import dev.siderail.bridge.CallStatus
import dev.siderail.ui.Card
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone
import dev.siderail.ui.flat
import dev.siderail.ui.named
import dev.siderail.ui.smooth
import java.awt.Color
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import javax.swing.JButton
import javax.swing.Timer

/** A tool call: one line with status and result; unfolded, what it did, and why it was denied. */
internal class ToolView(private val item: ToolItem, private val texts: ToolTexts, private val actions: ChatActions) : Column(gap = 2), ItemView {
    private val row = RowButton { toggle() }
    private val details = Column(gap = 6, padding = Insets(2, 22, 6, 0))
    private var isOpen = false

    /** While the call runs, its mark turns and its seconds are counted. */
    private val ticks = Timer(TICK_MS) { if (isShowing) showRow() }

    init {
        add(row)
        add(details)
        details.isVisible = false
        refresh()
    }

    override fun removeNotify() {
        ticks.stop()
        super.removeNotify()
    }

    override fun addNotify() {
        super.addNotify()
        if (item.status == CallStatus.RUNNING) ticks.start()
    }

    private fun toggle() {
        if (!item.hasDetails) return
        isOpen = !isOpen
        refresh()
    }

    /** Shows the details, as for a picture. */
    internal fun unfold() {
        isOpen = true
        refresh()
    }

    override fun refresh() {
        if (item.status == CallStatus.RUNNING && isDisplayable) ticks.start() else ticks.stop()
        showRow()
        details.isVisible = isOpen && item.hasDetails
        if (details.isVisible) fill()
        revalidate()
        repaint()
    }

    private fun showRow() {
        val (result, tone) = texts.result(item)
        row.show(
            RowButton.Content(
                mark = Mark(texts.mark(item)),
                verb = texts.verb(item),
                target = texts.target(item),
                note = texts.note(item),
                isCode = item.command != null || item.paths.isNotEmpty(),
                result = result,
                tone = tone,
                fold = if (item.hasDetails) isOpen else null,
            ),
        )
    }

    private fun fill() {
        details.removeAll()
        item.insteadOf?.let { denied ->
            details.add(Line("${texts.verb(denied)} ${texts.target(denied)}".trim(), { Look.small }, { Look.muted }).shortening())
            denied.denial?.let { details.add(denial(it)) }
        }
        item.denial?.let { details.add(denial(it)) }
        item.command?.takeIf { '\n' in it || it.length > 60 }?.let { details.add(code("", it)) }
        val glance = item.glance
        if (glance != null) {
            details.add(DiffView(glance.lines))
            details.add(links())
        } else if (item.output.isNotBlank() && item.denial == null) {
            details.add(code("", item.output.trimEnd().capped(OUTPUT)))
        }
    }

    private fun code(language: String, text: String) = CodeView(actions).apply { show(Piece.Code(language, text), isWhole = true) }

    private fun links() = Flow(gap = 14).apply {
        add(LinkButton(Texts["tool.diff"]) { actions.showDiff(texts.target(item), item.changes) })
        item.paths.singleOrNull()?.let { path -> add(LinkButton(Texts["tool.open"]) { actions.openFile(path) }) }
    }

    private fun denial(denial: Denial) = Card(gap = 4, padding = Insets(8, 10, 8, 10), ground = { Look.tinted(Look.warning) }, line = { null }).apply {
        add(Prose(texts.reason(denial)))
        if (denial.guidance.isNotBlank()) {
            add(Line(Texts["denial.told"], { Look.small }, { Look.muted }))
            add(Prose(denial.guidance, { Look.mono }))
        }
        val delivery = texts.delivery(denial)
        if (delivery.isNotEmpty()) add(Prose(delivery, { Look.small }, { Look.muted }))
    }

    private companion object {
        const val OUTPUT = 6_000
        const val TICK_MS = 100
    }
}

/** Calls that only looked, as one line; unfolded, a line each. */
internal class GroupView(private val item: GroupItem, private val texts: ToolTexts, private val actions: ChatActions) : Column(gap = 2), ItemView {
    private val row = RowButton { toggle() }
    private val details = Column(gap = 2, padding = Insets(0, 22, 4, 0))
    private var isOpen = false

    init {
        add(row)
        add(details)
        refresh()
    }

    internal fun toggle() {
        isOpen = !isOpen
        refresh()
    }

    override fun refresh() {
        val content = RowButton.Content(Mark(Mark.Kind.CHECK), texts.group(item), "", "", false, "", Tone.INFO, isOpen)
        row.show(content)
        details.isVisible = isOpen
        if (isOpen) item.tools.drop(details.componentCount).forEach { details.add(ToolView(it, texts, actions)) }
        revalidate()
        repaint()
    }
}

/** The one line of a tool call, a button so that the keyboard reaches what is folded. */
internal class RowButton(onClick: () -> Unit) : JButton() {
    data class Content(
        val mark: Mark,
        val verb: String,
        val target: String,
        /** What it took the place of. */
        val note: String,
        val isCode: Boolean,
        val result: String,
        val tone: Tone,
        /** Whether it is unfolded; null when there is nothing to unfold. */
        val fold: Boolean?,
    )

    private var content = Content(Mark(Mark.Kind.RING), "", "", "", false, "", Tone.INFO, null)

    init {
        addActionListener { onClick() }
        updateUI()
    }

    fun show(content: Content) {
        this.content = content
        isFocusable = content.fold != null
        named(listOf(content.verb, content.target, content.note, content.result).filter { it.isNotEmpty() }.joinToString(", "))
        toolTipText = "${content.verb} ${content.target}".takeIf { content.target.length > 40 && !it.startsWith("<") }
        repaint()
    }

    override fun updateUI() {
        super.updateUI()
        flat()
        font = Look.font
    }

    override fun getPreferredSize(): Dimension = Dimension(Look.px(120), getFontMetrics(font).height + Look.px(7))

    override fun paintComponent(graphics: Graphics) {
        val g = graphics.create() as Graphics2D
        smooth(g)
        if ((model.isRollover && content.fold != null) || isFocusOwner) {
            g.color = Look.hover
            g.fillRoundRect(-Look.px(4), 0, width + Look.px(8), height, Look.px(6), Look.px(6))
        }
        content.mark.paintIcon(this, g, 0, (height - content.mark.iconHeight) / 2)
        val metrics = getFontMetrics(Look.font)
        val base = (height - metrics.height) / 2 + metrics.ascent
        val right = paintResult(g, base)
        var x = Look.px(22)
        x = paintText(g, content.verb, Look.font, Look.foreground, x, base, right)
        val note = if (content.note.isEmpty()) 0 else g.getFontMetrics(Look.small).stringWidth(content.note) + Look.px(8)
        val roomForNote = if (right - x - note < Look.px(60)) 0 else note
        x = paintText(g, content.target, if (content.isCode) Look.mono else Look.font, Look.muted, x + Look.px(7), base, right - roomForNote)
        if (note > 0) paintText(g, content.note, Look.small, Look.muted, x + Look.px(8), base, right)
        g.dispose()
    }

    /** Result and chevron at the right; answers where they begin. */
    private fun paintResult(g: Graphics2D, base: Int): Int {
        var right = width
        content.fold?.let {
            val chevron = Mark(if (it) Mark.Kind.CHEVRON_DOWN else Mark.Kind.CHEVRON_RIGHT, 12)
            right -= chevron.iconWidth
            chevron.paintIcon(this, g, right, (height - chevron.iconHeight) / 2)
            right -= Look.px(4)
        }
        if (content.result.isNotEmpty()) {
            val metrics = g.getFontMetrics(Look.small)
            right -= metrics.stringWidth(content.result)
            g.font = Look.small
            g.color = Look.tone(content.tone)
            g.drawString(content.result, right, base)
        }
        return right - Look.px(8)
    }

    private fun paintText(g: Graphics2D, text: String, font: java.awt.Font, color: Color, x: Int, base: Int, right: Int): Int {
        val metrics = g.getFontMetrics(font)
        // The beginning is cut from paths, the end from everything else: the part that matters
        // stays.
        val shown = shortened(text, metrics, right - x, keepsEnd = '/' in text && ' ' !in text)
        g.font = font
        g.color = color
        g.drawString(shown, x, base)
        return x + metrics.stringWidth(shown)
    }
}

package dev.siderail.toolwindow

import com.intellij.ui.JBSplitter
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.Receipt
import dev.siderail.ui.Column
import dev.siderail.ui.EdgeBorder
import dev.siderail.ui.Flow
import dev.siderail.ui.Flowing
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone
import dev.siderail.ui.beside
import dev.siderail.ui.flat
import dev.siderail.ui.named
import dev.siderail.ui.onKey
import dev.siderail.ui.outline
import dev.siderail.ui.smooth
import java.awt.BorderLayout
import java.awt.Color
import java.awt.Component
import java.awt.Insets
import java.util.Locale
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JScrollPane
import javax.swing.JTable
import javax.swing.JToggleButton
import javax.swing.ListSelectionModel
import javax.swing.table.AbstractTableModel
import javax.swing.table.DefaultTableCellRenderer
import javax.swing.table.TableColumn

/**
 * The Debug tab: what was asked and denied, in order, with the channel that carried the reason and what became
 * of it; the summary above, the selected event's every detail below. Follows the end until a row is selected.
 */
internal class DebugPanel(private val model: DebugModel, private val actions: ChatActions) : JPanel(BorderLayout()) {
    private val summary = SummaryStrip()
    private val shownRows = Rows()
    private val table = JTable(shownRows)
    private val details = CodeText()
    private val detailHead = Line("", { Look.small }, { Look.muted })
    private val detailScroll = JScrollPane(details)
    private val tableScroll = JScrollPane(table)
    private val lower = JPanel(BorderLayout())
    private val split = JBSplitter(true, TABLE_SHARE)

    init {
        val head = Column(gap = 8, padding = Insets(10, 12, 10, 12))
        head.add(summary)
        head.add(categories())
        head.add(search())
        head.border = EdgeBorder(bottom = true)
        add(head, BorderLayout.NORTH)
        prepareTable()
        lower.isOpaque = false
        lower.isVisible = false
        val title = Column(padding = Insets(6, 12, 4, 12))
        title.add(detailHead)
        lower.add(title, BorderLayout.NORTH)
        lower.add(detailScroll, BorderLayout.CENTER)
        split.firstComponent = tableScroll
        split.secondComponent = lower
        split.setShowDividerIcon(false)
        add(split, BorderLayout.CENTER)
        updateUI()
        refresh()
    }

    override fun getBackground(): Color = Look.background

    override fun updateUI() {
        super.updateUI()
        @Suppress("SENSELESS_COMPARISON")
        if (split == null) return
        split.dividerWidth = Look.px(5)
        // A table gives a scroll pane without a border one of its own.
        tableScroll.border = javax.swing.BorderFactory.createEmptyBorder()
        detailScroll.border = javax.swing.BorderFactory.createEmptyBorder()
        details.border = javax.swing.BorderFactory.createEmptyBorder(0, Look.px(12), Look.px(8), Look.px(12))
        details.lineWrap = true
        details.wrapStyleWord = true
        table.rowHeight = getFontMetrics(Look.font).height + Look.px(7)
        table.font = Look.font
    }

    /** Takes a batch; the table hears of it once. */
    fun apply(events: List<Event>) {
        events.forEach(model::apply)
        refresh()
    }

    fun refresh() {
        val isFollowing = table.selectedRow < 0
        val selected = selectedRow()
        shownRows.update()
        summary.refresh()
        val at = selected?.let { shownRows.shown.indexOf(it) } ?: -1
        if (at >= 0) table.setRowSelectionInterval(at, at)
        if (isFollowing && shownRows.rowCount > 0) table.scrollRectToVisible(table.getCellRect(shownRows.rowCount - 1, 0, true))
    }

    /** Has the focus when the person opens the page. */
    val firstFocus: JComponent get() = table

    internal val rows: List<DebugRow> get() = shownRows.shown

    internal fun select(row: Int) {
        table.setRowSelectionInterval(row, row)
        table.scrollRectToVisible(table.getCellRect(row, 0, true))
    }

    private fun selectedRow(): DebugRow? = shownRows.shown.getOrNull(table.selectedRow)

    private fun categories() = Flow(gap = 4).apply {
        for (category in DebugCategory.entries) {
            val toggle = FilterToggle(Texts["debug.category.${category.name.lowercase()}"], category in model.filter.categories)
            toggle.addActionListener {
                val now = model.filter.categories
                model.filter = model.filter.copy(categories = if (toggle.isSelected) now + category else now - category)
                refresh()
            }
            add(toggle)
        }
    }

    private fun search(): JPanel {
        val field = PlaceholderField("", Texts["debug.filter"]) {
            model.filter = model.filter.copy(text = it)
            refresh()
        }
        val links = Flow(gap = 12)
        links.add(LinkButton(Texts["debug.copy"]) { actions.copy(model.export()) })
        links.add(LinkButton(Texts["debug.export"]) { actions.save("siderail-events.jsonl", model.export()) })
        links.add(
            LinkButton(Texts["debug.clear"]) {
                model.clear()
                refresh()
            },
        )
        return beside(center = field, east = links, gap = 12)
    }

    private fun prepareTable() {
        table.named(Texts["debug.table"])
        table.setSelectionMode(ListSelectionModel.SINGLE_SELECTION)
        table.autoResizeMode = JTable.AUTO_RESIZE_LAST_COLUMN
        table.setShowGrid(false)
        table.intercellSpacing = java.awt.Dimension(0, 0)
        table.fillsViewportHeight = true
        table.setDefaultRenderer(Any::class.java, Cell())
        table.autoCreateColumnsFromModel = false
        table.tableHeader.reorderingAllowed = false
        table.tableHeader.defaultRenderer = Head()
        table.selectionModel.addListSelectionListener { if (!it.valueIsAdjusting) showDetails() }
        table.onKey(javax.swing.KeyStroke.getKeyStroke("ESCAPE"), "follow") { table.clearSelection() }
    }

    /** Columns are as wide as what is in them; the text has the rest. A narrow window leaves some out. */
    override fun doLayout() {
        val isNarrow = width < Look.px(NARROW)
        val isTight = width < Look.px(TIGHT)
        val wanted = COLUMNS.indices.filter { (!isNarrow || !COLUMNS[it].isLeftOut) && (!isTight || COLUMNS[it].width > 0) }
        val columns = table.columnModel
        if (columns.columnCount != wanted.size) {
            while (columns.columnCount > 0) columns.removeColumn(columns.getColumn(0))
            wanted.forEach { columns.addColumn(TableColumn(it)) }
            for (column in columns.columns) column.headerValue = shownRows.getColumnName(column.modelIndex)
        }
        for (column in columns.columns) {
            val wide = Look.px(COLUMNS[column.modelIndex].let { if (isNarrow) it.width else it.wide })
            if (wide > 0) {
                column.minWidth = wide
                column.maxWidth = wide * 3
            }
            column.preferredWidth = wide
        }
        super.doLayout()
    }

    private fun showDetails() {
        val row = selectedRow()
        lower.isVisible = row != null
        detailHead.text = row?.let { Texts["debug.details", it.seq.toString(), Words.event(it.name)] }.orEmpty()
        details.text = row?.details().orEmpty()
        details.caretPosition = 0
    }

    private inner class Rows : AbstractTableModel() {
        var shown: List<DebugRow> = emptyList()
            private set

        /**
         * Rows that were only added at the end are reported as such: the table keeps its place and lays out just those.
         */
        fun update() {
            val before = shown
            shown = model.rows
            val grew = shown.size - before.size
            when {
                before.isNotEmpty() && grew >= 0 && shown[0] === before[0] && shown[before.size - 1] === before.last() -> {
                    fireTableRowsUpdated(before.size - 1, before.size - 1)
                    if (grew > 0) fireTableRowsInserted(before.size, shown.size - 1)
                }
                else -> fireTableDataChanged()
            }
        }

        override fun getRowCount() = shown.size

        override fun getColumnCount() = COLUMNS.size

        override fun getColumnName(column: Int) = Texts["debug.column.${COLUMNS[column].key}"]

        override fun getValueAt(row: Int, column: Int): Any = shown.getOrNull(row)?.let { COLUMNS[column].value(it) } ?: ""
    }

    private inner class Cell : DefaultTableCellRenderer() {
        init {
            putClientProperty("html.disable", true)
        }

        override fun getTableCellRendererComponent(table: JTable, value: Any?, isSelected: Boolean, hasFocus: Boolean, row: Int, column: Int): Component {
            super.getTableCellRendererComponent(table, value, isSelected, false, row, column)
            val shown = shownRows.shown.getOrNull(row) ?: return this
            border = cellBorder(column)
            if (isSelected) return this
            background = Look.background
            foreground = when (COLUMNS[table.convertColumnIndexToModel(column)].key) {
                "event", "result" -> Words.tone(shown)?.let(Look::tone) ?: Look.foreground
                "time", "channel" -> Look.muted
                else -> Look.foreground
            }
            return this
        }
    }

    private inner class Head : DefaultTableCellRenderer() {
        override fun getTableCellRendererComponent(table: JTable, value: Any?, isSelected: Boolean, hasFocus: Boolean, row: Int, column: Int): Component {
            super.getTableCellRendererComponent(table, value, false, false, row, column)
            border = javax.swing.BorderFactory.createCompoundBorder(EdgeBorder(bottom = true), cellBorder(column))
            background = Look.background
            foreground = Look.muted
            font = Look.small
            return this
        }

        override fun getPreferredSize() = java.awt.Dimension(super.getPreferredSize().width, getFontMetrics(Look.small).height + Look.px(8))
    }

    private fun cellBorder(column: Int) = javax.swing.BorderFactory.createEmptyBorder(0, Look.px(if (column == 0) 12 else 6), 0, Look.px(6))

    private class FilterToggle(text: String, isOn: Boolean) : JToggleButton(text, isOn) {
        override fun updateUI() {
            super.updateUI()
            flat(javax.swing.BorderFactory.createEmptyBorder(Look.px(2), Look.px(8), Look.px(2), Look.px(8)))
            font = Look.small
        }

        override fun paintComponent(graphics: java.awt.Graphics) {
            val g = graphics.create() as java.awt.Graphics2D
            smooth(g)
            val arc = Look.px(8)
            if (isSelected) {
                g.color = Look.mix(Look.accent, Look.background, if (Look.isDark) 0.28 else 0.14)
                g.fillRoundRect(0, 0, width, height, arc, arc)
            }
            g.color = if (isFocusOwner) Look.focus else if (isSelected) Look.mix(Look.accent, Look.background, 0.5) else Look.border
            outline(g, 1f)
            g.dispose()
            foreground = if (isSelected) Look.foreground else Look.muted
            super.paintComponent(graphics)
        }
    }

    /** Denials, redirect rate and channels in numbers: side by side, in a narrow window two by two. */
    private inner class SummaryStrip : JPanel(null), Flowing {
        private var counts: DebugCounts? = null

        init {
            isOpaque = false
        }

        fun refresh() {
            val counts = model.counts
            if (counts == this.counts) return
            this.counts = counts
            removeAll()
            add(Figure(Texts["debug.denied"], counts.denied.toString(), counts.denials.entries.sortedByDescending { it.value }.joinToString { "${it.key} ${it.value}" }))
            add(Figure(Texts["debug.allowed"], counts.approved.toString(), if (counts.isUnguarded) Texts["debug.unguarded"] else "", counts.isUnguarded))
            val rate = counts.redirectRate
            val share = rate?.let { String.format(Locale.ROOT, "%.0f %%", it * 100) } ?: "–"
            val of = if (rate == null) Texts["debug.rate.none"] else Texts["debug.rate.of", counts.followed, counts.followed + counts.ignored]
            add(Figure(Texts["debug.rate"], share, of))
            val delivered = counts.receipts.values.sumOf { it.delivered }
            val sent = counts.receipts.values.sumOf { it.delivered + it.noReceipt + it.failed }
            add(Figure(Texts["debug.delivered"], if (sent == 0) "–" else "$delivered / $sent", counts.receipts.keys.sorted().joinToString { Texts.find("channel.$it") ?: it }))
            revalidate()
            repaint()
        }

        private fun across(width: Int) = if (width < Look.px(NARROW)) 2 else 4

        override fun heightFor(width: Int): Int {
            val lines = (componentCount + across(width) - 1) / across(width)
            return lines * (components.maxOfOrNull { it.preferredSize.height } ?: 0) + (lines - 1).coerceAtLeast(0) * Look.px(8)
        }

        override fun getPreferredSize() = java.awt.Dimension(Look.px(300), heightFor(if (width > 0) width else Look.px(NARROW)))

        override fun doLayout() {
            val across = across(width)
            val wide = width / across
            val high = components.maxOfOrNull { it.preferredSize.height } ?: 0
            components.forEachIndexed { at, figure ->
                figure.setBounds(at % across * wide, at / across * (high + Look.px(8)), wide - Look.px(8), high)
            }
        }
    }

    private class Figure(name: String, value: String, more: String, isBad: Boolean = false) : Column(gap = 1) {
        init {
            add(Line(name, { Look.small }, { Look.muted }))
            add(Line(value, { Look.bold.deriveFont(Look.font.size2D + 4f) }))
            add(Line(more.ifEmpty { " " }, { Look.small }, { if (isBad) Look.bad else Look.muted }).shortening())
            named("$name: $value $more")
        }
    }

    private class Shown(val key: String, val width: Int, val wide: Int = width, val isLeftOut: Boolean = false, val value: (DebugRow) -> String)

    private companion object {
        const val NARROW = 620

        /** The table's part of the height while details are shown below it. */
        const val TABLE_SHARE = 0.68f

        /** The text has no room beside the other columns; it is shown below the table when a line is chosen. */
        const val TIGHT = 420
        val COLUMNS = listOf(
            Shown("time", 54) { String.format(Locale.ROOT, "%.2f", it.t) },
            Shown("event", 94) { Words.event(it.name) },
            Shown("tool", 92, wide = 140) { it.tool },
            Shown("channel", 84, isLeftOut = true) { row -> Texts.find("channel.${row.channel}") ?: row.channel },
            Shown("result", 80) { Words.result(it) },
            Shown("text", 0) { it.text.firstLine(300) },
        )
    }
}

/** Events in a person's words. */
internal object Words {
    fun event(name: String): String = Texts.find("event.$name") ?: name

    fun result(row: DebugRow): String = row.result.let { word ->
        if (word.isEmpty()) "" else Texts.find("receipt.$word") ?: Texts.find("by.$word") ?: Texts.find("callstatus.$word") ?: word
    }

    fun tone(row: DebugRow): Tone? = when (row.known) {
        EventName.PERMISSION_DENIED, EventName.NUDGE, EventName.ESCALATION, EventName.GUIDANCE_IGNORED, EventName.RETRY_EXHAUSTED,
        EventName.INACTIVITY_TIMEOUT,
        -> Tone.WARNING
        EventName.UNGUARDED, EventName.ERROR -> Tone.BAD
        EventName.PERMISSION_APPROVED, EventName.GUIDANCE_FOLLOWED -> Tone.GOOD
        EventName.GUIDANCE_RECEIPT -> if (row.result == Receipt.FAILED.word) Tone.BAD else null
        EventName.AGENT_MESSAGE, EventName.AGENT_THOUGHT, EventName.AGENT_LOG -> Tone.INFO
        else -> null
    }
}

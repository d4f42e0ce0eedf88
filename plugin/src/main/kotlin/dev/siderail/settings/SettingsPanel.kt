package dev.siderail.settings

import com.intellij.ui.JBIntSpinner
import com.intellij.ui.components.JBCheckBox
import com.intellij.ui.components.JBRadioButton
import dev.siderail.bridge.Policy
import dev.siderail.bridge.ToolName
import dev.siderail.engine.Tidying
import dev.siderail.ui.Card
import dev.siderail.ui.Column
import dev.siderail.ui.EdgeBorder
import dev.siderail.ui.Flow
import dev.siderail.ui.Flowing
import dev.siderail.ui.Html
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.PlainScroll
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.focusMovesOnTab
import dev.siderail.ui.heightAt
import dev.siderail.ui.listener
import dev.siderail.ui.named
import java.awt.BorderLayout
import java.awt.Color
import java.awt.Component
import java.awt.Dimension
import java.awt.Insets
import javax.swing.ButtonGroup
import javax.swing.DefaultListCellRenderer
import javax.swing.JComboBox
import javax.swing.JComponent
import javax.swing.JList
import javax.swing.JPanel
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.JTextField
import javax.swing.JToggleButton
import javax.swing.SwingConstants
import javax.swing.plaf.basic.BasicHTML
import javax.swing.text.View

/** The settings page: agents, permissions, editing, tools. Writes into [model] as it is used; [read] shows what is in it. */
internal class SettingsPanel(private val model: SettingsModel) : JPanel(BorderLayout()) {
    private val page = Column(gap = 18, padding = Insets(4, 4, 16, 12))
    private val readers = ArrayList<() -> Unit>()
    private var isReading = false
    private var shownAgent = model.edited.agent

    init {
        page.add(agents())
        page.add(permissions())
        page.add(edits())
        page.add(tools())
        val scroll = PlainScroll(page)
        scroll.verticalScrollBar.unitIncrement = Look.px(20)
        add(scroll)
        read()
    }

    override fun getBackground(): Color = Look.background

    override fun getPreferredSize() = Dimension(Look.px(560), Look.px(640))

    /** Shows what the model holds. */
    fun read() {
        isReading = true
        readers.forEach { it() }
        isReading = false
    }

    /** A change by the person; what the page itself sets while it is being shown does not count. */
    private fun edit(change: () -> Unit) {
        if (!isReading) change()
    }

    private fun section(key: String, vararg parts: JComponent) = Column(gap = 8).apply {
        val title = Column(padding = Insets(0, 0, 4, 0))
        title.border = EdgeBorder(bottom = true)
        title.add(Line(Texts["settings.$key"], { Look.bold }))
        add(title)
        parts.forEach(::add)
    }

    private fun hint(key: String, vararg values: Any) = Prose(Texts.get(key, *values), { Look.small }, { Look.muted })

    private fun agents(): JComponent {
        val agent = JComboBox(KnownAgents.all.map { it.id }.toTypedArray())
        agent.renderer = AgentCell()
        agent.named(Texts["settings.agent"])
        val command = field("settings.agent.command") { state, text -> state.command = text }
        val mode = field("settings.agent.mode") { state, text -> state.mode = text }
        val environment = JTextArea(3, 20)
        environment.font = Look.mono
        environment.named(Texts["settings.agent.environment"])
        focusMovesOnTab(environment)
        environment.document.addDocumentListener(listener { edit { model.agent(shownAgent).environment = environment.text } })
        val home = check(Texts["settings.agent.home"]) { model.agent(shownAgent).mayWriteHome = it }
        val install = Prose("", { Look.small }, { Look.muted })
        val usual = check(Texts["settings.agent.default"]) {
            model.edited.agent = shownAgent
            read()
        }
        readers += {
            val state = model.edited.agents[shownAgent] ?: AgentState()
            agent.selectedItem = shownAgent
            usual.isSelected = shownAgent == model.edited.agent
            usual.isEnabled = !usual.isSelected
            command.text = state.command
            mode.text = state.mode
            environment.text = state.environment
            home.isSelected = state.mayWriteHome
            install.text = KnownAgents.all.find { it.id == shownAgent }?.let { Texts["settings.agent.install", it.install] }.orEmpty()
        }
        agent.addActionListener {
            edit {
                shownAgent = agent.selectedItem as String
                read()
            }
        }
        val own = Card(gap = 8, padding = Insets(10, 12, 10, 12)).apply {
            add(row("settings.agent.command", command))
            add(row("settings.agent.mode", mode))
            add(row("settings.agent.environment", JScrollPane(environment)))
            add(hint("settings.agent.environment.hint"))
            add(home)
            add(hint("settings.agent.home.hint"))
            add(install)
        }
        return section("agents", row("settings.agent", agent), usual, own)
    }

    private fun field(key: String, write: (AgentState, String) -> Unit) = JTextField().apply {
        named(Texts[key])
        document.addDocumentListener(listener { edit { write(model.agent(shownAgent), text) } })
    }

    private fun permissions(): JComponent {
        val group = ButtonGroup()
        val column = Column(gap = 6)
        for (word in Policy.entries.map { it.word }) {
            val radio = Radio(Texts["settings.policy.$word"])
            flush(radio)
            radio.named(radio.text, Texts["policy.$word.hint"])
            radio.addActionListener {
                edit {
                    model.edited.policy = word
                    read()
                }
            }
            group.add(radio)
            readers += { radio.isSelected = model.edited.policy == word }
            column.add(radio)
            column.add(indented(hint("policy.$word.hint")))
        }
        val known = KnownSettings.yoloDangerous
        val dangerous = check(SettingLabel.of(known).before) { model.edited.switches[known.name] = it }
        readers += {
            dangerous.isSelected = model.edited.switches[known.name] ?: known.usual
            dangerous.isEnabled = model.edited.policy == Policy.YOLO.word
        }
        column.add(indented(dangerous))
        val switches = listOf(hint("settings.unchosen")) + KnownSettings.switches.map(::switch) + hint("settings.policy.project")
        val numbers = KnownSettings.numbers.map(::number) + hint("settings.next")
        return section("permissions", column, *switches.toTypedArray(), *numbers.toTypedArray())
    }

    /** Shows what is usual until the person has chosen. */
    private fun switch(known: KnownSwitch): JComponent {
        val back = back(known) { model.edited.switches }
        val box = check(SettingLabel.of(known).before) {
            model.edited.switches[known.name] = it
            back.isVisible = true
        }
        readers += { box.isSelected = model.edited.switches[known.name] ?: known.usual }
        return Trailed(box, back)
    }

    /** Shows what is usual until the person has chosen. */
    private fun number(known: KnownNumber): JComponent {
        val label = SettingLabel.of(known)
        val back = back(known) { model.edited.numbers }
        val field = JBIntSpinner(known.usual, known.range.first, known.range.last).named(label.before)
        field.addChangeListener {
            edit {
                model.edited.numbers[known.name] = field.number
                back.isVisible = true
            }
        }
        readers += { field.value = model.edited.numbers[known.name] ?: known.usual }
        return Trailed(sentence(label, field), back)
    }

    /** Takes a choice back. */
    private fun back(known: KnownSetting, chosen: () -> MutableMap<String, *>) = LinkButton(Texts["settings.usual"], { Look.small }) {
        chosen().remove(known.name)
        read()
    }.apply {
        toolTipText = Texts["settings.usual.hint"]
        named("$text: ${SettingLabel.of(known)}", toolTipText)
        readers += { isVisible = known.name in chosen() }
    }

    private fun edits(): JComponent {
        val tidying = JComboBox(Tidying.entries.toTypedArray())
        tidying.renderer = TidyingCell()
        tidying.addActionListener {
            edit {
                model.edited.tidying = tidying.selectedItem as Tidying
                read()
            }
        }
        val imports = check(Texts["settings.imports"]) { model.edited.optimizeImports = it }
        val format = check(Texts["settings.format"]) { model.edited.reformat = it }
        readers += {
            tidying.selectedItem = model.edited.tidying
            imports.isSelected = model.edited.optimizeImports
            imports.isEnabled = model.edited.tidying != Tidying.OFF
            format.isEnabled = model.edited.tidying != Tidying.OFF
            format.isSelected = model.edited.reformat
        }
        return section("editing", row("settings.tidying", tidying), indented(format), indented(imports), hint("settings.edits.hint"))
    }

    private fun tools(): JComponent {
        val grid = Grid()
        for (tool in KnownTools.all) {
            val box = check(ToolName.of(tool)?.let(ToolTitle::of) ?: ToolTitle.inWords(tool)) { isOn ->
                model.edited.toolsOff.remove(tool)
                if (!isOn) model.edited.toolsOff.add(tool)
                read()
            }
            box.font = Look.small
            box.toolTipText = tool
            box.named(box.text, tool)
            readers += {
                box.isEnabled = model.edited.experimental || tool !in KnownTools.experimental
                box.isSelected = box.isEnabled && tool !in model.edited.toolsOff
            }
            grid.add(box)
        }
        val experimental = check(Texts["settings.experimental"]) {
            model.edited.experimental = it
            read()
        }
        val debug = check(Texts["settings.debug"]) { model.edited.showDebug = it }
        val surplus = hint("settings.tools.surplus", KnownTools.AT_ONCE)
        readers += {
            surplus.isVisible = model.surplus > 0
            experimental.isSelected = model.edited.experimental
            debug.isSelected = model.edited.showDebug
        }
        return section("tools", hint("settings.tools.hint"), grid, experimental, surplus, debug, hint("settings.reopen"))
    }

    private fun check(text: String, write: (Boolean) -> Unit): JBCheckBox = Check(text).apply {
        flush(this)
        addActionListener { edit { write(isSelected) } }
    }

    /** Begins where the texts around it begin. */
    private fun flush(button: JToggleButton) {
        button.isOpaque = false
        button.margin = Insets(0, 0, 0, 0)
        button.border = javax.swing.BorderFactory.createEmptyBorder(Look.px(1), 0, Look.px(1), 0)
    }

    private fun row(key: String, field: JComponent): JComponent {
        val label = Line(Texts[key])
        label.labelFor = field
        label.preferredSize = Dimension(Look.px(120), label.preferredSize.height)
        label.verticalAlignment = if (field is JScrollPane) SwingConstants.TOP else SwingConstants.CENTER
        return beside(label, field, gap = 10)
    }

    private fun sentence(label: SettingLabel, field: JComponent): JComponent {
        // A text without a place for the number can be a long one.
        if (label.after.isEmpty()) {
            return Column(gap = 4).apply {
                add(Prose(label.before))
                add(Flow().also { it.add(field) })
            }
        }
        return Flow(gap = 6).apply {
            add(Line(label.before))
            // A number stays with what it counts, where the line is too short for both.
            add(beside(field, Line(label.after), gap = 6))
        }
    }

    private fun indented(part: JComponent) = Column(padding = Insets(0, 18, 0, 0)).apply { add(part) }

    private class AgentCell : DefaultListCellRenderer() {
        override fun getListCellRendererComponent(list: JList<*>, value: Any?, index: Int, isSelected: Boolean, hasFocus: Boolean): Component =
            super.getListCellRendererComponent(list, (value as? String)?.let(KnownAgents::title), index, isSelected, hasFocus)
    }

    private class TidyingCell : DefaultListCellRenderer() {
        override fun getListCellRendererComponent(list: JList<*>, value: Any?, index: Int, isSelected: Boolean, hasFocus: Boolean): Component {
            val text = (value as? Tidying)?.let { Texts["settings.tidying.${it.name.lowercase()}"] }
            return super.getListCellRendererComponent(list, text, index, isSelected, hasFocus)
        }
    }

    private class Check(text: String) : JBCheckBox(text), Flowing {
        override fun heightFor(width: Int) = wrapped(this, width)
    }

    private class Radio(text: String) : JBRadioButton(text), Flowing {
        override fun heightFor(width: Int) = wrapped(this, width)
    }

    /** Something that may wrap, and right behind it, while that is shown, an [end] that does not. */
    private class Trailed(private val row: JComponent, private val end: JComponent) : JPanel(null), Flowing {
        init {
            isOpaque = false
            add(row)
            add(end)
        }

        private fun taken() = if (end.isVisible) end.preferredSize.width + Look.px(8) else 0

        private fun room(width: Int) = (width - taken()).coerceAtLeast(1)

        override fun heightFor(width: Int): Int = maxOf(row.heightAt(room(width)), end.preferredSize.height)

        override fun getPreferredSize() = Dimension(row.preferredSize.width + taken(), heightFor(if (width > 0) width else Look.px(540)))

        override fun doLayout() {
            val room = room(width)
            // Asked for first: a box decides by it whether its label wraps.
            val high = row.heightAt(room)
            val wide = row.preferredSize.width.coerceAtMost(room)
            val size = end.preferredSize
            row.setBounds(0, 0, wide, high)
            end.setBounds(wide + Look.px(8), (height - size.height) / 2, size.width, size.height)
        }
    }

    /** As many equal columns as there is room for. */
    private class Grid : JPanel(null), Flowing {
        init {
            isOpaque = false
        }

        private fun cell() = Dimension(components.maxOf { it.preferredSize.width }, components.maxOf { it.preferredSize.height })

        private fun across(width: Int) = (width / cell().width).coerceIn(1, componentCount)

        override fun heightFor(width: Int): Int = (componentCount + across(width) - 1) / across(width) * cell().height

        override fun getPreferredSize() = Dimension(cell().width, heightFor(if (width > 0) width else Look.px(540)))

        override fun doLayout() {
            val across = across(width)
            val lines = (componentCount + across - 1) / across
            val wide = width / across
            val high = cell().height
            components.forEachIndexed { at, box -> box.setBounds(at / lines * wide, at % lines * high, wide, high) }
        }
    }

    private companion object {
        /** The height at that width. A label that is too long for it wraps, which Swing does for HTML alone. */
        fun wrapped(button: JToggleButton, width: Int): Int {
            BasicHTML.updateRenderer(button, button.text)
            val plain = button.preferredSize
            if (plain.width <= width) return plain.height
            BasicHTML.updateRenderer(button, "<html>${Html.escape(button.text)}")
            val label = button.getClientProperty(BasicHTML.propertyKey) as View
            val beside = plain.width - button.getFontMetrics(button.font).stringWidth(button.text)
            label.setSize((width - beside).toFloat(), 0f)
            return maxOf(plain.height, label.getPreferredSpan(View.Y_AXIS).toInt() + button.insets.top + button.insets.bottom)
        }
    }
}

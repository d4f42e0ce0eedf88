package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.BorderLayout
import java.awt.Color
import java.awt.Component
import java.awt.Dimension
import java.awt.event.ActionEvent
import java.awt.event.KeyEvent
import java.awt.event.MouseAdapter
import java.awt.event.MouseEvent
import javax.swing.AbstractAction
import javax.swing.DefaultListCellRenderer
import javax.swing.DefaultListModel
import javax.swing.JCheckBoxMenuItem
import javax.swing.JComponent
import javax.swing.JList
import javax.swing.JMenu
import javax.swing.JMenuItem
import javax.swing.JPanel
import javax.swing.JPopupMenu
import javax.swing.JRadioButtonMenuItem
import javax.swing.JScrollPane
import javax.swing.KeyStroke
import javax.swing.ListSelectionModel

/**
 * A choice among some, as text that opens a menu; among many, as those models of which an agent has hundreds, the menu
 * is a list with a field that narrows it down.
 */
internal class Picker(
    private var choices: List<Choice>,
    initial: Choice?,
    private val what: String,
    private val label: String = "",
    ink: () -> Color = { Look.muted },
    private val picked: (Choice) -> Unit,
) : LinkButton("", { Look.font }, ink) {
    var selected: Choice? = initial ?: choices.firstOrNull()
        private set

    /** Offers others; nothing counts as picked by that. */
    fun offer(others: List<Choice>, chosen: Choice?) {
        if (others == choices && chosen == selected) return
        choices = others
        selected = chosen ?: others.firstOrNull()
        showChoice()
    }

    init {
        icon = Mark(Mark.Kind.CHEVRON_DOWN, 12)
        horizontalTextPosition = LEADING
        addActionListener { if (choices.size > MENU) search() else menu().show(this, 0, height) }
        showChoice()
    }

    private fun menu() = JPopupMenu().also { fill(it, choices, selected, ::pick) }

    private fun search() {
        var close = {}
        val search = ChoiceSearch(choices, selected, what) {
            close()
            pick(it)
        }
        close = Popups.opener.open(search, search.field, this)
    }

    private fun pick(choice: Choice) {
        selected = choice
        showChoice()
        picked(choice)
    }

    private fun showChoice() {
        val title = selected?.title ?: what
        text = if (label.isEmpty()) title else "$label: $title"
        toolTipText = listOf(what, selected?.hint.orEmpty()).filter { it.isNotEmpty() && !it.startsWith("<") }.joinToString(": ")
        named("$what: $title")
    }

    companion object {
        /** Choices that a plain menu has room for. */
        private const val MENU = 18

        /** Choices as radio items, each group below its name. */
        fun fill(menu: JComponent, choices: List<Choice>, selected: Choice?, pick: (Choice) -> Unit) {
            var group = ""
            for (choice in choices) {
                if (choice.group != group && choice.group.isNotEmpty()) {
                    val head = JMenuItem(choice.group)
                    head.putClientProperty("html.disable", true)
                    head.isEnabled = false
                    menu.add(head)
                }
                group = choice.group
                val item = JRadioButtonMenuItem(choice.title, choice == selected)
                item.putClientProperty("html.disable", true)
                item.toolTipText = choice.hint.takeIf { it.isNotEmpty() && !it.startsWith("<") }
                item.addActionListener { pick(choice) }
                menu.add(item)
            }
        }
    }
}

/** A field and a list below it: what is typed narrows the list down, arrows and Enter take one of it. */
internal class ChoiceSearch(private val choices: List<Choice>, selected: Choice?, what: String, private val take: (Choice) -> Unit) : JPanel(BorderLayout(0, Look.px(4))) {
    private val model = DefaultListModel<Choice>()
    private val list = JList(model)
    val field = PlaceholderField("", Texts["picker.search"]) { narrow(it) }

    init {
        isOpaque = false
        border = javax.swing.BorderFactory.createEmptyBorder(Look.px(4), Look.px(6), Look.px(4), Look.px(6))
        list.selectionMode = ListSelectionModel.SINGLE_SELECTION
        list.cellRenderer = ChoiceCell()
        list.visibleRowCount = ROWS
        list.named(what)
        list.addMouseListener(
            object : MouseAdapter() {
                override fun mouseClicked(event: MouseEvent) = accept()
            },
        )
        bind(KeyEvent.VK_DOWN) { move(1) }
        bind(KeyEvent.VK_UP) { move(-1) }
        field.addActionListener { accept() }
        add(field, BorderLayout.NORTH)
        add(JScrollPane(list, JScrollPane.VERTICAL_SCROLLBAR_AS_NEEDED, JScrollPane.HORIZONTAL_SCROLLBAR_NEVER), BorderLayout.CENTER)
        narrow("")
        list.setSelectedValue(selected, true)
    }

    private fun bind(key: Int, action: () -> Unit) {
        field.inputMap.put(KeyStroke.getKeyStroke(key, 0), "move-$key")
        field.actionMap.put(
            "move-$key",
            object : AbstractAction() {
                override fun actionPerformed(event: ActionEvent) = action()
            },
        )
    }

    private fun narrow(typed: String) {
        model.clear()
        matching(choices, typed).forEach(model::addElement)
        list.selectedIndex = if (model.isEmpty) -1 else 0
    }

    private fun move(by: Int) {
        if (model.isEmpty) return
        list.selectedIndex = Math.floorMod(list.selectedIndex + by, model.size)
        list.ensureIndexIsVisible(list.selectedIndex)
    }

    private fun accept() {
        list.selectedValue?.let(take)
    }

    override fun getPreferredSize() = Dimension(Look.px(300), super.getPreferredSize().height)

    private class ChoiceCell : DefaultListCellRenderer() {
        init {
            putClientProperty("html.disable", true)
        }

        override fun getListCellRendererComponent(list: JList<*>, value: Any?, index: Int, isSelected: Boolean, hasFocus: Boolean): Component {
            val choice = value as? Choice
            val group = choice?.group.orEmpty()
            val text = if (group.isEmpty()) choice?.title.orEmpty() else "$group  ·  ${choice?.title}"
            return super.getListCellRendererComponent(list, text, index, isSelected, hasFocus)
        }
    }

    private companion object {
        const val ROWS = 12
    }
}

/** The agent's options in the composer: few of them side by side, more of them behind one word. */
internal class OptionPickers(private val set: (option: String, value: String) -> Unit) {
    private var shown: List<SessionOption> = emptyList()

    /** Puts the options behind the components of [row] that are there anyway; true when something changed. */
    fun show(options: List<SessionOption>, row: JPanel, fixed: Int): Boolean {
        if (options == shown) return false
        shown = options
        while (row.componentCount > fixed) row.remove(row.componentCount - 1)
        val (beside, behind) = if (options.size > BESIDE) options.partition { it.category == "model" } else options to emptyList()
        beside.forEach { row.add(part(it)) }
        if (behind.isNotEmpty()) row.add(more(behind))
        return true
    }

    private fun part(option: SessionOption): JComponent = when (option.kind) {
        OptionKind.SELECT -> Picker(option.choices, option.chosen, option.title, label(option)) { set(option.id, it.id.orEmpty()) }
        OptionKind.SWITCH -> Switch(option)
        OptionKind.SHOWN -> Line(shownAs(option), { Look.font }, { Look.muted }).shortening()
    }

    private fun label(option: SessionOption) = if (option.category == "model") "" else option.title

    private fun shownAs(option: SessionOption) = if (option.current.isEmpty()) option.title else "${option.title}: ${option.current.firstLine(SessionOption.TITLE)}"

    private inner class Switch(option: SessionOption) : javax.swing.JCheckBox(option.title, option.isOn) {
        init {
            putClientProperty("html.disable", true)
            isOpaque = false
            addActionListener { set(option.id, isSelected.toString()) }
        }
    }

    private fun more(options: List<SessionOption>): JComponent {
        val button = LinkButton(Texts["composer.options"], { Look.font }, { Look.muted })
        button.icon = Mark(Mark.Kind.CHEVRON_DOWN, 12)
        button.horizontalTextPosition = javax.swing.SwingConstants.LEADING
        button.named(Texts["composer.options"])
        button.addActionListener { menu(options).show(button, 0, button.height) }
        return button
    }

    internal fun menu(options: List<SessionOption>) = JPopupMenu().apply {
        for (option in options) {
            val item = when (option.kind) {
                OptionKind.SELECT -> JMenu(shownAs(option.copy(current = option.chosen?.title.orEmpty()))).also { menu ->
                    Picker.fill(menu, option.choices, option.chosen) { set(option.id, it.id.orEmpty()) }
                }
                OptionKind.SWITCH -> JCheckBoxMenuItem(option.title, option.isOn).also { it.addActionListener { _ -> set(option.id, (!option.isOn).toString()) } }
                OptionKind.SHOWN -> JMenuItem(shownAs(option)).also { it.isEnabled = false }
            }
            item.putClientProperty("html.disable", true)
            add(item)
        }
    }

    private companion object {
        const val BESIDE = 3
    }
}

package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.Color
import javax.swing.JCheckBoxMenuItem
import javax.swing.JComponent
import javax.swing.JMenu
import javax.swing.JMenuItem
import javax.swing.JPanel
import javax.swing.JPopupMenu
import javax.swing.JRadioButtonMenuItem

/** A choice among some, as text that opens a list. */
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
        addActionListener { Popups.opener.choose(choices, selected, what, this, ::pick) }
        showChoice()
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

package dev.siderail.toolwindow

import com.intellij.ui.components.JBCheckBox
import dev.siderail.bridge.OptionKind
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Texts
import dev.siderail.ui.named
import java.awt.Color
import javax.swing.JComponent
import javax.swing.JPanel

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
        toolTipText = listOfNotNull(what, selected?.plainHint).joinToString(": ")
        named("$what: $title")
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
        val (beside, behind) = if (options.size > BESIDE) options.partition { it.isModel } else options to emptyList()
        beside.forEach { row.add(part(it)) }
        if (behind.isNotEmpty()) row.add(more(behind))
        return true
    }

    private fun part(option: SessionOption): JComponent = when (option.kind) {
        OptionKind.SELECT -> Picker(option.choices, option.chosen, option.title, label(option)) { set(option.id, it.id.orEmpty()) }
        OptionKind.BOOLEAN -> Switch(option)
        OptionKind.UNKNOWN -> Line(shownAs(option), { Look.font }, { Look.muted }).shortening()
    }

    private fun label(option: SessionOption) = if (option.isModel) "" else option.title

    private fun shownAs(option: SessionOption): String {
        val current = when (option.kind) {
            OptionKind.SELECT -> option.chosen?.title.orEmpty()
            OptionKind.BOOLEAN -> Texts[if (option.isOn) "composer.option.on" else "composer.option.off"]
            OptionKind.UNKNOWN -> option.current.firstLine(SessionOption.TITLE)
        }
        return if (current.isEmpty()) option.title else "${option.title}: $current"
    }

    private inner class Switch(option: SessionOption) : JBCheckBox(option.title, option.isOn) {
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
        button.addActionListener {
            Popups.opener.choose(options.map { Choice(it.id, shownAs(it)) }, null, Texts["composer.options"], button) { taken ->
                change(options.first { it.id == taken.id }, button)
            }
        }
        return button
    }

    private fun change(option: SessionOption, owner: JComponent) = when (option.kind) {
        OptionKind.SELECT -> Popups.opener.choose(option.choices, option.chosen, option.title, owner) { set(option.id, it.id.orEmpty()) }
        OptionKind.BOOLEAN -> set(option.id, (!option.isOn).toString())
        OptionKind.UNKNOWN -> Unit
    }

    private companion object {
        const val BESIDE = 3
    }
}

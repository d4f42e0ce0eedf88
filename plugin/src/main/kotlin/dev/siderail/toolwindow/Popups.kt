package dev.siderail.toolwindow

import com.intellij.openapi.ui.JBMenuItem
import com.intellij.openapi.ui.JBPopupMenu
import com.intellij.openapi.ui.popup.JBPopupFactory
import com.intellij.util.Consumer
import java.awt.Component
import javax.swing.DefaultListCellRenderer
import javax.swing.JComponent
import javax.swing.JList
import javax.swing.JMenuItem
import javax.swing.JRadioButtonMenuItem

/** Lets the person choose below [owner][choose]. */
internal interface Popups {
    fun choose(choices: List<Choice>, selected: Choice?, what: String, owner: JComponent, take: (Choice) -> Unit)

    companion object {
        /** The IDE's own inside of one ([IdePopups]); without one a menu. */
        @Volatile
        var opener: Popups = MenuPopups
    }
}

/** A menu, which has no field to narrow it down. */
internal object MenuPopups : Popups {
    override fun choose(choices: List<Choice>, selected: Choice?, what: String, owner: JComponent, take: (Choice) -> Unit) =
        menu(choices, selected, take).show(owner, 0, owner.height)

    /** Choices as radio items, which are Swing's, as the platform has none; each group below its name. */
    fun menu(choices: List<Choice>, selected: Choice?, take: (Choice) -> Unit) = JBPopupMenu().apply {
        var group = ""
        for (choice in choices) {
            if (choice.group != group && choice.group.isNotEmpty()) add(JBMenuItem("").apply { isEnabled = false }.plain(choice.group))
            group = choice.group
            val item = JRadioButtonMenuItem("", choice == selected).plain(choice.title)
            item.toolTipText = choice.plainHint
            item.addActionListener { take(choice) }
            add(item)
        }
    }

    /** The text is an agent's, and must not be read as HTML. */
    private fun <I : JMenuItem> I.plain(words: String) = apply {
        putClientProperty("html.disable", true)
        text = words
    }
}

/** The list of the platform: what is typed narrows it down, and it looks as the IDE's own do. */
internal object IdePopups : Popups {
    override fun choose(choices: List<Choice>, selected: Choice?, what: String, owner: JComponent, take: (Choice) -> Unit) {
        val builder = JBPopupFactory.getInstance().createPopupChooserBuilder(choices)
            .setRenderer(ChoiceCell())
            .setNamerForFiltering { "${textOf(it)} ${it.id.orEmpty()}" }
            .setItemChosenCallback(Consumer(take))
            .setTitle(what)
            .setRequestFocus(true)
        selected?.let { builder.setSelectedValue(it, true) }
        builder.createPopup().showUnderneathOf(owner)
    }

    /** A choice in a line, with the group that it is in behind it. */
    fun textOf(choice: Choice): String = if (choice.group.isEmpty()) choice.title else "${choice.title}  \u00b7  ${choice.group}"
}

/** As a tool tip, which would read it as HTML. */
internal val Choice.plainHint: String? get() = hint.takeIf { it.isNotEmpty() && !it.startsWith("<") }

/** A choice in a list. */
internal class ChoiceCell : DefaultListCellRenderer() {
    init {
        putClientProperty("html.disable", true)
    }

    override fun getListCellRendererComponent(list: JList<*>, value: Any?, index: Int, isSelected: Boolean, hasFocus: Boolean): Component {
        val choice = value as? Choice
        toolTipText = choice?.plainHint
        return super.getListCellRendererComponent(list, choice?.let(IdePopups::textOf).orEmpty(), index, isSelected, hasFocus)
    }
}

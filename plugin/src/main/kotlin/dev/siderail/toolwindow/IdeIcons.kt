package dev.siderail.toolwindow

import com.intellij.icons.AllIcons
import com.intellij.ui.AnimatedIcon
import dev.siderail.ui.Mark
import dev.siderail.ui.MarkIcons
import javax.swing.Icon

/**
 * The marks as the IDE has them. The others stay drawn: the IDE has no icon that says the same, or its icon would not
 * have the right colour.
 */
internal object IdeIcons : MarkIcons {
    override fun of(kind: Mark.Kind): Icon? = when (kind) {
        Mark.Kind.CHECK -> AllIcons.Actions.Checked
        Mark.Kind.CIRCLE_DONE -> AllIcons.General.InspectionsOK
        Mark.Kind.CROSS -> AllIcons.General.Error
        Mark.Kind.WARNING -> AllIcons.General.Warning
        Mark.Kind.ASK -> AllIcons.General.ContextHelp
        Mark.Kind.CHEVRON_RIGHT -> AllIcons.General.ArrowRight
        Mark.Kind.CHEVRON_DOWN -> AllIcons.General.ArrowDown
        Mark.Kind.PLUS -> AllIcons.General.Add
        Mark.Kind.RUNNING -> AnimatedIcon.Default.INSTANCE
        Mark.Kind.DENIED, Mark.Kind.DOT, Mark.Kind.RING, Mark.Kind.ARROW_UP, Mark.Kind.STOP -> null
    }
}

package dev.siderail.headless

import com.intellij.openapi.actionSystem.ActionGroup
import com.intellij.openapi.actionSystem.ActionManager
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.TimerListener
import com.intellij.openapi.actionSystem.ex.AnActionListener
import com.intellij.openapi.extensions.PluginId
import java.awt.Component
import java.awt.event.InputEvent

/** Knows the actions that it is given, by name; nothing else is asked of it. */
class NamedActions(private val actions: Map<String, AnAction>) : ActionManager() {
    override fun getAction(id: String): AnAction? = actions[id]

    override fun getActionOrStub(id: String): AnAction? = actions[id]

    override fun getId(action: AnAction): String? = actions.entries.firstOrNull { it.value === action }?.key

    override fun getActionIds(prefix: String) = actions.keys.filter { it.startsWith(prefix) }.toTypedArray()

    override fun isGroup(id: String) = actions[id] is ActionGroup

    override fun createActionPopupMenu(place: String, group: ActionGroup) = absent()

    override fun createActionToolbar(place: String, group: ActionGroup, horizontal: Boolean) = absent()

    override fun createButtonToolbar(place: String, group: ActionGroup) = absent()

    override fun registerAction(id: String, action: AnAction) = absent()

    override fun registerAction(id: String, action: AnAction, plugin: PluginId?) = absent()

    override fun unregisterAction(id: String) = absent()

    override fun replaceAction(id: String, action: AnAction) = absent()

    override fun addTimerListener(delay: Int, listener: TimerListener) = absent()

    override fun removeTimerListener(listener: TimerListener) = absent()

    override fun addTransparentTimerListener(delay: Int, listener: TimerListener) = absent()

    override fun removeTransparentTimerListener(listener: TimerListener) = absent()

    override fun tryToExecute(action: AnAction, event: InputEvent, component: Component?, place: String?, now: Boolean) = absent()

    @Deprecated("as in the platform")
    override fun addAnActionListener(listener: AnActionListener?) = absent()

    @Deprecated("as in the platform")
    override fun removeAnActionListener(listener: AnActionListener?) = absent()

    override fun getKeyboardShortcut(id: String) = absent()

    private fun absent(): Nothing = throw UnsupportedOperationException("the window does not ask for this")
}

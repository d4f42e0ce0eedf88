package dev.siderail.toolwindow

import com.intellij.openapi.actionSystem.ActionManager
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.DefaultActionGroup
import java.util.concurrent.atomic.AtomicBoolean

/**
 * Puts "Fix with the Agent" into menus of views that not every IDE has. In plugin.xml a menu that is missing would be an
 * error of this plugin.
 */
internal class FixMenus(
    private val find: (id: String) -> AnAction?,
    private val add: (DefaultActionGroup, AnAction) -> Unit = { menu, action -> menu.add(action) },
) {
    fun join() = MENUS.forEach { (menu, action) -> (find(menu) as? DefaultActionGroup)?.let { group -> find(action)?.let { add(group, it) } } }

    companion object {
        private val MENUS = mapOf("ProblemsView.ToolWindow.TreePopup" to "dev.siderail.FixProblem", "TestTreePopupMenu" to "dev.siderail.FixTest")
        private val isDone = AtomicBoolean()

        /** Once for all projects. */
        fun joinOnce() {
            if (isDone.compareAndSet(false, true)) FixMenus(ActionManager.getInstance()::getAction).join()
        }
    }
}

package dev.siderail.toolwindow

import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindow
import com.intellij.openapi.wm.ToolWindowManager

/** What a person can do in the chat that is in front, by a key of the IDE's keymap. */
enum class ChatCommand {
    NEW_CHAT, STOP, ALLOW, DENY, ADD_SELECTION, ASK_SELECTION, COMMIT_MESSAGE;

    /** On the event dispatch thread. Does nothing where there is nothing to do. */
    fun run(project: Project) {
        window(project)?.let(::runIn)
    }

    /**
     * A command after which the person continues in the chat shows it; an answer or a stop leaves
     * the window as it is.
     */
    internal fun runIn(window: ToolWindow) {
        if (this in SHOWN) return show(window) { it.run(this) }
        (window.contentManager.selectedContent?.component as? ChatPanel)?.run(this)
    }

    companion object {
        private val SHOWN = setOf(NEW_CHAT, ADD_SELECTION, ASK_SELECTION, COMMIT_MESSAGE)

        /** Shows the chat in front, or the first one, and does something in it. */
        internal fun show(project: Project, act: (ChatPanel) -> Unit) {
            window(project)?.let { show(it, act) }
        }

        private fun window(project: Project): ToolWindow? = ToolWindowManager.getInstance(project).getToolWindow("Siderail")

        private fun show(window: ToolWindow, act: (ChatPanel) -> Unit) {
            window.show {
                val manager = window.contentManager
                val content = manager.selectedContent?.takeIf { it.component is ChatPanel } ?: manager.contents.firstOrNull { it.component is ChatPanel }
                if (content != null) {
                    manager.setSelectedContent(content)
                    act(content.component as ChatPanel)
                }
            }
        }
    }
}

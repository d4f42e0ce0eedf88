package dev.siderail.toolwindow

import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindowManager

/** What a person can do in the chat that is in front, by a key of the IDE's keymap. */
enum class ChatCommand {
    NEW_CHAT, STOP, ALLOW, DENY, ADD_SELECTION, COMMIT_MESSAGE;

    /** On the event dispatch thread. Does nothing where there is nothing to do. */
    fun run(project: Project) {
        if (this == ADD_SELECTION || this == COMMIT_MESSAGE) return show(project) { it.run(this) }
        val window = ToolWindowManager.getInstance(project).getToolWindow("Siderail") ?: return
        (window.contentManager.selectedContent?.component as? ChatPanel)?.run(this)
    }

    companion object {
        /** Shows the chat in front, or the first one, and does something in it. */
        internal fun show(project: Project, act: (ChatPanel) -> Unit) {
            val window = ToolWindowManager.getInstance(project).getToolWindow("Siderail") ?: return
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

package dev.siderail.toolwindow

import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindowManager

/** What a person can do in the chat that is in front, by a key of the IDE's keymap. */
enum class ChatCommand {
    NEW_CHAT, STOP, ALLOW, DENY;

    /** On the event dispatch thread. Does nothing where there is nothing to do. */
    fun run(project: Project) {
        val window = ToolWindowManager.getInstance(project).getToolWindow("Siderail") ?: return
        (window.contentManager.selectedContent?.component as? ChatPanel)?.run(this)
    }
}

package dev.siderail.toolwindow

import com.intellij.notification.NotificationAction
import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindow
import dev.siderail.bridge.Event
import dev.siderail.settings.KnownAgents
import dev.siderail.settings.Texts

/**
 * Tells the person what must not wait until they look: a question while the window is hidden, something that ran
 * unasked, an agent's death. A balloon, never a dialog; pressing it shows the window without taking the focus.
 */
internal class Notices(private val project: Project, private val toolWindow: ToolWindow) {
    private val unguarded = HashSet<Long>()

    fun of(events: List<Event>, agent: (Long) -> String) = events.forEach { event ->
        val title = KnownAgents.title(agent(event.session))
        when (event.name) {
            "PERMISSION_REQUEST", "PLAN_PROPOSED" -> if (event.body.flag("asks")) asks(title)
            "UNGUARDED" -> if (unguarded.add(event.session)) {
                tell(Texts["notice.unguarded"], event.body.text("text"), NotificationType.WARNING)
            }
            "ERROR" -> if (!toolWindow.isVisible) {
                val kind = Texts.find("error.${event.body.text("kind")}") ?: Texts["error.other"]
                tell("$title: $kind", event.body.text("text").firstLine(), NotificationType.ERROR)
            }
        }
    }

    fun asks(agent: String) {
        if (!toolWindow.isVisible) tell(Texts["notification.asks", agent], "", NotificationType.INFORMATION)
    }

    private fun tell(title: String, text: String, type: NotificationType) {
        val group = NotificationGroupManager.getInstance().getNotificationGroup(GROUP)
        val notification = group.createNotification(MarkdownHtml.escape(text), type).setTitle(MarkdownHtml.escape(title))
        notification.addAction(
            NotificationAction.createSimple(Texts["notification.show"]) {
                notification.expire()
                toolWindow.show(null)
            },
        )
        notification.notify(project)
    }

    private companion object {
        const val GROUP = "Siderail"
    }
}

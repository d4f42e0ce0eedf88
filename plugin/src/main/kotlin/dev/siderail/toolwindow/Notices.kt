package dev.siderail.toolwindow

import com.intellij.notification.NotificationAction
import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindow
import dev.siderail.bridge.Event
import dev.siderail.settings.Texts

/** Shows what [NoticeModel] finds: a balloon, never a dialog; pressing it shows the window without taking the focus. */
internal class Notices(private val project: Project, private val toolWindow: ToolWindow) {
    private val model = NoticeModel { toolWindow.isVisible }

    fun of(events: List<Event>, agent: (Long) -> String) = model.of(events, agent).forEach(::tell)

    fun asks(agent: String) {
        model.asks(agent)?.let(::tell)
    }

    /** Something that the person asked for has failed. */
    fun failed(title: String, text: String) = tell(Notice(title, text, Tone.BAD))

    private fun tell(notice: Notice) {
        val type = when (notice.tone) {
            Tone.BAD -> NotificationType.ERROR
            Tone.WARNING -> NotificationType.WARNING
            Tone.INFO, Tone.GOOD -> NotificationType.INFORMATION
        }
        val group = NotificationGroupManager.getInstance().getNotificationGroup(GROUP)
        val notification = group.createNotification(MarkdownHtml.escape(notice.text), type).setTitle(MarkdownHtml.escape(notice.title))
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

package dev.siderail.toolwindow

import com.intellij.notification.NotificationAction
import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindow
import com.intellij.ui.SystemNotifications
import dev.siderail.bridge.Event
import dev.siderail.ui.Html
import dev.siderail.ui.Look
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone
import dev.siderail.ui.smooth
import java.awt.Component
import java.awt.Graphics
import java.awt.Graphics2D
import javax.swing.Icon

/** Shows what [NoticeModel] finds: a balloon, never a dialog; pressing it shows the window without taking the focus. */
internal class Notices(private val project: Project, private val toolWindow: ToolWindow) {
    private val model = NoticeModel { toolWindow.isVisible && ApplicationManager.getApplication().isActive }

    private var isMarked = false

    /** The window's icon without a dot. */
    private var plain: Icon? = null

    fun of(events: List<Event>, agent: (Long) -> String) = model.of(events, agent).forEach(::tell)

    fun asks(agent: String) {
        model.asks(agent)?.let(::tell)
    }

    /** A dot on the window's icon while somebody waits for an answer. */
    fun attention(isWanted: Boolean) {
        if (isWanted == isMarked) return
        val icon = plain ?: toolWindow.icon?.also { plain = it } ?: return
        isMarked = isWanted
        toolWindow.setIcon(if (isWanted) DottedIcon(icon) else icon)
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
        val notification = group.createNotification(Html.escape(notice.text), type).setTitle(Html.escape(notice.title))
        notification.addAction(
            NotificationAction.createSimple(Texts["notification.show"]) {
                notification.expire()
                toolWindow.show(null)
            },
        )
        notification.notify(project)
        // The system shows it where the IDE's own balloon is not seen.
        if (!ApplicationManager.getApplication().isActive) SystemNotifications.getInstance().notify(GROUP, notice.title, notice.text.firstLine())
    }

    private companion object {
        const val GROUP = "Siderail"
    }
}

/** An icon with a dot at its upper right corner. */
internal class DottedIcon(private val icon: Icon) : Icon {
    override fun getIconWidth() = icon.iconWidth

    override fun getIconHeight() = icon.iconHeight

    override fun paintIcon(component: Component?, graphics: Graphics, x: Int, y: Int) {
        icon.paintIcon(component, graphics, x, y)
        val g = graphics.create() as Graphics2D
        smooth(g)
        val side = iconWidth * 2 / 5
        g.color = Look.warning
        g.fillOval(x + iconWidth - side, y, side, side)
        g.dispose()
    }
}

package dev.siderail.toolwindow

import com.intellij.ide.plugins.PluginUtil
import com.intellij.notification.Notification
import com.intellij.notification.NotificationAction
import com.intellij.notification.NotificationDisplayType
import com.intellij.notification.NotificationGroup
import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.notification.Notifications
import com.intellij.notification.NotificationsManager
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.DataContext
import com.intellij.openapi.actionSystem.Presentation
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.ui.SystemNotifications
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.headless.HeadlessPlatform
import dev.siderail.headless.NamedActions
import dev.siderail.headless.StandIns
import dev.siderail.ui.Texts
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** What the IDE and the system are given to show; how they show it is theirs. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NoticesTest {
    private val platform = HeadlessPlatform.instance
    private val window = WindowFixture()
    private val notices = Notices(platform.project, window.asToolWindow)
    private val shown = ArrayList<Notification>()
    private val bySystem = ArrayList<String>()
    private val connection = Disposer.newDisposable("notices")

    init {
        register(PluginUtil::class.java, StandIns.quiet(PluginUtil::class.java))
        val group = NotificationGroup("Siderail", NotificationDisplayType.BALLOON)
        register(NotificationGroupManager::class.java, StandIns.quiet(NotificationGroupManager::class.java, mapOf("getNotificationGroup" to group)))
        register(NotificationsManager::class.java, Nobody)
        register(SystemNotifications::class.java, object : SystemNotifications() {
            override fun notify(name: String, title: String, text: String) {
                bySystem += "$name: $title: $text"
            }
        })
        platform.project.messageBus.connect(connection).subscribe(Notifications.TOPIC, object : Notifications {
            override fun notify(notification: Notification) {
                shown += notification
            }
        })
    }

    private fun <T : Any> register(type: Class<T>, service: T) {
        platform.application.picoContainer.unregisterComponent(type.name)
        platform.application.registerService(type, service)
    }

    @AfterEach
    fun close() {
        platform.application.isInFront = true
        Disposer.dispose(connection)
        window.closeProject()
    }

    /** What [work] has shown; the system can show something in the meantime. */
    private fun told(work: () -> Unit) {
        platform.application.hasScreen = true
        try {
            onEventThread(work)
        } finally {
            platform.application.hasScreen = false
        }
    }

    @Test
    fun `what failed is an error with its text as plain text, and its action shows the window`() {
        told { notices.failed("No <terminal>", "<b>bash</b> ended") }
        val notice = shown.single()
        assertEquals(NotificationType.ERROR, notice.type)
        assertEquals("No &lt;terminal&gt;" to "&lt;b&gt;bash&lt;/b&gt; ended", notice.title to notice.content)
        assertTrue(bySystem.isEmpty(), "the balloon is seen")
        val action = notice.actions.single() as NotificationAction
        assertEquals(Texts["notification.show"], action.templatePresentation.text)
        val event = AnActionEvent(null, DataContext { null }, "notice", Presentation(), NamedActions(emptyMap()), 0)
        val before = window.shown
        onEventThread { action.actionPerformed(event, notice) }
        assertEquals(before + 1, window.shown)
        assertTrue(notice.isExpired)
    }

    @Test
    fun `the system tells of a question where the person is in another program`() {
        told { notices.asks("Claude Code") }
        assertTrue(shown.isEmpty(), "the person sees the question")
        platform.application.isInFront = false
        told { notices.asks("Claude Code") }
        assertEquals(NotificationType.INFORMATION, shown.single().type)
        assertEquals(listOf("Siderail: ${Texts["notification.asks", "Claude Code"]}: "), bySystem)
    }

    @Test
    fun `a window whose icon comes later has its dot then`() {
        val icon = window.icon
        window.icon = null
        notices.attention(true)
        window.icon = icon
        notices.attention(true)
        assertTrue(window.icon is DottedIcon)
        notices.attention(false)
        assertEquals(icon, window.icon)
    }

    private object Nobody : NotificationsManager() {
        override fun expire(notification: Notification) = Unit

        @Suppress("UNCHECKED_CAST")
        override fun <T : Notification> getNotificationsOfType(type: Class<T>, project: Project?): Array<T> =
            java.lang.reflect.Array.newInstance(type, 0) as Array<T>
    }
}

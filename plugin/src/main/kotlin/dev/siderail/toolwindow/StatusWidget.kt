package dev.siderail.toolwindow

import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.StatusBar
import com.intellij.openapi.wm.StatusBarWidget
import com.intellij.openapi.wm.StatusBarWidgetFactory
import com.intellij.openapi.wm.WindowManager
import com.intellij.util.Consumer
import dev.siderail.ui.Texts
import java.awt.event.MouseEvent

/** What the chats of a project are at, in a word: a project service. Lives on the event dispatch thread. */
internal class ChatStatus internal constructor(private val changed: () -> Unit) {
    @Suppress("unused")
    constructor(project: Project) : this({ WindowManager.getInstance().getStatusBar(project)?.updateWidget(StatusWidget.ID) })

    var text: String = Texts["status.idle"]
        private set

    /** So many chats wait for an answer, and so many work. */
    fun show(asking: Int, working: Int) {
        val now = when {
            asking > 0 -> Texts["status.asks"]
            working > 0 -> Texts["status.working"]
            else -> Texts["status.idle"]
        }
        if (now == text) return
        text = now
        changed()
    }
}

/** The word in the status bar; pressing it shows the chat. */
internal class StatusWidget(private val project: Project) : StatusBarWidget, StatusBarWidget.TextPresentation {
    override fun ID() = ID

    override fun install(statusBar: StatusBar) = Unit

    override fun getPresentation(): StatusBarWidget.WidgetPresentation = this

    override fun getText(): String = project.getService(ChatStatus::class.java).text

    override fun getAlignment() = 0f

    override fun getTooltipText(): String = Texts["status.hint"]

    override fun getClickConsumer(): Consumer<MouseEvent> = Consumer { ChatCommand.show(project) {} }

    override fun dispose() = Unit

    companion object {
        const val ID = "dev.siderail.status"
    }
}

/** Offers the word; a person can switch it off in the status bar's menu. */
internal class StatusWidgetFactory : StatusBarWidgetFactory {
    override fun getId() = StatusWidget.ID

    override fun getDisplayName() = "Siderail"

    override fun isAvailable(project: Project) = true

    /** With the first project's window all menus of the IDE are there. */
    override fun createWidget(project: Project): StatusBarWidget = StatusWidget(project).also { FixMenus.joinOnce() }

    override fun disposeWidget(widget: StatusBarWidget) = widget.dispose()

    override fun canBeEnabledOn(statusBar: StatusBar) = true
}

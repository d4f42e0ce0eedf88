package dev.siderail.toolwindow

import com.intellij.icons.AllIcons
import com.intellij.ide.util.PropertiesComponent
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.editor.colors.EditorColorsManager
import com.intellij.openapi.project.DumbAware
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.wm.ToolWindow
import com.intellij.openapi.wm.ToolWindowFactory
import com.intellij.ui.content.Content
import com.intellij.ui.content.ContentFactory
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.PromptOrigin
import dev.siderail.document.HistoryLabels
import dev.siderail.engine.AgentSessions
import dev.siderail.engine.QuestionDesk
import dev.siderail.settings.KnownAgents
import dev.siderail.settings.SettingsModel
import dev.siderail.settings.SiderailSettings
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Texts
import java.util.concurrent.TimeUnit
import javax.swing.JComponent

/** Puts chats and the Debug tab into the tool window. No agent is started before the first prompt. */
class SiderailToolWindowFactory : ToolWindowFactory, DumbAware {
    override fun createToolWindowContent(project: Project, toolWindow: ToolWindow) {
        Mark.icons = IdeIcons
        EditorViews.views = IdeEditorViews
        Popups.opener = IdePopups
        FixMenus.joinOnce()
        Look.monoFamily = EditorColorsManager.getInstance().globalScheme.editorFontName
        val tabs = ToolWindowTabs(project, toolWindow)
        Disposer.register(toolWindow.contentManager, tabs)
        tabs.open()
    }
}

/** The tabs of one project's tool window, and the way of events into them. Lives on the event dispatch thread. */
internal class ToolWindowTabs(private val project: Project, private val toolWindow: ToolWindow) : Disposable {
    private val sessions = project.getService(AgentSessions::class.java)
    private val desk = project.getService(QuestionDesk::class.java)
    private val notices = Notices(project, toolWindow)
    private val status = project.getService(ChatStatus::class.java)
    private val actions = IdeChatActions(project, failed = notices::failed)
    private val history = HistoryPanel(HistoryModel(sessions::listHistory, sessions::exportHistory), actions) { newChat(it) }
    private val debug = if (SiderailSettings.getInstance().state.showDebug) DebugPanel(DebugModel(), actions) else null
    private val machine = AgentsModel(agents()) { SiderailSettings.getInstance().state.agents[it]?.command?.isNotBlank() == true }
    private val chats = ArrayList<ChatPanel>()
    private val feed = EventFeed(schedule = ::later, deliver = ::deliver)
    private val listening = ArrayList<AutoCloseable>()
    private val drafts = Drafts()
    private var numbers = 0
    private var lastQuestion = 0L

    fun open() {
        newChat()
        val past = add(history, Texts["toolwindow.history"], history.firstFocus, isCloseable = false)
        toolWindow.setTitleActions(
            listOf(
                TitleAction(Texts["chat.new"], AllIcons.General.Add) { newChat() },
                TitleAction(Texts["toolwindow.history"], AllIcons.Vcs.History) { toolWindow.contentManager.setSelectedContent(past) },
                TitleAction(Texts["toolwindow.settings"], AllIcons.General.Settings, actions::openSettings),
            ),
        )
        debug?.let { add(it, Texts["toolwindow.debug"], it.firstFocus, isCloseable = false) }
        listening += sessions.listen(feed::offer)
        listening += sessions.watchState { state -> soon { chats.forEach { it.show(state) } } }
        sessions.listHistory()
        sessions.listAgents()
        listening += desk.watch { open ->
            soon {
                chats.forEach { it.show(open) }
                open.filter { it.id > lastQuestion }.forEach { notices.asks(KnownAgents.title(agentOf(it.question.session))) }
                attention()
                lastQuestion = maxOf(lastQuestion, open.maxOfOrNull { it.id } ?: 0)
            }
        }
    }

    internal fun newChat(past: PastConversation? = null) {
        numbers++
        val state = SiderailSettings.getInstance()
        val chat = ChatModel(sessions, { agent, mode -> SettingsModel.session(state.state, agent, mode) }, past?.agent ?: state.state.agent)
        chat.engine = sessions.state
        if (numbers == 1) chat.draft = PropertiesComponent.getInstance(project).getValue(DRAFT, "")
        val panel = ChatPanel(chat, actions, ToolTexts(project.basePath.orEmpty()), agents(), listOf(Choice(null, Texts["composer.mode.default"]))) { newChat() }
        chats += panel
        val name = if (numbers == 1) Texts["toolwindow.chat"] else Texts["toolwindow.chat.numbered", numbers]
        val content = add(panel, name, panel.firstFocus, isCloseable = numbers > 1)
        panel.typed = ::keepDrafts
        var title = name
        fun label() {
            content.displayName = if (panel.asks) Texts["toolwindow.asks", title] else title
        }
        panel.answered = {
            label()
            attention()
        }
        panel.goOn = { newChat(it) }
        panel.recent(history.recent)
        panel.lookForAgents = sessions::listAgents
        if (numbers > 1) sessions.listAgents()
        content.setDisposer { close(panel) }
        panel.titled = {
            title = it.firstLine(TITLE).ifEmpty { name }
            label()
        }
        past?.let(chat::goOn)
        panel.refresh()
        if (numbers > 1) toolWindow.contentManager.setSelectedContent(content)
    }

    private fun agents(): List<Choice> = KnownAgents.all.map { Choice(it.id, it.title) }

    /** [firstFocus] has the focus when the person goes to the window. */
    private fun add(panel: JComponent, name: String, firstFocus: JComponent, isCloseable: Boolean): Content {
        val factory = ApplicationManager.getApplication().getService(ContentFactory::class.java)
        val content = factory.createContent(panel, name, false)
        content.isCloseable = isCloseable
        content.setPreferredFocusableComponent(firstFocus)
        toolWindow.contentManager.addContent(content)
        return content
    }

    private fun close(panel: ChatPanel) {
        chats -= panel
        drafts.closed(panel.chat.unsent)
        keepDrafts()
        panel.chat.close()
        attention()
    }

    /** At every change: the IDE saves its settings before it closes this window. */
    private fun keepDrafts() {
        PropertiesComponent.getInstance(project).setValue(DRAFT, drafts.kept(chats.map { it.chat.unsent }))
    }

    private fun deliver(events: List<Event>) {
        events.filter { it.known == EventName.TURN_STARTED && it.body.text("origin") == PromptOrigin.USER.word }
            .forEach { HistoryLabels.put(project, Texts["back.label", it.body.text("text").firstLine(LABEL)]) }
        debug?.apply(events)
        events.filter(HistoryModel::isConcerned).forEach(history::apply)
        val isOther = events.count { machine.apply(it, ::agentOf) } > 0
        chats.forEach { it.apply(events) }
        chats.forEach { it.recent(history.recent) }
        if (isOther) machine.all?.let { all -> chats.forEach { it.agents(all) } }
        notices.of(events, ::agentOf)
        attention()
    }

    /** Says outside of the window, too, that somebody is asked or at work. */
    private fun attention() {
        notices.attention(chats.any { it.asks })
        status.show(asking = chats.count { it.asks }, working = chats.count { it.chat.isBusy })
    }

    private fun agentOf(session: Long): String = chats.find { it.chat.session == session }?.chat?.agent.orEmpty()

    /** Many events a second are one change of the screen. */
    private fun later(task: Runnable) {
        AppExecutorUtil.getAppScheduledExecutorService().schedule({ soon(task::run) }, PAUSE_MS, TimeUnit.MILLISECONDS)
    }

    /** Also while a dialog is open: the window shows what happens, it changes nothing of the project's. */
    private fun soon(task: () -> Unit) =
        ApplicationManager.getApplication().invokeLater({ if (!project.isDisposed) task() }, ModalityState.any())

    override fun dispose() {
        actions.dispose()
        listening.forEach { it.close() }
        feed.close()
    }

    private companion object {
        const val DRAFT = "dev.siderail.draft"
        const val PAUSE_MS = 40L

        /** Characters of a conversation's title in its tab. */
        const val TITLE = 28

        /** Characters of a prompt in a label of Local History. */
        const val LABEL = 60
    }
}

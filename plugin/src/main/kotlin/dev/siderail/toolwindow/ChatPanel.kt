package dev.siderail.toolwindow

import com.intellij.ui.components.JBLabel
import dev.siderail.bridge.Event
import dev.siderail.bridge.Policy
import dev.siderail.engine.Attachment
import dev.siderail.engine.EngineState
import dev.siderail.engine.OpenQuestion
import dev.siderail.engine.PermissionAnswer
import dev.siderail.ui.Badge
import dev.siderail.ui.Column
import dev.siderail.ui.EdgeBorder
import dev.siderail.ui.Flow
import dev.siderail.ui.Flowing
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.MarkButton
import dev.siderail.ui.PlainScroll
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.named
import dev.siderail.ui.onKey
import java.awt.BorderLayout
import java.awt.Color
import java.awt.Dimension
import java.awt.Insets
import java.awt.event.InputEvent
import java.awt.event.KeyEvent
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.KeyStroke
import javax.swing.Timer

/**
 * A chat on the screen: the conversation, what waits for the person, what waits for the agent, and the field. Thin: it
 * asks [chat] and the models in it, and passes on what was pressed. It never takes the focus.
 */
internal class ChatPanel(
    val chat: ChatModel,
    private val actions: ChatActions,
    private val texts: ToolTexts,
    agents: List<Choice>,
    modes: List<Choice>,
    private val newChat: (() -> Unit)?,
) : JPanel(BorderLayout()) {
    /** One that is known by its name only can be resumed, too. */
    private val agents = if (agents.any { it.id == chat.agent }) agents else agents + Choice(chat.agent, chat.agent)
    private val questions = QuestionModel()
    private val usage = UsageRow()

    /** Hears that what is typed and not sent has changed. */
    var typed: () -> Unit = {}

    /** Has the focus when the person opens the chat. */
    val firstFocus: JComponent get() = composer.input

    /** Hears what the agent calls the conversation. */
    var titled: (String) -> Unit = {}
    private var shownTitle = ""
    private var shownUnsent = chat.unsent
    private val status = StatusLine(newChat)

    /** Hears that questions were answered here. */
    var answered: () -> Unit = {}

    /** Opens a kept conversation. */
    var goOn: (PastConversation) -> Unit = {}

    /** Asks which agents are installed by now. */
    var lookForAgents: () -> Unit = {}
    private var onMachine: List<AgentOnMachine> = emptyList()
    private val empty = EmptyChat({ begin(it) }, { goOn(it) }, AgentList(actions, agentActions()))
    internal val review = Review(chat, actions) { reviewed() }
    internal val conversation = ConversationPanel(chat.conversation, ItemViews(texts, actions, chat, ::restart, review), empty)
    private val cards = Column(gap = 6)
    private val cardScroll = PlainScroll(cards)
    private val waiting = WaitingPrompts(chat, { refresh() }) { composer.takeBack(it) }
    private val composer: Composer = Composer(chat, this.agents, modes, actions, { typed() }) { refresh() }
    private var shownCards: List<Any> = emptyList()

    init {
        add(status, BorderLayout.NORTH)
        add(conversation, BorderLayout.CENTER)
        add(
            Column(gap = 6, padding = Insets(6, 10, 10, 10)).apply {
                add(Bounded())
                add(waiting)
                add(composer.list)
                add(composer)
                add(usage)
            },
            BorderLayout.SOUTH,
        )
        bindKeys()
        refresh()
    }

    override fun getBackground(): Color = Look.background

    /** Shows a draft that was made elsewhere. */
    fun takeDraft() {
        composer.takeDraft()
        refresh()
    }

    /** Takes a batch of events; the screen is brought up to date once. */
    fun apply(events: List<Event>) {
        val draft = chat.draft
        events.forEach(chat::apply)
        review.follow()
        if (chat.draft != draft) composer.takeDraft()
        refresh()
    }

    fun show(open: List<OpenQuestion>) {
        if (questions.show(open.filter { it.question.session == chat.session || it.question.session == 0L })) refresh()
    }

    fun show(state: EngineState) {
        chat.engine = state
        refresh()
    }

    /** True while the person is asked something. */
    val asks: Boolean get() = shownCards.any { it !is EngineState }

    fun refresh() {
        conversation.refresh()
        refreshCards()
        status.refresh()
        waiting.refresh()
        composer.refresh()
        empty.agents(onMachine)
        usage.show(chat.usage)
        if (chat.unsent != shownUnsent) {
            shownUnsent = chat.unsent
            typed()
        }
        if (chat.title != shownTitle) {
            shownTitle = chat.title
            titled(shownTitle)
        }
    }

    /** Does what a key asks for; a question is answered as by its own buttons. */
    fun run(command: ChatCommand) {
        when (command) {
            ChatCommand.NEW_CHAT -> newChat?.invoke()
            ChatCommand.STOP -> {
                chat.stop()
                refresh()
            }
            ChatCommand.ALLOW -> firstCard()?.allow()
            ChatCommand.DENY -> firstCard()?.deny()
            ChatCommand.COMMIT_MESSAGE -> write(Texts["commit.prompt"])
            ChatCommand.ADD_SELECTION -> addSelection()
            ChatCommand.ASK_SELECTION -> {
                write(Texts["ask.selection"])
                addSelection()
            }
        }
    }

    private fun addSelection() = actions.findContext("") { all -> composer.take(all.first { it.label == Texts["context.selection"] }) }

    /** Shows what was talked about last, while nothing is said here. */
    fun recent(conversations: List<PastConversation>) = empty.recent(conversations)

    /** Shows which agents there are, while nothing is said here. */
    fun agents(all: List<AgentOnMachine>) {
        onMachine = all
        empty.agents(all)
    }

    private fun agentActions() = object : AgentListActions {
        override val chosen get() = chat.agent

        override fun use(agent: String) {
            chat.choose(agent, null)
            refresh()
        }

        override fun logIn(agent: String) {
            chat.choose(agent, null)
            chat.open()
            refresh()
        }

        override fun lookAgain() = lookForAgents()
    }

    private fun begin(text: String) {
        chat.draft = text
        composer.takeDraft()
        composer.takeFocus()
    }

    /** Puts a text into the field, ahead of what is being typed there, and something beside it; the person sends it. */
    fun write(text: String, attachment: Attachment? = null) {
        attachment?.let(chat.attachments::add)
        composer.takeBack(text)
        refresh()
        composer.takeFocus()
    }

    private fun reviewed() {
        composer.takeDraft()
        refresh()
    }

    private fun restart() {
        chat.restart()
        refresh()
    }

    private fun agentTitle() = agents.find { it.id == chat.agent }?.title ?: chat.agent

    /** Cards stay as they are while they are open, so that a reason that is being typed is not disturbed. */
    private fun refreshCards() {
        val wanted: List<Any> = listOfNotNull(chat.engine.takeIf(EngineCard::isNeeded), chat.login) + chat.permissions.open + questions.open
        if (wanted == shownCards) return
        val known = shownCards.zip(cards.components.filter { it !is AnswerAll }).toMap()
        cards.removeAll()
        if (chat.permissions.open.count { !it.isPlan } > 1) cards.add(answerAll())
        for (one in wanted) cards.add(known[one] ?: card(one))
        shownCards = wanted
        answered()
        revalidate()
        repaint()
    }

    /** The card that waits above all others; what is shown of the engine asks nothing. */
    private fun firstCard(): AskingCard? = cards.components.firstNotNullOfOrNull { it as? AskingCard }

    private class AnswerAll : Flow(gap = 14)

    /** A yes to all is offered only where none of them does what cannot be undone. */
    private fun answerAll() = AnswerAll().apply {
        val all = chat.permissions.open.filter { !it.isPlan }
        val yes = all.mapNotNull { ask -> ask.choices.firstOrNull { it.kind == ChoiceKind.ALLOW_ONCE && !it.contradicts }?.let { ask to it.answer } }
        if (yes.size == all.size && all.none { it.isIrrevocable }) add(LinkButton(Texts["permission.all.allow", all.size]) { answer(yes) })
        add(LinkButton(Texts["permission.all.deny", all.size]) { answer(all.map { it to it.deny() }) })
    }

    private fun answer(answers: List<Pair<PermissionAsk, PermissionAnswer>>) {
        answers.forEach { (ask, answer) -> chat.answer(ask, answer) }
        refresh()
    }

    private fun card(one: Any): JComponent = when {
        one is EngineState -> EngineCard(one)
        one is LoginAsk -> LoginCard(one, agentTitle(), loginActions)
        one !is PermissionAsk -> QuestionCard(one as QuestionDraft, agentTitle(), actions)
        one.isPlan -> PlanCard(one, agentTitle(), actions) { answer(one, it) }
        else -> PermissionCard(one, agentTitle(), texts, actions) { answer(one, it) }
    }

    private val loginActions = object : LoginActions {
        override fun take(method: LoginMethod) {
            chat.logIn(method)
            refresh()
        }

        override fun keep(method: LoginMethod, values: Map<String, String>) {
            actions.keepSecrets(chat.agent, values)
            chat.logIn(method, values)
            refresh()
        }

        override fun again() {
            chat.startAgain()
            refresh()
        }

        override fun copy(text: String) = actions.copy(text)

        override val runInTerminal get() = if (actions.hasTerminal) actions::runInTerminal else null
    }

    private fun answer(ask: PermissionAsk, answer: PermissionAnswer) {
        chat.answer(ask, answer)
        refresh()
    }

    /** Keys that work anywhere in the chat: to the waiting card, and back to the field. */
    private fun bindKeys() {
        bind(KeyEvent.VK_P, "to-card") { firstCard()?.takeFocus() }
        bind(KeyEvent.VK_I, "to-field") { composer.takeFocus() }
    }

    private fun bind(key: Int, name: String, act: () -> Unit) =
        onKey(KeyStroke.getKeyStroke(key, InputEvent.ALT_DOWN_MASK), name, WHEN_ANCESTOR_OF_FOCUSED_COMPONENT, act)

    /** The cards, at most a good half of the window high. */
    private inner class Bounded : JPanel(BorderLayout()), Flowing {
        init {
            isOpaque = false
            add(cardScroll)
        }

        override fun isVisible() = cards.componentCount > 0

        override fun heightFor(width: Int): Int {
            val whole = this@ChatPanel.height
            val bound = if (whole > 0) (whole * 0.62).toInt() else Int.MAX_VALUE
            return cards.heightFor(width).coerceAtMost(bound)
        }

        override fun getPreferredSize() = Dimension(cards.preferredSize.width, heightFor(if (width > 0) width else Look.px(400)))
    }

    /** A state, and what to show of it if there is no room for all. */
    private class StateLine : Line("", { Look.font }, { Look.muted }) {
        private var brief = ""

        fun show(whole: String, brief: String) {
            this.brief = brief
            text = whole
            shortening()
        }

        override fun getText(): String? {
            val whole = super.getText() ?: return null
            return if (width in 1 until getFontMetrics(font).stringWidth(whole)) brief.ifEmpty { whole } else whole
        }
    }

    /** Agent, policy and state; the switch to a new chat. */
    private inner class StatusLine(newChat: (() -> Unit)?) : JPanel(BorderLayout()) {
        private val mark = JBLabel()
        private val name = Line("", { Look.bold })
        private val state = StateLine()
        private val unguarded = Badge(Texts["policy.unguarded"]) { Look.bad }
        private val policies = Policy.entries.map { it.word }.map { Choice(it, Texts["policy.$it"], Texts["policy.$it.hint"]) }
        private val policy = Picker(policies, shown(), Texts["policy.name"], ink = { if (chat.shownPolicy == Policy.YOLO.word) Look.bad else Look.accent }) {
            Policy.of(it.id.orEmpty())?.let(chat::choosePolicy)
            this@ChatPanel.refresh()
        }

        /** A word that is not known here is shown as it is. */
        private fun shown(): Choice? = chat.shownPolicy?.let { word -> policies.find { it.id == word } ?: Choice(word, word) }

        init {
            isOpaque = false
            border = EdgeBorder(bottom = true)
            val left = beside(mark, beside(name, state, gap = 6), gap = 6)
            left.border = javax.swing.BorderFactory.createEmptyBorder(Look.px(6), Look.px(12), Look.px(6), Look.px(8))
            val right = Flow(gap = 6)
            right.border = javax.swing.BorderFactory.createEmptyBorder(Look.px(4), 0, Look.px(4), Look.px(8))
            right.add(unguarded)
            right.add(policy)
            newChat?.let { action ->
                val button = MarkButton({ Mark.Kind.PLUS }, { false }, action)
                button.named(Texts["chat.new"])
                button.toolTipText = Texts["chat.new"]
                right.add(button)
            }
            add(left, BorderLayout.CENTER)
            add(right, BorderLayout.EAST)
        }

        /** While a turn runs, its seconds are counted and its mark turns. */
        private val ticks = Timer(TICK_MS) { if (isShowing) refresh() }

        override fun addNotify() {
            super.addNotify()
            refresh()
        }

        override fun removeNotify() {
            ticks.stop()
            super.removeNotify()
        }

        /** What the plan's rows say, too: the step that is in progress, or how many are done. */
        private fun progress(progress: Progress) =
            progress.current?.let { Texts["state.working.step", it, progress.all] } ?: Texts["plan.progress", progress.done, progress.all]

        private fun seconds(): String {
            val seconds = chat.workingSeconds ?: 0
            return if (!Spans.isLong(seconds) || asks) "" else " " + Spans.of(seconds)
        }

        fun refresh() {
            name.text = agentTitle()
            val engine = chat.engine
            val progress = chat.conversation.progress
            val took = chat.turnSeconds ?: 0
            val word = when {
                engine is EngineState.Failed -> Texts["state.failed"]
                engine == EngineState.Untrusted -> Texts["state.untrusted"]
                asks -> Texts["state.asks", shownCards.size]
                chat.isSwitching -> Texts["state.switching"]
                chat.phase == ChatPhase.WORKING && progress != null -> progress(progress)
                chat.phase == ChatPhase.READY && Spans.isLong(took) -> Texts["state.ready.after", Spans.of(took)]
                else -> Texts["state.${chat.phase.name.lowercase()}"]
            }
            val seconds = seconds()
            state.show(word + seconds, if (progress == null) seconds.trim() else word)
            if (chat.phase == ChatPhase.WORKING && isDisplayable) ticks.start() else ticks.stop()
            mark.icon = Mark(if (chat.isBusy) Mark.Kind.RUNNING else Mark.Kind.DOT, 12) { tone(engine) }
            unguarded.isVisible = chat.isUnguarded
            val shown = shown()
            policy.isVisible = shown != null && !chat.isUnguarded
            policy.offer(policies, shown)
            getAccessibleContext().accessibleName = listOf(name.text, word + seconds, if (chat.isUnguarded) unguarded.text else policy.text).joinToString(", ")
        }

        private fun tone(engine: EngineState): Color = when {
            engine is EngineState.Failed -> Look.bad
            engine == EngineState.Untrusted -> Look.warning
            asks -> Look.warning
            chat.isBusy -> Look.accent
            chat.phase == ChatPhase.READY -> Look.good
            else -> Look.muted
        }
    }

    private companion object {
        const val TICK_MS = 100
    }
}

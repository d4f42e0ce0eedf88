package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.LoginKind
import dev.siderail.bridge.PlanChannel
import dev.siderail.bridge.Policy
import dev.siderail.engine.AgentSessions
import dev.siderail.engine.EngineState
import dev.siderail.engine.PermissionAnswer
import dev.siderail.engine.SessionOptions

/** Where a chat is. */
enum class ChatPhase { IDLE, STARTING, READY, WORKING, STOPPING, ENDED }

/**
 * One chat: a conversation, what waits for the person, and the prompts that wait for the agent. No Swing; owned
 * by one thread, on which every function is called.
 *
 * What the person typed is never lost: it is the [draft] until it is sent, then in [queue] until the agent takes it. A
 * stop or the agent's death holds the queue back ([isHeld]) until the person continues.
 */
class ChatModel(
    private val sessions: AgentSessions,
    private val options: (agent: String, mode: String?) -> SessionOptions,
    agent: String,
    val conversation: ConversationModel = ConversationModel(),
) {
    val permissions = PermissionModel(conversation)
    val commands = SlashCommands()

    /** What goes along with the draft. */
    val attachments = Attachments()
    private val waiting = PromptQueue()

    /** A plan that ended its turn waits for the person's answer. */
    private var awaitsAnswer = false

    var phase: ChatPhase = ChatPhase.IDLE
        private set
    var session: Long = 0
        private set

    /** When the running prompt was sent, by the clock of this process; null while none runs. */
    private var workingSince: Long? = null

    /** How long the agent is at the running prompt, by the same clock. */
    val workingSeconds: Int? get() = workingSince?.let(conversation.clock::secondsSince)

    /** How long the last prompt took, by the engine's clock; null while one runs, and before the first. */
    var turnSeconds: Int? = null
        private set
    private var turnBegan: Double? = null
    var engine: EngineState = EngineState.Starting
    var isHeld: Boolean = false
        private set
    var draft: String = ""

    /** The next prompt wants a plan first. */
    var wantsPlan: Boolean = false

    /** The agent of the next session; changing it ends the present one with the next prompt. */
    var agent: String = agent
        private set
    var mode: String? = null
        private set

    /** What can be set in the running session; empty if its agent has nothing, or has not reported it yet. */
    var settings: SessionSettings = SessionSettings()
        private set
    val modes: List<Choice> get() = settings.modes

    /** What the conversation takes and costs; null until the agent has reported it. */
    var usage: Usage? = null
        private set

    /** What the agent calls the conversation; blank where it has not said. */
    var title: String = ""
        private set

    /** The login that the agent waits for. */
    var login: LoginAsk? = null
        private set

    /** The kept conversation that is to be resumed, until an agent is at it. */
    private var resume: String? = null

    /** The session's agent knows something of the conversation. */
    private var isKnowing = false

    /** What a former session's agent knew is lost to the next one. */
    private var isForgotten = false

    /** False once the agent has refused a text for its running turn. */
    private var takesSteering = true

    /** What the running session said of itself; a later engine may have other policies. */
    var version: String? = null
        private set
    var policy: String? = null
        private set

    /** What the person has chosen for this chat in place of the settings' policy. */
    private var chosenPolicy: Policy? = null

    /** The policy of this chat: what was chosen for it, what the running session said, or what the settings say. */
    val shownPolicy: String? get() = chosenPolicy?.word.takeIf { isSwitching || policy == null } ?: policy ?: options(agent, mode).policy?.word
    var isUnguarded: Boolean = false
        private set
    val queue: List<WaitingPrompt> get() = waiting.all

    /** True while a text that waits may be given to the running turn. */
    val canSteer: Boolean get() = phase == ChatPhase.WORKING && takesSteering && permissions.open.none { it.isPlan }

    /** True while changes can be reverted: a running turn may still write. */
    val canRevert: Boolean get() = !isBusy

    /** True while a turn runs or is about to. */
    val isBusy: Boolean get() = phase == ChatPhase.STARTING || phase == ChatPhase.WORKING || phase == ChatPhase.STOPPING

    /** True when the next prompt starts a new session although one is running. */
    var isSwitching: Boolean = false
        private set

    private var switchesPolicyOnly = false

    /** Everything typed that no agent has taken. */
    val unsent: String get() = (queue.map { it.text } + draft).filter { it.isNotBlank() }.joinToString("\n\n")

    /** Takes a prompt that names [images]; false when there is nothing in it, or the agent would not get all of it. */
    fun send(text: String, images: List<String> = emptyList()): Boolean {
        if (text.isBlank() && attachments.all.isEmpty() || isReturned(images)) return false
        waiting.add(text, wantsPlan, attachments.take(), images)
        draft = ""
        wantsPlan = false
        isHeld = false
        proceed()
        return true
    }

    /** Takes a text and gives it to the running turn, where there is one that takes it; else it is a prompt like others. */
    fun sendNow(text: String, images: List<String> = emptyList()): Boolean {
        if (!send(text, images)) return false
        steer(queue.lastIndex)
        return true
    }

    /** Takes a waiting prompt back, to be edited. */
    fun takeBack(index: Int): String? {
        val back = waiting.takeBack(index) ?: return null
        wantsPlan = wantsPlan || back.plan
        attachments.putBack(back.attachments)
        return back.text
    }

    /** Gives a waiting prompt to the running turn. Where it is not taken, it waits on. */
    fun steer(index: Int) {
        if (!canSteer) return
        waiting.steering(index)?.let { sessions.steer(session, it.text) }
    }

    /** Has the engine revert the change of a file of the last prompt. */
    fun revert(path: String) {
        if (phase == ChatPhase.READY && conversation.reverting(path)) sessions.revert(session, path)
    }

    /** The files are as before [prompt], which can be changed and sent again as it was: with its attachments, for a plan first. */
    fun wentBack(prompt: PromptItem, files: Int, refused: List<String>) {
        val kept = prompt.attachments
        conversation.wentBack(files, refused, lost = prompt.attached - kept.map { it.name }.toSet())
        val present = attachments.all.map { it.name }
        attachments.putBack(kept.filter { it.name !in present })
        wantsPlan = wantsPlan || prompt.plan
        draft = listOf(prompt.text, draft).filter { it.isNotBlank() }.joinToString("\n\n")
    }

    fun setOption(option: String, value: String) {
        val known = settings.options.find { it.id == option } ?: return
        if (known.current != value) sessions.setOption(session, option, value)
    }

    /** Sends what was held back after a stop. */
    fun release() {
        isHeld = false
        proceed()
    }

    fun stop() {
        if (phase == ChatPhase.WORKING) {
            phase = ChatPhase.STOPPING
            isHeld = !waiting.isEmpty
            permissions.clear()
            sessions.cancel(session)
        } else if (phase == ChatPhase.STARTING || phase == ChatPhase.STOPPING) {
            isHeld = !waiting.isEmpty
            sessions.end(session)
        }
    }

    /** Starts the agent again after it died; held prompts follow. */
    fun restart() {
        if (isBusy) return
        endSession()
        isHeld = false
        start()
    }

    /** Starts the agent ahead of the first prompt, as for a login. */
    fun open() {
        if (phase == ChatPhase.IDLE || phase == ChatPhase.ENDED) start() else if (phase == ChatPhase.READY && isSwitching) restart()
    }

    /** Resumes a kept conversation; its past is shown when the agent is there. */
    fun goOn(conversation: PastConversation) {
        if (phase != ChatPhase.IDLE) return
        title = conversation.title
        resume = conversation.id
        start()
    }

    /** Takes a way to log in, with what was entered for it. What the login was wanted for is tried again by the engine. */
    fun logIn(method: LoginMethod, values: Map<String, String> = emptyMap()) {
        val asked = login?.takeIf { it.taken == null } ?: return
        // Where the agent starts anew there is nothing left to wait for here.
        val byAgent = method.kind == LoginKind.AGENT
        login = if (byAgent) LoginAsk(asked.methods, method) else null
        sessions.login(session, method.id, values, byAgent)
    }

    /** Has the agent started again, as after a login elsewhere. It continues the conversation. */
    fun startAgain() {
        if (login == null) return
        login = null
        sessions.login(session, null)
    }

    fun choose(agent: String, mode: String?) {
        if (agent == this.agent && mode == this.mode) return
        if (agent == this.agent && mode != null && modes.any { it.id == mode }) {
            this.mode = mode
            return sessions.setMode(session, mode)
        }
        if (agent != this.agent) forgetAgent()
        this.agent = agent
        this.mode = mode
        switchesPolicyOnly = false
        isSwitching = phase != ChatPhase.IDLE && phase != ChatPhase.ENDED
    }

    /** Another policy for this chat. A running one takes it with the next prompt, and its conversation continues. */
    fun choosePolicy(policy: Policy) {
        if (policy.word == shownPolicy) return
        chosenPolicy = policy
        val isRunning = phase != ChatPhase.IDLE && phase != ChatPhase.ENDED
        val isOtherwise = isSwitching && !switchesPolicyOnly
        isSwitching = isRunning && (isOtherwise || policy.word != this.policy)
        switchesPolicyOnly = isSwitching && !isOtherwise
        if (!isRunning) this.policy = null
    }

    fun answer(ask: PermissionAsk, answer: PermissionAnswer) {
        if (permissions.answered(ask.requestId)) sessions.answerPermission(session, ask.requestId, answer)
    }

    /** Ends the session for good, as when the chat is closed. */
    fun close() = endSession()

    private fun proceed() {
        if (isHeld || waiting.isEmpty) return
        when (phase) {
            ChatPhase.IDLE, ChatPhase.ENDED -> start()
            ChatPhase.READY -> if (!isSwitching) promptNext() else if (switchesPolicyOnly) startAnew() else restart()
            else -> Unit
        }
    }

    private fun start() {
        starting()
        session = sessions.start(chosenOptions().let { it.copy(resume = resume ?: it.resume) })
    }

    /** The same session in a new process of its agent. */
    private fun startAnew() {
        starting()
        sessions.restart(session, chosenOptions())
    }

    private fun chosenOptions() = options(agent, mode).let { it.copy(policy = chosenPolicy ?: it.policy) }

    private fun starting() {
        isSwitching = false
        isUnguarded = false
        version = null
        policy = null
        switchesPolicyOnly = false
        phase = ChatPhase.STARTING
    }

    private fun promptNext() {
        val next = waiting.next() ?: return
        if (attachments.isRefused(next.attachments, next.images)) return returned(next)
        phase = ChatPhase.WORKING
        workingSince = conversation.clock.nanos()
        turnSeconds = null
        conversation.prompt(next.text, next.attachments, next.plan)
        sessions.prompt(session, next.text, next.plan, next.attachments)
    }

    /** True where the agent would not get all that is attached; the reason is shown then. */
    private fun isReturned(images: List<String>): Boolean =
        attachments.isRefused(attachments.all, images).also { if (it) attachments.putBack(attachments.take(), images) }

    /** The agent would not get all of it: back to the person, who knows why then. */
    private fun returned(prompt: WaitingPrompt) {
        draft = listOf(prompt.text, draft).filter { it.isNotBlank() }.joinToString("\n\n")
        wantsPlan = wantsPlan || prompt.plan
        attachments.putBack(prompt.attachments, prompt.images)
        isHeld = !waiting.isEmpty
    }

    private fun endSession() {
        if (session != 0L && phase != ChatPhase.ENDED) sessions.end(session)
        over()
        permissions.clear()
    }

    private fun over() {
        isForgotten = isForgotten || isKnowing
        isKnowing = false
        conversation.sessionEnded()
        waiting.sessionEnded()
        session = 0
        workingSince = null
        turnSeconds = null
        turnBegan = null
        phase = ChatPhase.ENDED
        login = null
        forgetAgent()
    }

    /** What was known of the agent that is no longer there. */
    private fun forgetAgent() {
        settings = SessionSettings()
        commands.forget()
        attachments.takesImages = null
        takesSteering = true
    }

    /** Takes an event; those of other sessions are not for this chat. */
    fun apply(event: Event) {
        if (event.session != session || session == 0L) return
        conversation.apply(event)
        permissions.apply(event)
        if (event.known in GOES_ON) login = null
        if (event.known in WORKS) isKnowing = true
        when (event.known) {
            EventName.SESSION_STARTED -> started(event)
            EventName.LOGIN_NEEDED -> login = LoginAsk.of(event.body)
            EventName.USAGE -> usage = Usage.of(event.body, usage)
            EventName.SESSION_TITLE -> title = event.body.text("title").firstLine()
            EventName.TURN_STARTED -> {
                if (phase != ChatPhase.STOPPING) phase = ChatPhase.WORKING
                turnBegan = turnBegan ?: event.t
            }
            EventName.TURN_ENDED -> if (!event.body.flag("continues")) {
                workingSince = null
                turnSeconds = turnBegan?.let { (event.t - it).toInt() }
                turnBegan = null
                phase = ChatPhase.READY
                proceed()
            }
            EventName.PLAN_PROPOSED -> awaitsAnswer = event.body.text("channel") == PlanChannel.TURN.word
            EventName.PLAN_APPROVED -> awaitsAnswer = false
            EventName.PLAN_REJECTED -> if (awaitsAnswer && !event.body.flag("continues")) {
                awaitsAnswer = false
                phase = ChatPhase.READY
                proceed()
            }
            EventName.UNGUARDED -> isUnguarded = true
            EventName.SESSION_OPTIONS -> {
                settings = SessionSettings.of(event.body)
                if (!isSwitching) mode = settings.mode ?: mode
            }
            EventName.AGENT_COMMANDS -> commands.told(event.body)
            EventName.STEERED -> steered(event.body.text("text"), event.body.flag("taken"))
            EventName.SUMMARY -> {
                over()
                isHeld = !waiting.isEmpty
            }
            else -> Unit
        }
    }

    private fun steered(text: String, taken: Boolean) {
        waiting.steered(text, taken)
        if (!taken && phase == ChatPhase.WORKING) takesSteering = false
        proceed()
    }

    private fun started(event: Event) {
        if (isForgotten && resume == null) conversation.startsAnew()
        isForgotten = false
        isKnowing = isKnowing || resume != null
        resume = null
        version = event.body.textOrNull("version")
        policy = event.body.textOrNull("policy")
        attachments.takesImages = event.body.flag("images")
        if (phase == ChatPhase.STARTING) phase = ChatPhase.READY
        proceed()
    }

    private companion object {
        /** What an agent does of which its model knows. */
        val WORKS = setOf(EventName.AGENT_MESSAGE, EventName.AGENT_THOUGHT, EventName.TOOL_CALL, EventName.TURN_ENDED)

        /** What an agent does only when nothing keeps it from working. */
        val GOES_ON = WORKS + setOf(EventName.SESSION_STARTED, EventName.TURN_STARTED)
    }
}

package dev.siderail.toolwindow

import dev.siderail.bridge.Event
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
 * What the person typed is never lost: it is the [draft] until it is sent, then in [queue] until the agent
 * takes it. A stop or the agent's death holds the queue back ([isHeld]) until the person goes on.
 */
class ChatModel(
    private val sessions: AgentSessions,
    private val options: (agent: String, mode: String?) -> SessionOptions,
    agent: String,
) {
    val conversation = ConversationModel()
    val permissions = PermissionModel { conversation.toolOf(it) }
    private val waiting = ArrayDeque<Waiting>()

    private class Waiting(val text: String, val plan: Boolean)

    /** A plan that ended its turn waits for the person's answer. */
    private var awaitsAnswer = false

    var phase: ChatPhase = ChatPhase.IDLE
        private set
    var session: Long = 0
        private set
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

    /** The modes of the running session's agent; empty where it has none, or has not told them yet. */
    var modes: List<Choice> = emptyList()
        private set

    /** What the running session said of itself. */
    var version: String? = null
        private set
    var policy: String? = null
        private set
    var isUnguarded: Boolean = false
        private set
    val queue: List<String> get() = waiting.map { it.text }

    /** True while a turn runs or is about to. */
    val isBusy: Boolean get() = phase == ChatPhase.STARTING || phase == ChatPhase.WORKING || phase == ChatPhase.STOPPING

    /** True when the next prompt starts a new session although one is running. */
    var isSwitching: Boolean = false
        private set

    /** Everything typed that no agent has taken. */
    val unsent: String get() = (queue + draft).filter { it.isNotBlank() }.joinToString("\n\n")

    /** Takes a prompt; false when there is nothing in it. */
    fun send(text: String): Boolean {
        if (text.isBlank()) return false
        waiting.addLast(Waiting(text, wantsPlan))
        draft = ""
        wantsPlan = false
        isHeld = false
        proceed()
        return true
    }

    /** Takes a waiting prompt back, to be edited. */
    fun takeBack(index: Int): String? {
        val back = if (index in waiting.indices) waiting.removeAt(index) else return null
        wantsPlan = wantsPlan || back.plan
        return back.text
    }

    /** Sends what was held back after a stop. */
    fun release() {
        isHeld = false
        proceed()
    }

    fun stop() {
        if (phase == ChatPhase.WORKING) {
            phase = ChatPhase.STOPPING
            isHeld = waiting.isNotEmpty()
            permissions.clear()
            sessions.cancel(session)
        } else if (phase == ChatPhase.STARTING || phase == ChatPhase.STOPPING) {
            isHeld = waiting.isNotEmpty()
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

    fun choose(agent: String, mode: String?) {
        if (agent == this.agent && mode == this.mode) return
        if (agent == this.agent && mode != null && modes.any { it.id == mode }) {
            this.mode = mode
            return sessions.setMode(session, mode)
        }
        if (agent != this.agent) modes = emptyList()
        this.agent = agent
        this.mode = mode
        isSwitching = phase != ChatPhase.IDLE && phase != ChatPhase.ENDED
    }

    fun answer(ask: PermissionAsk, answer: PermissionAnswer) {
        if (permissions.answered(ask.requestId)) sessions.answerPermission(session, ask.requestId, answer)
    }

    /** Ends the session for good, as when the chat is closed. */
    fun close() = endSession()

    private fun proceed() {
        if (isHeld || waiting.isEmpty()) return
        when (phase) {
            ChatPhase.IDLE, ChatPhase.ENDED -> start()
            ChatPhase.READY -> if (isSwitching) restart() else promptNext()
            else -> Unit
        }
    }

    private fun start() {
        isSwitching = false
        isUnguarded = false
        version = null
        phase = ChatPhase.STARTING
        session = sessions.start(options(agent, mode))
    }

    private fun promptNext() {
        val next = waiting.removeFirst()
        phase = ChatPhase.WORKING
        conversation.prompt(next.text)
        sessions.prompt(session, next.text, next.plan)
    }

    private fun endSession() {
        if (session != 0L && phase != ChatPhase.ENDED) sessions.end(session)
        conversation.sessionEnded()
        permissions.clear()
        session = 0
        phase = ChatPhase.ENDED
    }

    /** Takes an event; those of other sessions are not for this chat. */
    fun apply(event: Event) {
        if (event.session != session || session == 0L) return
        conversation.apply(event)
        permissions.apply(event)
        when (event.name) {
            "SESSION_STARTED" -> started(event)
            "TURN_STARTED" -> if (phase != ChatPhase.STOPPING) phase = ChatPhase.WORKING
            "TURN_ENDED" -> if (!event.body.flag("continues")) {
                phase = ChatPhase.READY
                proceed()
            }
            "PLAN_PROPOSED" -> awaitsAnswer = event.body.text("channel") == "turn"
            "PLAN_APPROVED" -> awaitsAnswer = false
            "PLAN_REJECTED" -> if (awaitsAnswer && !event.body.flag("continues")) {
                awaitsAnswer = false
                phase = ChatPhase.READY
                proceed()
            }
            "UNGUARDED" -> isUnguarded = true
            "SESSION_OPTIONS" -> {
                modes = event.body.objects("modes").map { Choice(it.text("value"), it.text("name").ifBlank { it.text("value") }.firstLine(60)) }
                if (!isSwitching) mode = event.body.textOrNull("mode") ?: mode
            }
            "SUMMARY" -> {
                conversation.sessionEnded()
                phase = ChatPhase.ENDED
                session = 0
                modes = emptyList()
                isHeld = waiting.isNotEmpty()
            }
        }
    }

    private fun started(event: Event) {
        version = event.body.textOrNull("version")
        policy = event.body.textOrNull("policy")
        if (phase == ChatPhase.STARTING) phase = ChatPhase.READY
        proceed()
    }
}

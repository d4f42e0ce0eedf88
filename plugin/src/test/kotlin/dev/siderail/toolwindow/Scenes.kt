package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.bridge.Policy
import dev.siderail.bridge.QuestionKind
import dev.siderail.engine.Question
import dev.siderail.engine.QuestionDesk
import dev.siderail.engine.SessionOptions
import dev.siderail.screens.FakeActions
import dev.siderail.screens.FakeSessions
import dev.siderail.screens.Painter
import dev.siderail.screens.Recordings
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicLong
import javax.swing.JComponent

/** The panels with real events in them, as pictures and tests of the layout need them. */
internal object Scenes {
    val agents = listOf(
        Choice("claude", "Claude Code"), Choice("copilot", "GitHub Copilot"), Choice("codex", "Codex"), Choice("gemini", "Gemini CLI"),
    )

    /** What the engine says of them. */
    val agentsFound = """"agents":[
        {"agent":"claude","title":"Claude Code","program":"/bin/claude","install":"npm install -g @agentclientprotocol/claude-agent-acp"},
        {"agent":"codex","title":"Codex","problem":"no program","install":"npm install -g @agentclientprotocol/codex-acp"},
        {"agent":"copilot","title":"GitHub Copilot","problem":"no","install":"npm install -g @github/copilot"},
        {"agent":"gemini","title":"Gemini CLI","problem":"no program","install":"npm install -g @google/gemini-cli"},
        {"agent":"own","title":"Own","program":"/bin/own","install":""}]"""
    val modes = listOf(Choice(null, "Default mode"), Choice("plan", "Plan"))

    class Scene(val panel: ChatPanel, val chat: ChatModel, val actions: FakeActions, val calls: List<String>, private val time: AtomicLong) {
        /** Lets time pass, which stands still otherwise. */
        fun pass(seconds: Long) {
            time.addAndGet(TimeUnit.SECONDS.toNanos(seconds))
            chat.conversation.items.forEach { (panel.conversation.viewOf(it) as? ItemView)?.refresh() }
            panel.refresh()
        }
    }

    fun scene(agent: String = "claude"): Scene {
        val actions = FakeActions()
        val sessions = FakeSessions()
        val time = AtomicLong()
        val known = conversation(clock = Stopwatch(time::get))
        val chat = ChatModel(sessions, { name, mode -> SessionOptions(name, mode = mode, policy = Policy.REDIRECT) }, agent, known)
        val panel = ChatPanel(chat, actions, ToolTexts(Recordings.PROJECT), agents, modes) {}
        return Scene(panel, chat, actions, sessions.calls, time)
    }

    private fun running(recording: String, agent: String, until: (Event) -> Boolean = { false }): Scene {
        val scene = scene(agent)
        val events = Recordings.events(recording).flatMap(::withProgress)
        scene.chat.send(events.first { it.name == "TURN_STARTED" }.body.text("text"))
        val end = events.indexOfFirst(until).let { if (it < 0) events.size else it + 1 }
        scene.panel.apply(events.take(end))
        return scene
    }

    /** The recorded agent never says how far it is with its plan; the pictures' one does. */
    private fun withProgress(event: Event): List<Event> = when {
        event.name == "PLAN" -> listOf(plan(done = 0))
        event.name == "OWN_TOOL" && event.body.text("status") == "completed" -> when (event.body.text("tool")) {
            "intellij_read_file" -> listOf(event, plan(done = 1))
            "intellij_write_file" -> listOf(event, plan(done = 2))
            else -> listOf(event)
        }
        else -> listOf(event)
    }

    private fun plan(done: Int): Event {
        val entries = listOf("Find where the delay is set", "Make the delay a parameter", "Run the tests").mapIndexed { at, step ->
            val status = if (at < done) "completed" else if (at == done) "in_progress" else "pending"
            """{"text":"$step","status":"$status","priority":"medium"}"""
        }
        return Recordings.event(899, "PLAN", """"entries":$entries""")
    }

    fun empty(): JComponent = scene().panel

    fun chat(): JComponent = running("asks-claude", "claude") { it.name == "PERMISSION_REQUEST" && it.body.text("text").startsWith("npm") }
        .also { scene ->
            val ask = scene.chat.permissions.open.single()
            scene.chat.answer(ask, ask.choices[0].answer)
            scene.panel.apply(
                listOf(
                    Recordings.event(900, "PERMISSION_APPROVED", """"request_id":${ask.requestId},"tool":"Bash","kind":"execute","by":"user""""),
                ),
            )
            scene.chat.send("Then add a test for a delay of zero.")
            scene.panel.refresh()
        }.panel

    /** A denied call and the edit that took its place, unfolded. */
    fun denial(): JComponent = running("asks-claude", "claude") { it.name == "OWN_TOOL" && it.body.text("tool") == "intellij_write_file" && it.body.text("status") == "completed" }
        .also { scene ->
            val conversation = scene.panel.conversation
            scene.chat.conversation.items.filterIsInstance<ToolItem>().takeLast(2).forEach { (conversation.viewOf(it) as ToolView).unfold() }
        }.panel

    fun permission(): JComponent = running("asks-claude", "claude") { it.body.text("text") == "rm -rf build" && it.body.flag("asks") }.panel

    fun edit(): JComponent = scene("copilot").also { scene ->
        scene.chat.send("Make the retry delay configurable")
        scene.panel.apply(
            listOf(
                Recordings.events("asks-copilot").first(),
                Recordings.event(
                    2, "TOOL_CALL",
                    """"tool_call_id":"c1","tool":"edit","kind":"edit","status":"pending","title":"Edit","paths":["${Recordings.PROJECT}/.github/workflows/build.yml"],"own":false,
                    "diffs":[{"path":"${Recordings.PROJECT}/.github/workflows/build.yml","old_text":"    steps:\n      - uses: actions/checkout@v4\n      - run: ./gradlew test\n","new_text":"    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-java@v4\n        with: { java-version: 21 }\n      - run: ./gradlew check\n"}]""",
                ),
                Recordings.event(
                    3, "PERMISSION_REQUEST",
                    """"request_id":4,"tool_call_id":"c1","tool":"edit","kind":"edit","text":"Edit the build workflow","paths":[".github/workflows/build.yml"],"channel":"acp",
                    "options":[{"id":"a","name":"Allow once","kind":"allow_once"},{"id":"r","name":"Deny","kind":"reject_once"}],"may_be_remembered":false,"asks":true""",
                ),
            ),
        )
    }.panel

    fun questions(vararg kinds: QuestionKind): JComponent = running("asks-claude", "claude") { it.name == "OWN_TOOL" }.also { scene ->
        val desk = QuestionDesk()
        for (kind in kinds) desk.ask(question(kind)) {}
        scene.panel.show(desk.open)
    }.panel

    fun question(kind: QuestionKind) = when (kind) {
        QuestionKind.CHOICE -> Question(
            1, kind, "The delay is read in three places. Where should its default live?",
            listOf("In Backoff, as a constant", "In application.yml, with 500 ms as fallback", "As an argument without a default"), "In Backoff, as a constant",
        )
        QuestionKind.CONFIRMATION -> Question(1, kind, "BackoffTest is flaky on this machine. May I mark it as slow?")
        QuestionKind.CLARIFICATION -> Question(1, kind, "Should a delay of zero mean “no pause”, or is it an error?", required = false)
        QuestionKind.INPUT -> Question(1, kind, "What is the longest delay that makes sense, in milliseconds?", default = "30000")
        QuestionKind.FILE_SELECTION -> Question(1, kind, "Which file documents the retry settings?", required = false)
    }

    fun notices(): JComponent = running("asks-claude", "claude") { it.name == "OWN_TOOL" }.also { scene ->
        scene.panel.apply(
            listOf(
                Recordings.event(
                    950, "UNGUARDED",
                    """"text":"Bash ran `sed -i s/500/0/ src/Backoff.java` without asking and without the hook seeing it. Check that the hook is registered: siderail doctor claude."""",
                ),
                Recordings.event(
                    951, "ERROR",
                    """"kind":"closed","text":"the agent ended unexpectedly (killed by signal 6)\nthe agent's last words on stderr:\nFATAL ERROR: Reached heap limit Allocation failed\n - JavaScript heap out of memory\n----- Native stack trace -----\n 1: 0xb8d0a3 node::OOMErrorHandler(char const*, v8::OOMDetails const&)"""",
                ),
                Recordings.events("asks-claude").last(),
            ),
        )
    }.panel

    fun debug(): DebugPanel = DebugPanel(DebugModel(), FakeActions()).also { it.apply(Recordings.events("asks-claude")) }

    /** With the first guidance selected, as it would be on the screen. */
    fun debugDetails(width: Int, height: Int): JComponent = debug().also { panel ->
        Painter.lay(panel, width, height)
        panel.select(panel.rows.indexOfFirst { it.name == "PRE_REJECTION_GUIDANCE" })
    }
}

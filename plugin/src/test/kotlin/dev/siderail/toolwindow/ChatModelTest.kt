package dev.siderail.toolwindow

import dev.siderail.bridge.Policy
import dev.siderail.bridge.PromptWay
import dev.siderail.engine.PermissionAnswer
import dev.siderail.engine.SessionOptions
import dev.siderail.screens.FakeSessions
import dev.siderail.screens.Recordings
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class ChatModelTest {
    private val sessions = FakeSessions()
    private val chat = ChatModel(sessions, { agent, mode -> SessionOptions(agent, mode = mode) }, "copilot", conversation())
    private var seq = 0L

    private fun event(name: String, members: String = "", session: Long = chat.session) = chat.apply(Recordings.event(++seq, name, members, session))

    private fun started() = event("SESSION_STARTED", """"agent":"copilot","version":"1.0","agent_session":"s","policy":"redirect","mode":null""")

    private fun turnEnded(reason: String = "end_turn", continues: Boolean = false) = event("TURN_ENDED", """"stop_reason":"$reason","continues":$continues""")

    @Test
    fun `an agent is started by the first prompt, which is sent when it is there`() {
        assertTrue(sessions.calls.isEmpty())
        chat.send("hello")
        assertEquals(listOf("start 1 copilot"), sessions.calls)
        started()
        assertEquals("prompt 1 hello", sessions.calls.last())
        assertEquals(ChatPhase.WORKING, chat.phase)
    }

    @Test
    fun `prompts queue while the agent works and go out one by one, a continuation being the same turn`() {
        chat.send("one")
        started()
        chat.send("two")
        chat.send("three")
        turnEnded(continues = true)
        assertEquals(listOf("two", "three"), chat.queue.map { it.text })
        turnEnded()
        assertEquals("prompt 1 two", sessions.calls.last())
        turnEnded()
        assertEquals("prompt 1 three", sessions.calls.last())
        assertTrue(chat.queue.isEmpty())
    }

    @Test
    fun `the agent's own modes are offered once it has told them, and one is taken without a new session`() {
        chat.send("one")
        started()
        assertTrue(chat.modes.isEmpty())
        event("SESSION_OPTIONS", """"mode":"default","modes":[{"value":"default","name":"Default"},{"value":"plan","name":""}],"options":[]""")
        assertEquals(listOf(Choice("default", "Default"), Choice("plan", "plan")), chat.modes)
        assertEquals("default", chat.mode)
        chat.choose("copilot", "plan")
        assertEquals("mode 1 plan", sessions.calls.last())
        assertFalse(chat.isSwitching)
        event("SESSION_OPTIONS", """"mode":"default","modes":[{"value":"default","name":"Default"}],"options":[]""")
        assertEquals("default", chat.mode, "the agent has the last word")
        chat.choose("claude", null)
        assertTrue(chat.isSwitching && chat.modes.isEmpty())
    }

    private fun proposed() = event("PLAN_PROPOSED", """"request_id":3,"text":"1. x","entries":[],"channel":"turn","asks":true""")

    @Test
    fun `a plan is wanted for one prompt, and a plan that is turned down leaves the agent free for the next`() {
        chat.wantsPlan = true
        chat.send("one")
        assertFalse(chat.wantsPlan)
        chat.send("two")
        started()
        assertEquals("plan 1 one", sessions.calls.last())
        turnEnded(continues = true)
        proposed()
        assertEquals("plan", chat.permissions.open.single().kind)
        event("PLAN_REJECTED", """"request_id":3,"by":"user","text":"y","continues":true""")
        assertEquals(ChatPhase.WORKING, chat.phase, "another plan is made")
        proposed()
        event("PLAN_REJECTED", """"request_id":3,"by":"user","text":"","continues":false""")
        assertEquals("prompt 1 two", sessions.calls.last())
    }

    @Test
    fun `a prompt that is taken back still wants its plan`() {
        chat.wantsPlan = true
        chat.send("one")
        assertEquals("one", chat.takeBack(0))
        assertTrue(chat.wantsPlan)
    }

    @Test
    fun `a stop holds the queue back until the person goes on`() {
        chat.send("one")
        started()
        chat.send("two")
        chat.stop()
        assertEquals("cancel 1", sessions.calls.last())
        turnEnded("cancelled")
        assertTrue(chat.isHeld)
        assertEquals(listOf("two"), chat.queue.map { it.text })
        chat.release()
        assertEquals("prompt 1 two", sessions.calls.last())
    }

    @Test
    fun `a queued prompt can be taken back and edited`() {
        chat.send("one")
        started()
        chat.send("two")
        assertEquals("two", chat.takeBack(0))
        turnEnded()
        assertEquals(ChatPhase.READY, chat.phase)
    }

    @Test
    fun `what waits outlives the agent's death and follows when it is started again`() {
        chat.send("one")
        event("ERROR", """"kind":"closed","text":"the agent ended unexpectedly"""")
        event("SUMMARY", """"stop_reason":"error"""")
        assertEquals(listOf("one"), chat.queue.map { it.text })
        assertTrue(chat.isHeld)
        chat.restart()
        assertEquals("start 2 copilot", sessions.calls.last())
        started()
        assertEquals("prompt 2 one", sessions.calls.last())
    }

    @Test
    fun `a second stop ends an agent that does not answer the first`() {
        chat.send("one")
        started()
        chat.stop()
        chat.stop()
        assertEquals("end 1", sessions.calls.last())
    }

    @Test
    fun `another agent is a new session, started by the next prompt`() {
        chat.send("one")
        started()
        turnEnded()
        chat.choose("claude", null)
        assertTrue(chat.isSwitching)
        chat.send("two")
        assertEquals(listOf("end 1", "start 2 claude"), sessions.calls.takeLast(2))
        event("SUMMARY", session = 1)
        started()
        assertEquals("prompt 2 two", sessions.calls.last())
    }

    @Test
    fun `events of another chat's session are not shown here`() {
        chat.send("one")
        event("AGENT_MESSAGE", """"text":"not yours"""", session = 7)
        assertTrue(chat.conversation.items.isEmpty())
    }

    @Test
    fun `an answer goes to the request once`() {
        chat.send("one")
        started()
        event("PERMISSION_REQUEST", """"request_id":3,"tool":"Bash","kind":"execute","text":"make","options":[],"asks":true""")
        val ask = chat.permissions.open.single()
        chat.answer(ask, PermissionAnswer.Allow)
        chat.answer(ask, PermissionAnswer.Always)
        assertEquals(1, sessions.calls.count { it.startsWith("answer") })
    }

    @Test
    fun `the prompt stands in the conversation once although the engine repeats it`() {
        chat.send("one")
        started()
        event("TURN_STARTED", """"origin":"user","text":"one"""")
        assertEquals(1, chat.conversation.items.size)
    }

    @Test
    fun `a text for the running turn leaves the queue when the model reads it, and is not sent again`() {
        chat.send("one")
        started()
        chat.send("two")
        chat.send("three")
        chat.steer(0)
        assertEquals("steer 1 two", sessions.calls.last())
        chat.steer(0)
        assertEquals(1, sessions.calls.count { it.startsWith("steer") }, "given once")
        event("STEERED", """"text":"two","taken":true""")
        assertEquals(listOf("three"), chat.queue.map { it.text })
        turnEnded()
        assertEquals("prompt 1 three", sessions.calls.last())
        val said = chat.conversation.items.filterIsInstance<PromptItem>().map { it.text to it.way }
        assertEquals(listOf("one" to PromptWay.USER, "two" to PromptWay.STEERED, "three" to PromptWay.USER), said)
    }

    @Test
    fun `a text that the running turn does not take is the next prompt, and no other is offered to it`() {
        chat.send("one")
        started()
        assertTrue(chat.canSteer)
        chat.sendNow("two")
        assertEquals("steer 1 two", sessions.calls.last())
        event("STEERED", """"text":"two","taken":false""")
        assertFalse(chat.canSteer)
        assertEquals(listOf(WaitingState.NEXT), chat.queue.map { it.state })
        turnEnded()
        assertEquals("prompt 1 two", sessions.calls.last())
    }

    @Test
    fun `a text whose fate is unknown is neither sent twice nor lost`() {
        chat.send("one")
        started()
        chat.sendNow("two")
        turnEnded()
        assertEquals(ChatPhase.READY, chat.phase, "the turn may have read it")
        assertEquals("steer 1 two", sessions.calls.last())
        event("STEERED", """"text":"two","taken":false""")
        assertEquals("prompt 1 two", sessions.calls.last())
        chat.sendNow("three")
        event("ERROR", """"kind":"closed","text":"the agent ended unexpectedly"""")
        event("SUMMARY", """"stop_reason":"error"""")
        assertEquals(listOf("three" to WaitingState.NEXT), chat.queue.map { it.text to it.state })
        assertTrue(chat.isHeld)
        assertEquals("three", chat.unsent)
    }

    @Test
    fun `without a turn a text for it is an ordinary prompt`() {
        chat.send("one")
        started()
        turnEnded()
        chat.sendNow("two")
        assertEquals("prompt 1 two", sessions.calls.last())
    }

    private fun changes(vararg paths: String) = event("CHANGES", """"files":[${paths.joinToString { """{"path":"$it","kind":"changed","old_text":"1","new_text":"2"}""" }}]""")

    @Test
    fun `a file is taken back when the agent is done, once, and what came of it is known`() {
        chat.send("one")
        started()
        changes("a", "b", "c")
        chat.revert("a")
        assertFalse(sessions.calls.any { it.startsWith("revert") }, "a running turn may still write")
        turnEnded()
        chat.revert("a")
        chat.revert("a")
        assertEquals(listOf("revert 1 a"), sessions.calls.filter { it.startsWith("revert") })
        event("REVERTED", """"path":"a","done":true""")
        listOf("b", "c").forEach(chat::revert)
        assertEquals(listOf("revert 1 b", "revert 1 c"), sessions.calls.takeLast(2))
        event("REVERTED", """"path":"b","done":false,"text":"it has changed since"""")
        val files = chat.conversation.revertible!!.files
        assertEquals(listOf(RevertState.REVERTED, RevertState.REFUSED, RevertState.REVERTING), files.map { it.state })
        assertEquals("it has changed since", files[1].refusal)
    }

    @Test
    fun `another policy is for this chat alone, and a running one takes it with the next prompt`() {
        chat.choosePolicy(Policy.ASK)
        assertEquals("ask", chat.shownPolicy)
        chat.send("one")
        assertEquals(Policy.ASK, sessions.policies.last())
        event("SESSION_STARTED", """"agent":"claude","policy":"ask"""")
        turnEnded()
        chat.choosePolicy(Policy.YOLO)
        assertEquals("yolo" to true, chat.shownPolicy to chat.isSwitching)
        assertEquals("ask", chat.policy, "what runs is as it was")
        chat.choosePolicy(Policy.ASK)
        assertEquals(false, chat.isSwitching, "nothing is lost by looking")
        chat.choosePolicy(Policy.YOLO)
        chat.send("two")
        assertEquals(listOf(Policy.ASK, Policy.YOLO), sessions.policies)
        event("SESSION_STARTED", """"agent":"claude","policy":"redirect"""")
        assertEquals("redirect", chat.shownPolicy, "a project's file has the last word")
        assertEquals(listOf("start 1 copilot", "prompt 1 one", "restart 1 copilot", "prompt 1 two"), sessions.calls)
    }

    @Test
    fun `another policy keeps the conversation, its queue and what was said, and nothing is shown twice`() {
        chat.send("one")
        started()
        event("TURN_STARTED", """"origin":"user","text":"one"""")
        event("AGENT_MESSAGE", """"text":"done"""")
        turnEnded()
        chat.choosePolicy(Policy.ASK)
        chat.send("two")
        chat.send("three")
        assertEquals(ChatPhase.STARTING, chat.phase)
        val before = chat.conversation.items.size
        started()
        event("RESUMED", """"id":"c","by":"load","entries":2,"omitted":0""")
        assertEquals("prompt 1 two", sessions.calls.last())
        assertEquals(before + 1, chat.conversation.items.size, "the prompt alone is new")
        turnEnded()
        assertEquals("prompt 1 three", sessions.calls.last())
        assertFalse(sessions.calls.any { it.startsWith("end") })
    }

    @Test
    fun `an agent that cannot go on after another policy is said to know nothing`() {
        chat.send("one")
        started()
        turnEnded()
        chat.choosePolicy(Policy.ASK)
        chat.send("two")
        started()
        event("RESUMED", """"id":"c","by":"history","entries":2,"omitted":0""")
        assertTrue(chat.conversation.items.filterIsInstance<DividerItem>().single().text.contains("does not remember"))
    }

    @Test
    fun `another agent together with another policy is a new session`() {
        chat.send("one")
        started()
        turnEnded()
        chat.choosePolicy(Policy.ASK)
        chat.choose("claude", null)
        chat.send("two")
        assertEquals(listOf("end 1", "start 2 claude"), sessions.calls.takeLast(2))
        assertEquals(Policy.ASK, sessions.policies.last())
    }

    @Test
    fun `a prompt's time is known at its end, with all of its turns, until the next one begins`() {
        chat.send("one")
        started()
        event("TURN_STARTED", """"origin":"user","text":"one"""")
        seq += 100
        turnEnded(continues = true)
        event("TURN_STARTED", """"origin":"continuation","text":"go on"""")
        assertEquals(null, chat.turnSeconds)
        seq += 550
        turnEnded()
        assertEquals(65, chat.turnSeconds)
        assertEquals("1 min 5 s", Spans.of(65))
        chat.send("two")
        assertEquals(null, chat.turnSeconds)
        event("TURN_STARTED", """"origin":"user","text":"two"""")
        turnEnded()
        assertEquals(0, chat.turnSeconds)
    }

    @Test
    fun `what an older prompt changed cannot be taken back any more`() {
        chat.send("one")
        started()
        changes("a")
        turnEnded()
        chat.send("two")
        turnEnded()
        chat.revert("a")
        assertFalse(sessions.calls.any { it.startsWith("revert") })
        assertFalse(chat.conversation.items.filterIsInstance<ChangesItem>().single().canRevert)
    }

    @Test
    fun `options are set once, the agent's answer says what is in force, and they go with their agent`() {
        chat.send("one")
        started()
        val options = """"modes":[],"options":[{"id":"model","name":"Model","category":"model","kind":"select","current":"a","choices":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]"""
        event("SESSION_OPTIONS", options)
        chat.setOption("model", "a")
        chat.setOption("no such", "a")
        chat.setOption("model", "b")
        assertEquals(listOf("set 1 model=b"), sessions.calls.filter { it.startsWith("set") })
        assertEquals("a", chat.settings.options.single().current)
        event("SESSION_OPTIONS", options.replace("\"current\":\"a\"", "\"current\":\"b\""))
        assertEquals("B", chat.settings.options.single().chosen?.title)
        turnEnded()
        chat.choose("claude", null)
        assertTrue(chat.settings.options.isEmpty())
    }

    @Test
    fun `the agent's commands are there while it is`() {
        chat.send("one")
        started()
        event("AGENT_COMMANDS", """"commands":[{"name":"review","description":"Review changes"}]""")
        chat.commands.typed("/re")
        assertTrue(chat.commands.isOffering)
        event("SUMMARY")
        assertFalse(chat.commands.isOffering)
    }

    private val ways = """"methods":[{"id":"oauth","name":"Browser","kind":"agent"},{"id":"term","name":"Terminal","kind":"terminal","command":["copilot","login"],"command_line":"copilot login"},{"id":"key","name":"Key","kind":"env_var","vars":["API_KEY"]}]"""

    @Test
    fun `a login that the agent does is taken once, and its prompt goes out when the agent is there`() {
        chat.send("one")
        event("ERROR", """"kind":"login","text":"the agent needs you to log in"""")
        event("LOGIN_NEEDED", ways)
        val (oauth) = chat.login!!.methods
        chat.logIn(oauth)
        chat.logIn(oauth)
        assertEquals(1, sessions.calls.count { it == "login 1 oauth by agent" })
        assertEquals(oauth, chat.login!!.taken)
        event("ERROR", """"kind":"login","text":"the agent refused the login"""")
        event("LOGIN_NEEDED", ways)
        assertEquals(null, chat.login!!.taken, "the person may choose again")
        started()
        assertEquals(null, chat.login)
        assertEquals("prompt 1 one", sessions.calls.last())
    }

    @Test
    fun `a key that is entered in the middle of a conversation, or a login elsewhere, keeps session and conversation`() {
        for (enter in listOf<() -> Unit>({ chat.logIn(chat.login!!.methods[2], mapOf("API_KEY" to "k")) }, chat::startAgain)) {
            chat.send("one")
            if (chat.phase == ChatPhase.STARTING) started()
            event("TURN_ENDED", """"stop_reason":"error","continues":true""")
            event("LOGIN_NEEDED", ways)
            enter()
            assertEquals(null, chat.login, "nothing is pending here")
            assertEquals(ChatPhase.WORKING, chat.phase)
            event("TURN_STARTED", """"origin":"user","text":"one"""")
            turnEnded()
        }
        assertEquals(listOf("login 1 key {API_KEY=k}", "login 1 null"), sessions.calls.filter { it.startsWith("login") })
        assertEquals(1, sessions.calls.count { it.startsWith("start") })
        assertFalse("The agent starts from scratch" in notices())
        chat.startAgain()
        assertEquals(2, sessions.calls.count { it.startsWith("login") }, "no login is in progress")
    }

    @Test
    fun `a login that is waited for goes with its session`() {
        chat.send("one")
        event("LOGIN_NEEDED", ways)
        chat.stop()
        assertEquals("end 1", sessions.calls.last())
        event("SUMMARY", """"stop_reason":"error"""")
        assertEquals(null, chat.login)
        assertEquals(listOf("one"), chat.queue.map { it.text })
    }

    @Test
    fun `what a conversation takes and is called is known as the agent last said it`() {
        chat.send("one")
        started()
        event("USAGE", """"used":10,"size":100""")
        event("USAGE", """"used":20""")
        event("SESSION_TITLE", """"title":"Retry delay\nof Backoff"""")
        assertEquals(20L to 100L, chat.usage!!.used to chat.usage!!.size)
        assertEquals("Retry delay", chat.title)
    }

    @Test
    fun `a kept conversation is gone on with by its agent, and a later start is a new one`() {
        chat.goOn(PastConversation("3f2a", "copilot", "Why flaky?", 0, 2))
        assertEquals("start 1 copilot resuming 3f2a", sessions.calls.last())
        event("RESTORED", """"entry":{"event":"AGENT_MESSAGE","text":"then"}""")
        started()
        assertEquals(ChatPhase.READY, chat.phase)
        chat.send("go on")
        assertEquals("prompt 1 go on", sessions.calls.last())
        event("SUMMARY")
        chat.restart()
        assertEquals("start 2 copilot", sessions.calls.last())
    }

    @Test
    fun `a kept conversation is gone on with at the next start, too, where its agent did not come up`() {
        chat.goOn(PastConversation("3f2a", "copilot", "Why flaky?", 0, 2))
        event("ERROR", """"kind":"spawn","text":"copilot is not installed"""")
        event("SUMMARY", """"stop_reason":"error"""")
        chat.restart()
        assertEquals("start 2 copilot resuming 3f2a", sessions.calls.last())
        started()
        assertFalse("The agent starts from scratch" in notices(), "the agent knows the conversation")
    }

    private fun notices() = chat.conversation.items.filterIsInstance<NoticeItem>().map { it.title }

    @Test
    fun `an agent that is started anew in the middle of a conversation is said to know nothing of it, once`() {
        chat.send("one")
        started()
        turnEnded()
        assertTrue(notices().isEmpty())
        event("SUMMARY", """"stop_reason":"error"""")
        chat.restart()
        started()
        assertEquals(listOf("The agent starts from scratch"), notices())
        event("SUMMARY", """"stop_reason":"error"""")
        chat.restart()
        event("SUMMARY", """"stop_reason":"error"""")
        chat.restart()
        started()
        assertEquals(1, notices().size, "nothing was said since")
    }

    @Test
    fun `a blank prompt is none`() {
        assertFalse(chat.send("  \n"))
        assertTrue(sessions.calls.isEmpty())
    }

    @Test
    fun `whole recordings end in an ended chat without open questions`() {
        for (name in listOf("demo", "asks-claude", "asks-copilot", "tour-opencode", "stubborn-vibe", "death", "login")) {
            val chat = ChatModel(FakeSessions(), { agent, _ -> SessionOptions(agent) }, "copilot", conversation())
            chat.send("go")
            Recordings.events(name).forEach(chat::apply)
            assertEquals(ChatPhase.ENDED, chat.phase, name)
            assertTrue(chat.permissions.open.isEmpty(), name)
            assertFalse(chat.conversation.items.any { it is ToolItem && it.isOpen }, name)
        }
    }

}

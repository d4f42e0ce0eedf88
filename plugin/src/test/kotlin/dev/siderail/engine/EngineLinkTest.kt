package dev.siderail.engine

import com.google.gson.JsonParser
import dev.siderail.BoundaryFiles
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.NativeException
import dev.siderail.bridge.NativeHost
import dev.siderail.bridge.Verbs
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Path
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executor

class EngineLinkTest {
    /** Tasks that run when a test says so, in order. */
    private class Turns : Executor {
        private val waiting = ArrayDeque<Runnable>()
        var isImmediate = false

        override fun execute(task: Runnable) {
            if (isImmediate) task.run() else waiting.add(task)
        }

        fun run() {
            isImmediate = true
            while (waiting.isNotEmpty()) waiting.removeFirst().run()
        }
    }

    /** A library that notes what it gets. */
    private class Library(val refusal: NativeException? = null) : Verbs {
        val told = CopyOnWriteArrayList<String>()
        lateinit var host: NativeHost

        override fun open(config: ByteArray, host: NativeHost): Long {
            refusal?.let { throw it }
            told += "open"
            this.host = host
            return 7
        }

        override fun send(handle: Long, command: ByteArray) {
            told += "$handle ${String(command).substringAfter("\"command\":\"").substringBefore('"')}"
        }

        override fun complete(handle: Long, call: Long, reply: ByteArray) {
            told += "$handle $call ${String(reply)}"
        }

        override fun close(handle: Long) {
            told += "close $handle"
            end()
        }

        /** Says its last word, once. */
        fun end() {
            if (isOpen) {
                isOpen = false
                host.closed()
            }
        }

        private var isOpen = true
    }

    private class Calls(val perform: (HostCall, (HostReply) -> Unit) -> Unit) : HostCalls {
        override val tools = listOf("intellij_read_file")
        val cancelled = mutableListOf<Long>()

        override fun start(call: HostCall, reply: (HostReply) -> Unit) = perform(call, reply)

        override fun cancel(call: Long) {
            cancelled += call
        }
    }

    private val library = Library()
    private val turns = Turns()
    private val records = CopyOnWriteArrayList<String>()
    private val states = CopyOnWriteArrayList<EngineState>()
    private var n_released = 0

    private fun link(library: Library = this.library, calls: HostCalls = Calls { _, _ -> }): EngineLink {
        val config = EngineConfig(Path.of("/p"), listOf("relay"), Path.of("/run"), emptyMap(), calls.tools)
        val ready = EngineLink.Prepared.Ready(library, config) { n_released++ }
        return EngineLink({ ready }, calls, turns) { level, _, text -> records += "$level $text" }
            .also { link -> link.watchState { states += it } }
    }

    @Test
    fun `what is asked while the library is loading is done in turn afterwards`() {
        val link = link()
        link.begin()
        assertEquals(1, link.start(SessionOptions("claude")))
        link.prompt(1, "go")
        assertEquals(2, link.start(SessionOptions("codex")))
        assertTrue(library.told.isEmpty())
        turns.run()
        link.cancel(2)
        link.answerPermission(1, 3, PermissionAnswer.Allow)
        link.end(1)
        val expected = listOf("start_session", "prompt", "start_session", "cancel", "answer_permission", "end_session")
        assertEquals(listOf("open") + expected.map { "7 $it" }, library.told)
        assertEquals(listOf(EngineState.Starting, EngineState.Ready), states)
    }

    @Test
    fun `nothing of a project that is not trusted is loaded, and what was asked follows when it is`() {
        val later = ArrayDeque<Runnable>()
        var isTrusted = false
        val link = link()
        TrustGate({ isTrusted }, { false }, later::add).pass(link::hold, link::begin)
        link.start(SessionOptions("claude"))
        link.prompt(1, "go")
        turns.run()
        later.removeFirst().run()
        assertEquals(emptyList<String>(), library.told)
        assertEquals(listOf(EngineState.Starting, EngineState.Untrusted), states)
        isTrusted = true
        later.removeFirst().run()
        assertEquals(listOf("open", "7 start_session", "7 prompt"), library.told)
        assertEquals(EngineState.Ready, states.last())
        assertTrue(later.isEmpty())
    }

    @Test
    fun `a slow password store holds up its own session alone, whose commands keep their order`() {
        val slow = Turns()
        val config = EngineConfig(Path.of("/p"), listOf("relay"), Path.of("/run"), emptyMap(), emptyList())
        val ready = EngineLink.Prepared.Ready(library, config) {}
        val secrets = { agent: String -> mapOf("KEY" to agent) }
        val link = EngineLink({ ready }, Calls { _, _ -> }, turns, secrets, slow) { _, _, text -> records += text }
        link.begin()
        turns.run()
        link.start(SessionOptions("claude"))
        link.prompt(1, "go")
        link.listHistory(null)
        link.cancel(2)
        assertEquals(listOf("open", "7 list_history", "7 cancel"), library.told)
        slow.run()
        assertEquals(listOf("7 start_session", "7 prompt"), library.told.drop(3))
        link.cancel(1)
        assertEquals("7 cancel", library.told.last())
    }

    @Test
    fun `a session starts with the content roots beside the project's folder, and without them where they are not known`() {
        val said = ArrayList<String>()
        val library = object : Verbs by library {
            override fun send(handle: Long, command: ByteArray) {
                said += String(command)
            }
        }
        val config = EngineConfig(Path.of("/p"), listOf("relay"), Path.of("/run"), emptyMap(), emptyList())
        val ready = EngineLink.Prepared.Ready(library, config) {}
        var folders = { listOf(Path.of("/more")) }
        val link = EngineLink({ ready }, Calls { _, _ -> }, turns, folders = { folders() }) { _, _, text -> records += text }
        link.begin()
        link.start(SessionOptions("claude"))
        turns.run()
        folders = { error("the project is closed") }
        link.start(SessionOptions("claude"))
        turns.run()
        assertEquals(listOf(true, false), said.map { """"content_roots":["/more"]""" in it }, said.toString())
        assertTrue(records.any { "other content roots" in it })
        val roots = listOf("/w/p", "/w/p/module", "/w/other", "/w/other/module", "/w/p2")
        assertEquals(listOf("/w/other", "/w/p2"), ContentRoots.outside("/w/p", roots))
    }

    @Test
    fun `content roots that change are told to the sessions that know others, once`() {
        val said = ArrayList<String>()
        val library = object : Verbs by library {
            override fun send(handle: Long, command: ByteArray) {
                said += String(command)
            }
        }
        val config = EngineConfig(Path.of("/p"), listOf("relay"), Path.of("/run"), emptyMap(), emptyList())
        val ready = EngineLink.Prepared.Ready(library, config) {}
        var folders = listOf(Path.of("/more"))
        var asked = 0
        val link = EngineLink({ ready }, Calls { _, _ -> }, turns, folders = { asked++; folders }) { _, _, text -> records += text }
        link.begin()
        link.foldersChanged()
        turns.run()
        assertEquals(0, asked, "there is no session that it matters to")
        link.start(SessionOptions("claude"))
        turns.run()
        folders = listOf(Path.of("/more"), Path.of("/third"))
        link.start(SessionOptions("claude"))
        turns.run()
        said.clear()
        repeat(2) {
            link.foldersChanged()
            turns.run()
        }
        assertEquals(listOf("""{"command":"set_content_roots","session":1,"roots":["/more","/third"]}"""), said)
        folders = emptyList()
        link.foldersChanged()
        turns.run()
        assertEquals(listOf(1, 2), said.drop(1).map { JsonParser.parseString(it).asJsonObject["session"].asInt })
    }

    @Test
    fun `closing waits for nothing, and the end can be waited for`() {
        val link = link()
        link.begin()
        val before = System.nanoTime()
        link.close()
        assertTrue(System.nanoTime() - before < 500_000_000, "the event dispatch thread closes projects")
        turns.run()
        assertTrue(link.end.await())
    }

    @Test
    fun `secrets are asked for in turn, not where the session is started, and their lack stops nothing`() {
        val sent = mutableListOf<String>()
        val verbs = object : Verbs by library {
            override fun send(handle: Long, command: ByteArray) {
                sent += String(command)
            }
        }
        val config = EngineConfig(Path.of("/p"), listOf("relay"), Path.of("/run"), emptyMap(), emptyList())
        val ready = EngineLink.Prepared.Ready(verbs, config) {}
        val asked = mutableListOf<String>()
        val secrets = { agent: String ->
            asked += agent
            if (agent == "codex") error("the store is locked") else mapOf("KEY" to "secret")
        }
        val link = EngineLink({ ready }, Calls { _, _ -> }, turns, secrets) { level, _, text -> records += "$level $text" }
        link.begin()
        link.start(SessionOptions("claude", agentEnv = mapOf("A" to "1")))
        link.prompt(1, "go")
        link.start(SessionOptions("codex"))
        assertTrue(asked.isEmpty())
        turns.run()
        assertEquals(listOf("claude", "codex"), asked)
        assertTrue(""""agent_env":{"A":"1","KEY":"secret"}""" in sent[0], sent[0])
        assertTrue("prompt" in sent[1])
        assertTrue("codex" in sent[2] && "agent_env" !in sent[2])
        assertTrue(records.none { "secret\"" in it })
    }

    @Test
    fun `a login that the agent does itself is given no secrets, nor is one of a session that has ended`() {
        val sent = mutableListOf<String>()
        val verbs = object : Verbs by library {
            override fun send(handle: Long, command: ByteArray) {
                sent += String(command)
            }
        }
        val config = EngineConfig(Path.of("/p"), listOf("relay"), Path.of("/run"), emptyMap(), emptyList())
        val ready = EngineLink.Prepared.Ready(verbs, config) {}
        val asked = mutableListOf<String>()
        val secrets = { agent: String ->
            asked += agent
            mapOf("KEY" to "secret")
        }
        val link = opened(EngineLink({ ready }, Calls { _, _ -> }, turns, secrets) { level, _, text -> records += "$level $text" })
        val session = link.start(SessionOptions("claude"))
        link.login(session, "key")
        link.login(session, null)
        link.login(session, "browser", byAgent = true)
        assertEquals(listOf(true, true, true, false), sent.map { "secret" in it }, "$sent")
        val summary = String(BoundaryFiles.bytes("event", "summary"))
        val last = summary.replace(Regex(""""session": ?\d+"""), """"session":$session""")
        library.host.events("[$last]".toByteArray())
        link.login(session, null)
        assertEquals(listOf("claude", "claude", "claude"), asked)
    }

    @Test
    fun `an engine that cannot be had is a state with reason and hint, and nothing throws`() {
        val refusing = Library(NativeException("config.toml: line 1 is no TOML\nmend it"))
        val link = link(refusing)
        link.begin()
        link.start(SessionOptions("claude"))
        turns.run()
        assertEquals(EngineState.Failed("config.toml: line 1 is no TOML", "mend it"), link.state)
        assertEquals(1, n_released)
        link.prompt(1, "go")
        link.close()
        assertEquals(EngineState.Closed, states.last())

        val missing = EngineLink({ error("no disk") }, Calls { _, _ -> }, turns) { _, _, _ -> }
        missing.begin()
        assertTrue((missing.state as EngineState.Failed).reason.contains("no disk"))
    }

    @Test
    fun `a listener that throws does not keep events from the others`() {
        val link = opened(link())
        val heard = mutableListOf<String>()
        link.listen { error("broken") }
        val listening = link.listen { events -> events.mapTo(heard) { it.name } }
        val batch = "[${String(BoundaryFiles.bytes("event", "nudge"))}]".toByteArray()
        library.host.events(batch)
        listening.close()
        library.host.events(batch)
        assertEquals(listOf("NUDGE"), heard)
        assertTrue(records.any { "broken" in it }, "$records")
    }

    @Test
    fun `a call is answered once, however often its tool replies`() {
        val link = link(calls = Calls { _, reply ->
            reply(HostReply.Text("first"))
            reply(HostReply.Text("second"))
        })
        opened(link)
        library.host.start(9, BoundaryFiles.bytes("call", "read_text"))
        assertEquals(listOf("""7 8 {"reply":"text","text":"first"}"""), library.told.drop(1))
    }

    @Test
    fun `a tool that throws and a call that cannot be read fail their call`() {
        opened(link(calls = Calls { _, _ -> throw UnsupportedOperationException("broken") }))
        // The library turns what is thrown here into the call's answer.
        assertThrows(UnsupportedOperationException::class.java) {
            library.host.start(7, BoundaryFiles.bytes("call", "tool"))
        }
        assertThrows(IllegalArgumentException::class.java) { library.host.start(8, "{}".toByteArray()) }
    }

    @Test
    fun `closing ends the engine once, after what was asked before, and nothing is sent later`() {
        val link = opened(link())
        link.prompt(1, "go")
        link.close()
        link.close()
        link.prompt(1, "too late")
        assertEquals(listOf("open", "7 prompt", "close 7"), library.told)
        assertEquals(EngineState.Closed, link.state)
        assertEquals(1, n_released)
    }

    @Test
    fun `an engine that ends by itself is a failed state`() {
        val link = opened(link())
        library.end()
        assertTrue(link.state is EngineState.Failed)
        link.prompt(1, "go")
        link.close()
        assertEquals(listOf("open", "close 7"), library.told, "the handle is given back, once")
        assertEquals(1, n_released)
    }

    @Test
    fun `a project that is closed while its library is loading leaves no engine behind`() {
        val link = link()
        link.begin()
        val closing = Thread(link::close).apply { start() }
        while (link.state != EngineState.Closed) Thread.onSpinWait()
        closing.join()
        turns.run()
        assertEquals(listOf("open", "close 7"), library.told)
        assertEquals(EngineState.Closed, link.state)
    }

    private fun opened(link: EngineLink): EngineLink {
        link.begin()
        turns.run()
        return link
    }
}

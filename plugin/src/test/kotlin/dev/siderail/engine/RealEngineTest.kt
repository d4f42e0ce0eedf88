package dev.siderail.engine

import dev.siderail.TestPrograms
import dev.siderail.bridge.Event
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.LockedFolder
import dev.siderail.bridge.NativeVerbs
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Executors
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit.SECONDS

/** The plugin's side of the boundary over the real library: names, descriptors and messages fit. */
class RealEngineTest {
    @TempDir
    lateinit var folder: Path

    private val orders = Executors.newSingleThreadExecutor()
    private val events = LinkedBlockingQueue<Event>()

    @AfterEach
    fun stop() {
        orders.shutdown()
    }

    private fun link(project: Path): EngineLink {
        val prepare = {
            val runtime = LockedFolder.create(Path.of("/tmp"), "siderail-test-")
            val env = System.getenv() + ("HOME" to folder.toString())
            val relay = listOf(TestPrograms.library.relay.toString())
            val config = EngineConfig(project, relay, runtime.path, env, Reading.tools, documents = false)
            EngineLink.Prepared.Ready(NativeVerbs, config, runtime::close)
        }
        return EngineLink(prepare, Reading, orders) { level, target, text -> println("$level $target $text") }
            .also { it.listen(events::addAll) }
    }

    private fun next(): Event = checkNotNull(events.poll(60, SECONDS)) { "no event came" }

    private fun until(name: String): List<Event> {
        val came = mutableListOf(next())
        while (came.last().name != name) came += next()
        return came
    }

    @Test
    fun `an agent that cannot be started is an error, a summary, and no harm`() {
        TestPrograms.library
        val link = link(folder)
        link.begin()
        val session = link.start(SessionOptions("somebody", listOf("/no/such/agent")))
        val came = until("SUMMARY")
        assertEquals("ERROR", came.first { it.name != "AGENT_LOG" }.name)
        assertTrue(came.all { it.session == session })
        assertEquals(came.map { it.seq }.sorted(), came.map { it.seq })
        link.close()
        assertEquals(EngineState.Closed, link.state)
    }

    @Test
    fun `an agent reads a file through a host call that Kotlin answers`() {
        TestPrograms.library
        Files.writeString(folder.resolve("a.txt"), "of the disk")
        val script = """
            [[prompt]]
            step = [ { call = "intellij_read_file", arguments = { path = "a.txt" }, expect_result_contains = "of Kotlin" } ]
        """.trimIndent()
        val link = link(folder)
        link.begin()
        val agent = listOf(TestPrograms.agent.toString(), "--shape", "claude", "--script-text", script)
        val session = link.start(SessionOptions("claude", agent))
        link.prompt(session, "go")
        val came = until("TURN_ENDED")
        assertTrue(came.none { "EXPECTATION FAILED" in it.body.toString() }, "${came.map { it.body }}")
        assertTrue(came.any { it.name == "OWN_TOOL" && it.body["status"].asString == "completed" })
        link.end(session)
        until("SUMMARY")
        link.close()
    }

    @Test
    fun `the engine's threads are the JVM's by name and keep no JVM alive`() {
        TestPrograms.library
        val link = link(folder)
        link.begin()
        orders.submit {}.get()
        val session = link.start(SessionOptions("somebody", listOf("/no/such/agent")))
        until("SUMMARY")
        // A thread gets its name when it attaches, which a busy machine may do after the first events have come.
        val wanted = setOf("siderail-engine", "siderail-events", "siderail-calls", "siderail-log")
        val deadline = System.nanoTime() + SECONDS.toNanos(30)
        var threads = ours()
        while (!threads.map { it.name }.containsAll(wanted) || threads.count { it.name == "siderail-engine" } < 2) {
            assertTrue(System.nanoTime() < deadline, "the workers, each attached, and the others: ${threads.map { it.name }}")
            Thread.sleep(20)
            threads = ours()
        }
        assertTrue(threads.all { it.isDaemon }, "${threads.filterNot { it.isDaemon }}")
        link.end(session)
        link.close()
    }

    private fun ours() = Thread.getAllStackTraces().keys.filter { it.name.startsWith("siderail-") }

    @Test
    fun `the library is loaded and its copy is gone`() {
        TestPrograms.library
        val isWindows = System.getProperty("os.name").startsWith("Windows")
        assertTrue(isWindows || Files.list(TestPrograms.copies).use { it.findAny().isEmpty })
    }

    @Test
    fun `a project that is not there is a state with reason and hint`() {
        TestPrograms.library
        val link = link(folder.resolve("nowhere"))
        link.begin()
        orders.submit {}.get()
        val state = link.state as EngineState.Failed
        assertTrue("nowhere" in state.reason && state.hint == "open an existing folder", "$state")
    }

    /** Answers whatever is read. */
    private object Reading : HostCalls {
        override val tools = listOf("intellij_read_file")

        override fun start(call: HostCall, reply: (HostReply) -> Unit) {
            assertEquals("intellij_read_file", call.body["name"].asString)
            reply(HostReply.Tool("1\tof Kotlin\n"))
        }

        override fun cancel(call: Long) = Unit
    }
}

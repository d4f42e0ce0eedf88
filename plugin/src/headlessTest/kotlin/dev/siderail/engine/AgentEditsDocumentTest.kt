package dev.siderail.engine

import dev.siderail.TestPrograms
import dev.siderail.bridge.Event
import dev.siderail.bridge.LockedFolder
import dev.siderail.bridge.NativeVerbs
import dev.siderail.document.WriterFixture
import dev.siderail.toolwindow.ChatModel
import dev.siderail.toolwindow.DebugCategory
import dev.siderail.toolwindow.DebugFilter
import dev.siderail.toolwindow.DebugModel
import dev.siderail.toolwindow.FileChange
import dev.siderail.toolwindow.RevertState
import dev.siderail.tools.ToolFixture
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Executors
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

/**
 * The whole way, with nothing replaced but the model and the IDE's frame: Kotlin, the library, the engine, a
 * scripted agent with its hook, the relay, the socket, and back through host calls into a genuine document.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentEditsDocumentTest {
    private val files = WriterFixture()
    private val tools = ToolFixture(files = files)
    private val debug = DebugModel()
    private val events = LinkedBlockingQueue<Event>()

    @Test
    fun `an agent's own edit is denied with guidance, the redirected one is in the document, one undo takes it back`() {
        val library = TestPrograms.library
        val before = "import b;\nx = b;\n"
        files.put("src/App.toy", before)
        val orders = Executors.newSingleThreadExecutor()
        val link = EngineLink({ ready(library.relay) }, tools.host, orders) { level, target, text -> println("$level $target $text") }
        link.listen(events::addAll)
        link.begin()
        val agent = listOf(TestPrograms.agent.toString(), "--shape", "claude", "--script-text", SCRIPT)
        val session = link.start(SessionOptions("claude", agent, switches = mapOf("hide" to false)))
        link.prompt(session, "Call it y.")
        until("TURN_ENDED")

        val after = "import b;\ny = b;\n"
        assertEquals(after, files.document("src/App.toy").text)
        assertEquals(after, files.onDisk("src/App.toy"))
        assertEquals(1, files.undoAll("src/App.toy").size, "one step to undo")
        assertEquals(before, files.document("src/App.toy").text)

        link.end(session)
        until("SUMMARY")
        link.close()
        orders.shutdown()
        checkDebugTab()
    }

    @Test
    fun `what a prompt changed is told in the chat, and taking it back there is an edit of the IDE that can be undone`() {
        val library = TestPrograms.library
        val before = "import b;\nx = b;\n"
        files.put("src/App.toy", before)
        val orders = Executors.newSingleThreadExecutor()
        val link = EngineLink({ ready(library.relay) }, tools.host, orders) { level, target, text -> println("$level $target $text") }
        link.listen(events::addAll)
        link.begin()
        val agent = listOf(TestPrograms.agent.toString(), "--shape", "claude", "--script-text", SCRIPT)
        val chat = ChatModel(link, { name, _ -> SessionOptions(name, agent, switches = mapOf("hide" to false)) }, "claude")
        chat.send("Call it y.")
        until("TURN_ENDED", chat::apply)
        val file = chat.conversation.revertible!!.files.single()
        assertEquals(FileChange("src/App.toy", before, "import b;\ny = b;\n"), file.change)
        chat.revert(file.path)
        until("REVERTED", chat::apply)
        assertEquals(RevertState.REVERTED, file.state, file.refusal)
        assertEquals(before, files.document("src/App.toy").text)
        assertEquals(before, files.onDisk("src/App.toy"))
        assertEquals(2, files.undoAll("src/App.toy").size, "the agent's edit, and taking it back")
        chat.close()
        until("SUMMARY")
        link.close()
        orders.shutdown()
    }

    /** Decisions and guidance as the Debug tab shows them. */
    private fun checkDebugTab() {
        debug.filter = DebugFilter(setOf(DebugCategory.DECISION, DebugCategory.GUIDANCE))
        val rows = debug.rows
        val ofEdit = rows.filter { it.requestId == rows.first().requestId }.map { it.name }
        assertEquals("PERMISSION_REQUEST", ofEdit.first())
        assertEquals(
            listOf("PRE_REJECTION_GUIDANCE", "PERMISSION_DENIED", "GUIDANCE_RECEIPT", "GUIDANCE_FOLLOWED"),
            ofEdit.drop(1),
        )
        assertEquals("Edit", rows.first().tool)
        assertEquals(rows.map { it.seq }.sorted(), rows.map { it.seq })
        assertEquals(1.0, debug.counts.redirectRate)
        assertEquals(1, debug.counts.denied)
        assertTrue(!debug.counts.isUnguarded)
    }

    private fun until(name: String, hear: (Event) -> Unit = {}) {
        do {
            val event = checkNotNull(events.poll(60, TimeUnit.SECONDS)) { "no $name came" }
            check("EXPECTATION FAILED" !in event.body.toString()) { "${event.body}" }
            debug.apply(event)
            hear(event)
        } while (event.name != name)
    }

    private fun ready(relay: Path): EngineLink.Prepared {
        val runtime = LockedFolder.create(Path.of("/tmp"), "siderail-test-")
        val home = dev.siderail.TestFolders.create("home")
        val env = System.getenv() + ("HOME" to home.toString())
        val config = EngineConfig(files.folder.root, listOf(relay.toString()), runtime.path, env, tools.host.tools)
        return EngineLink.Prepared.Ready(NativeVerbs, config, runtime::close)
    }

    private companion object {
        val SCRIPT = """
            really = true
            [[prompt]]
            step = [
              { edit = "src/App.toy", old = "x = b;", new = "y = b;", expect = "denied" },
              { if_denied = true, expect_seen_contains = "intellij_write_file" },
              { call = "intellij_write_file", arguments = { path = "src/App.toy", old_text = "x = b;", new_text = "y=b;" }, expect = "allowed" },
            ]
        """.trimIndent()
    }
}

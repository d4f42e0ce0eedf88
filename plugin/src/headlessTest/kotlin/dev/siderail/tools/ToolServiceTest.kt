package dev.siderail.tools

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import dev.siderail.bridge.Event
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.QuestionKind
import dev.siderail.document.WriterFixture
import dev.siderail.engine.AgentSessions
import dev.siderail.engine.Answer
import dev.siderail.engine.Question
import dev.siderail.engine.QuestionDesk
import dev.siderail.engine.Tidying
import dev.siderail.engine.ToolSettings
import dev.siderail.screens.FakeSessions
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** What the service does at the ends of turns, which the engine did not have finished by a call. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToolServiceTest {
    private val files = WriterFixture()
    private val other = WriterFixture()
    private val sessions = FakeSessions()
    private val desk = QuestionDesk()
    private val application = files.platform.application
    private val service: ToolService

    init {
        files.platform.replace(QuestionDesk::class.java, desk)
        files.platform.replace(AgentSessions::class.java, sessions)
        application.picoContainer.unregisterComponent(ToolSettings::class.java.name)
        application.registerService(ToolSettings::class.java, AtTheEnd)
        service = ToolService(files.platform.project)
    }

    @AfterEach
    fun close() {
        application.picoContainer.unregisterComponent(ToolSettings::class.java.name)
        service.dispose()
    }

    @Test
    fun `a session that ends has its files tidied, in other content roots too, and its questions taken off the desk`() {
        val answers = ArrayList<Answer>()
        desk.ask(Question(1, QuestionKind.INPUT, "Port?", emptyList(), null, required = true), answers::add)
        create(files.path("a.toy"))
        create(other.path("b.toy"))
        sessions.deliver(listOf(event("SUMMARY")))
        assertEquals(listOf<Answer>(Answer.Cancelled), answers)
        for (one in listOf(files to "a.toy", other to "b.toy")) waitFor { one.first.onDisk(one.second).startsWith("x = 1;") }
    }

    @Test
    fun `a session's files are tidied in its own content roots, whatever another session's last call has`() {
        create(other.path("b.toy"))
        create(files.path("a.toy"), roots = emptyList(), session = 2)
        sessions.deliver(listOf(event("SUMMARY"), event("SUMMARY", session = 2)))
        for (one in listOf(files to "a.toy", other to "b.toy")) waitFor { one.first.onDisk(one.second).startsWith("x = 1;") }
    }

    @Test
    fun `a file whose content root is gone costs no other file and no other event`() {
        val answers = ArrayList<Answer>()
        desk.ask(Question(1, QuestionKind.INPUT, "Port?", emptyList(), null, required = true), answers::add)
        create(other.path("b.toy"))
        create(files.path("a.toy"))
        check(other.folder.root.toFile().deleteRecursively()) { "${other.folder.root} is still there" }
        sessions.deliver(listOf(event("SUMMARY")))
        assertEquals(listOf<Answer>(Answer.Cancelled), answers)
        waitFor { files.onDisk("a.toy").startsWith("x = 1;") }
    }

    private fun create(path: Path, roots: List<Path> = listOf(other.folder.root), session: Long = 1) {
        val body = JsonObject().apply {
            addProperty("path", path.toString())
            addProperty("text", "x=1;")
            add("stamp", null)
            add("steps", null)
            addProperty("separate", false)
            add("other_names", JsonParser.parseString("[]"))
            add("tidy", JsonParser.parseString("""{"how":"as_set"}"""))
        }
        val reply = CompletableFuture<HostReply>()
        // Nothing is inspected meanwhile: there is no profile here.
        files.platform.indexing = true
        try {
            service.start(HostCall(1, session, files.folder.root, "apply_text", body, roots)) { reply.complete(it) }
            assertTrue(reply.get(30, TimeUnit.SECONDS) is HostReply.Applied, reply.get().toString())
        } finally {
            files.platform.indexing = false
        }
    }

    private fun event(name: String, session: Long = 1) =
        Event.of(JsonParser.parseString("""{"v":1,"seq":1,"t":1.0,"session":$session,"turn":1,"event":"$name"}""").asJsonObject)

    private fun waitFor(condition: () -> Boolean) {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
        while (!condition()) {
            check(System.nanoTime() < end) { "it did not happen" }
            Thread.sleep(20)
        }
    }

    private object AtTheEnd : ToolSettings by ToolSettings.Default {
        override val tidying get() = Tidying.END_OF_TURN
    }
}

package dev.siderail.tools

import com.google.gson.JsonObject
import com.intellij.openapi.progress.EmptyProgressIndicator
import dev.siderail.bridge.HostReply
import dev.siderail.document.ToolFailure
import dev.siderail.document.WriterFixture
import dev.siderail.engine.Answer
import dev.siderail.engine.QuestionDesk
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AskUserTest {
    private val files = WriterFixture()
    private val desk = QuestionDesk()
    private val asking = asking(waitMs = 50)

    private fun asking(waitMs: Long = 60_000, keptMs: Long = 600_000) =
        AskUser(desk, waitMs, keptMs)

    private class Call(val reply: CompletableFuture<HostReply>, val close: AutoCloseable) {
        val text get() = (reply.get(60, TimeUnit.SECONDS) as HostReply.Tool).text
    }

    private fun ask(text: String, by: AskUser = asking): Call {
        val arguments = JsonObject()
        arguments.addProperty("question_type", "input")
        arguments.addProperty("question", text)
        val reply = CompletableFuture<HostReply>()
        val call = ToolCall(1, files.folder, Arguments(arguments), {}, EmptyProgressIndicator())
        return Call(reply, by.start(call) { check(reply.complete(it)) { "answered twice" } })
    }


    @Test
    fun `an answer that comes while no call waits is kept for the next one, and is given once`() {
        assertTrue("Still waiting" in ask("Port?").text)
        desk.open.single().answer(Answer.Given("8080"))
        assertEquals("The user answered: 8080\n", ask("Port?").text)
        assertTrue(desk.open.isEmpty(), "no second card")
        assertTrue("Still waiting" in ask("Port?").text, "asked again, it is a new question")
        assertEquals(1, desk.open.size)
    }

    @Test
    fun `a call that is made again joins its question and is answered by it`() {
        ask("Port?").text
        val again = ask("Port?", asking())
        assertEquals(2, desk.open.size, "each table has its own")
        desk.open.last().answer(Answer.Given("1"))
        assertEquals("The user answered: 1\n", again.text)
        val patient = asking()
        val (first, second) = ask("Host?", patient) to ask("Host?", patient)
        desk.open.last().answer(Answer.Given("h"))
        assertEquals(listOf("The user answered: h\n", "The user answered: h\n"), listOf(first.text, second.text))
    }

    @Test
    fun `a call that is cancelled takes its question along, unless another waits for it`() {
        val patient = asking()
        val (first, second) = ask("Port?", patient) to ask("Port?", patient)
        first.close.close()
        assertEquals(1, desk.open.size)
        second.close.close()
        assertTrue(desk.open.isEmpty())
        assertTrue(!first.reply.isDone && !second.reply.isDone)
    }

    @Test
    fun `a question that no call waits for any more is withdrawn after a while, one that is waited for is not`() {
        val asking = asking(waitMs = 50, keptMs = 200)
        ask("Port?", asking).text
        val waited = ask("Host?", asking(keptMs = 1))
        waitFor { desk.open.map { it.question.text } == listOf("Host?") }
        assertTrue(!waited.reply.isDone)
    }

    @Test
    fun `the ninth question takes the place of the one that was left the longest ago, or is refused`() {
        (1..8).forEach { ask("left $it").text }
        ask("left 9").text
        assertEquals((2..9).map { "left $it" }, desk.open.map { it.question.text })
        desk.cancel()
        val patient = asking()
        repeat(8) { ask("open $it", patient) }
        val failure = org.junit.jupiter.api.assertThrows<ToolFailure> { ask("one more", patient) }
        assertEquals(ToolFailure.Code.NOT_APPLICABLE, failure.code)
        assertTrue("8 questions are open already" in failure.text, failure.text)
        assertEquals(8, desk.open.size)
    }

    @Test
    fun `a question that was cancelled while no call waited is asked anew`() {
        ask("Port?").text
        desk.cancel()
        assertTrue("Still waiting" in ask("Port?").text)
        assertEquals(1, desk.open.size)
    }

    private fun waitFor(condition: () -> Boolean) {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
        while (!condition()) {
            check(System.nanoTime() < end) { "it did not happen" }
            Thread.sleep(20)
        }
    }
}

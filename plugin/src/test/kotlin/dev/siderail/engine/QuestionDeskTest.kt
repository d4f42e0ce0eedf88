package dev.siderail.engine

import dev.siderail.bridge.QuestionKind
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class QuestionDeskTest {
    private val desk = QuestionDesk()
    private val answers = mutableListOf<Answer>()

    private fun ask(text: String, session: Long = 1) = desk.ask(Question(session, QuestionKind.INPUT, text)) { answers += it }

    @Test
    fun `questions wait in the order in which they were asked until they are answered`() {
        val seen = mutableListOf<List<String>>()
        val watching = desk.watch { open -> seen += open.map { it.question.text } }
        ask("first")
        ask("second")
        val first = desk.open.first()
        first.answer(Answer.Given("a"))
        first.answer(Answer.Given("again"))
        watching.close()
        desk.open.single().answer(Answer.Declined("no idea"))
        assertEquals(listOf(Answer.Given("a"), Answer.Declined("no idea")), answers)
        assertEquals(listOf(listOf(), listOf("first"), listOf("first", "second"), listOf("second")), seen)
    }

    @Test
    fun `a question that is withdrawn is gone and its answer is nobody's`() {
        val asked = ask("first")
        val shown = desk.open.single()
        asked.close()
        shown.answer(Answer.Given("too late"))
        assertTrue(desk.open.isEmpty() && answers.isEmpty())
    }

    @Test
    fun `the end of a session or of the project cancels what is open`() {
        ask("first", session = 1)
        ask("second", session = 2)
        desk.cancel(1)
        assertEquals("second", desk.open.single().question.text)
        desk.dispose()
        ask("after the end")
        assertEquals(listOf<Answer>(Answer.Cancelled, Answer.Cancelled, Answer.Cancelled), answers)
        assertTrue(desk.open.isEmpty())
    }

    @Test
    fun `kinds have the words of the tool`() {
        val words = listOf("clarification", "confirmation", "input", "choice", "file_selection")
        assertEquals(words, QuestionKind.entries.map { it.word })
        assertTrue(words.all { QuestionKind.of(it) != null } && QuestionKind.of("riddle") == null)
    }
}

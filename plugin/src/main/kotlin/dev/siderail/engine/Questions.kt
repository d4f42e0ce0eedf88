package dev.siderail.engine

import com.intellij.openapi.Disposable
import dev.siderail.bridge.QuestionKind
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong

/** Puts an agent's questions before the person. */
interface Questions {
    /**
     * Shows a question. [answered] is called once, on any thread, unless the question is withdrawn by closing
     * what is returned.
     */
    fun ask(question: Question, answered: (Answer) -> Unit): AutoCloseable
}

/**
 * A question of an agent.
 *
 * @property session the session whose agent asks; 0 for none
 * @property text the question; a model wrote it: show it as plain text
 * @property options what to choose from; empty except for a choice
 * @property default the answer to offer first
 * @property required false where the person may pass over it without a word
 */
data class Question(
    val session: Long,
    val kind: QuestionKind,
    val text: String,
    val options: List<String> = emptyList(),
    val default: String? = null,
    val required: Boolean = true,
)

/** What the person said. */
sealed interface Answer {
    /** The answer's text. */
    data class Given(val text: String) : Answer

    /** The person does not want to answer; [why] may be empty. */
    data class Declined(val why: String = "") : Answer

    /** The turn was cancelled, or the project is being closed. */
    data object Cancelled : Answer
}

/** A question that waits on the desk. Answering it twice, or after it was withdrawn, does nothing. */
class OpenQuestion internal constructor(
    /** Distinguishes questions with the same text. */
    val id: Long,
    val question: Question,
    private val settle: (OpenQuestion, Answer?) -> Unit,
) {
    /** Takes the person's answer. */
    fun answer(answer: Answer) = settle(this, answer)
}

/**
 * The questions of a project that wait for the person, oldest first: a project service. Knows nothing of how they
 * are shown.
 */
class QuestionDesk : Questions, Disposable {
    private val waiting = CopyOnWriteArrayList<Pair<OpenQuestion, (Answer) -> Unit>>()
    private val watchers = CopyOnWriteArrayList<(List<OpenQuestion>) -> Unit>()
    private val numbers = AtomicLong()
    private val closed = AtomicBoolean()

    /** The questions that wait. */
    val open: List<OpenQuestion> get() = waiting.map { it.first }

    /** Hears [open] at once and whenever it changes, on any thread. Closing ends it. */
    fun watch(watcher: (List<OpenQuestion>) -> Unit): AutoCloseable {
        watchers.add(watcher)
        watcher(open)
        return AutoCloseable { watchers.remove(watcher) }
    }

    override fun ask(question: Question, answered: (Answer) -> Unit): AutoCloseable {
        val asked = OpenQuestion(numbers.incrementAndGet(), question, ::settle)
        waiting.add(asked to answered)
        if (closed.get()) settle(asked, Answer.Cancelled) else tell()
        return AutoCloseable { settle(asked, null) }
    }

    /** Cancels the questions of a session, or all of them. */
    fun cancel(session: Long? = null) {
        open.filter { session == null || it.question.session == session }.forEach { settle(it, Answer.Cancelled) }
    }

    /** Cancels everything, also what is asked later. */
    override fun dispose() {
        closed.set(true)
        cancel()
    }

    /** Only the caller that takes the question off the desk may answer it. */
    private fun settle(asked: OpenQuestion, answer: Answer?) {
        val entry = waiting.find { it.first === asked } ?: return
        if (!waiting.remove(entry)) return
        tell()
        answer?.let(entry.second)
    }

    private fun tell() {
        val now = open
        watchers.forEach { it(now) }
    }
}

package dev.siderail.tools

import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.document.ToolFailure
import dev.siderail.document.ToolFailure.Code
import dev.siderail.engine.Answer
import dev.siderail.engine.Question
import dev.siderail.engine.Questions
import java.util.concurrent.TimeUnit

/**
 * The questions that calls have put before the person. They outlast the calls: one that asks the same joins, and an
 * answer that comes while no call waits is kept for the next.
 *
 * Bounded: a question that no call has waited for during [keptMs] is withdrawn, and so is the one that was left the
 * longest ago where there are too many. A model that words its question anew each time has one person to ask.
 */
internal class AskedQuestions(private val questions: Questions, private val keptMs: Long) {
    private val all = HashMap<Question, Asked>()

    /**
     * Asks, or joins what is asked already. [hear] is called once with the answer, on any thread, unless what is
     * returned leaves before.
     */
    fun ask(question: Question, hear: (Answer) -> Unit): Waiting {
        val waiting = Waiting(question, hear)
        var crowdedOut: Asked? = null
        var new: Asked? = null
        val kept = synchronized(all) {
            val known = all[question]
            if (known?.answer != null) {
                all.remove(question)
            } else {
                val mine = known ?: Asked().also {
                    crowdedOut = makeRoom()
                    all[question] = it
                    new = it
                }
                mine.calls.add(waiting)
            }
            known?.answer
        }
        crowdedOut?.hide()
        kept?.let(hear)
        new?.let { asked -> asked.show(questions.ask(question) { answered(question, asked, it) }) }
        return waiting
    }

    private fun answered(question: Question, asked: Asked, answer: Answer) {
        val calls = synchronized(all) {
            if (all[question] !== asked) return
            // Nobody is to hear later on that a turn was cancelled that is long over.
            if (asked.calls.isEmpty() && answer != Answer.Cancelled) asked.answer = answer else all.remove(question)
            asked.calls.toList()
        }
        calls.forEach { it.hear(answer) }
    }

    /** Takes out what is to be hidden, so that there is room for one more. */
    private fun makeRoom(): Asked? {
        if (all.size < MOST) return null
        val oldest = all.entries.filter { it.value.calls.isEmpty() }.minByOrNull { it.value.leftNs } ?: throw ToolFailure(
            Code.NOT_APPLICABLE,
            "$MOST questions are open already and the user answers one at a time: wait for those answers, then ask this",
        )
        return all.remove(oldest.key)
    }

    private fun forget(question: Question, asked: Asked, leftNs: Long) {
        val isOver = synchronized(all) {
            all[question] === asked && asked.calls.isEmpty() && asked.leftNs == leftNs && all.remove(question, asked)
        }
        if (isOver) asked.hide()
    }

    /** A call that waits for an answer. */
    inner class Waiting(private val question: Question, internal val hear: (Answer) -> Unit) {
        /** Gives up; the question stays for a while. Whether it was still waiting. */
        fun leave(): Boolean {
            val asked = synchronized(all) {
                val mine = all[question]?.takeIf { it.calls.remove(this) } ?: return false
                mine.leftNs = System.nanoTime()
                mine
            }
            val leftNs = asked.leftNs
            val clock = AppExecutorUtil.getAppScheduledExecutorService()
            clock.schedule({ forget(question, asked, leftNs) }, keptMs, TimeUnit.MILLISECONDS)
            return true
        }

        /** Gives up, and withdraws the question unless another call waits for it. */
        fun withdraw() {
            val asked = synchronized(all) {
                val mine = all[question]?.takeIf { it.calls.remove(this) && it.calls.isEmpty() } ?: return
                mine.also { all.remove(question) }
            }
            asked.hide()
        }
    }

    /** A question before the person; [shown] under its own lock, all else under the lock of the table. */
    private class Asked {
        val calls = ArrayList<Waiting>()
        var answer: Answer? = null

        /** When the last call gave up. */
        @Volatile
        var leftNs = 0L
        private var shown: AutoCloseable? = null
        private var isOver = false

        /** It may be over before it is known how to hide it. */
        fun show(card: AutoCloseable) {
            val isLate = synchronized(this) {
                shown = card
                isOver
            }
            if (isLate) card.close()
        }

        fun hide() {
            val card = synchronized(this) {
                isOver = true
                shown
            }
            card?.close()
        }
    }

    private companion object {
        /** Questions that are open at the same time. */
        const val MOST = 8
    }
}

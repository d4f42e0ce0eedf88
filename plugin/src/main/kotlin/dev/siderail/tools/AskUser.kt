package dev.siderail.tools

import com.google.gson.JsonPrimitive
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.bridge.HostReply
import dev.siderail.document.ToolFailure
import dev.siderail.document.ToolFailure.Code
import dev.siderail.engine.Answer
import dev.siderail.engine.Question
import dev.siderail.engine.QuestionKind
import dev.siderail.engine.Questions
import java.util.concurrent.TimeUnit

/**
 * `ask_user`: a question stays open longer than a call may last.
 *
 * A call waits for a while and then says that it still waits; the same call made again joins the open question, so
 * that the person is asked once ([AskedQuestions]). A call that is cancelled withdraws its question.
 */
internal class AskUser(
    questions: Questions,
    private val waitMs: Long = WAIT_MS,
    keptMs: Long = KEPT_MS,
) : WaitingTool {
    override val name get() = "ask_user"

    private val asked = AskedQuestions(questions, keptMs)

    override fun start(call: ToolCall, answered: (HostReply) -> Unit): AutoCloseable {
        val question = question(call)
        val waiting = asked.ask(question) { answer ->
            // The person answers on the event dispatch thread, which must not look for files.
            AppExecutorUtil.getAppExecutorService().execute { answered(reply(call, question, answer)) }
        }
        val patience = AppExecutorUtil.getAppScheduledExecutorService()
            .schedule({ if (waiting.leave()) answered(STILL_WAITING) }, waitMs, TimeUnit.MILLISECONDS)
        return AutoCloseable {
            patience.cancel(false)
            waiting.withdraw()
        }
    }

    private fun question(call: ToolCall): Question {
        val word = call.arguments.requiredText("question_type")
        val kind = QuestionKind.of(word) ?: throw ToolFailure.invalid(
            "`question_type` is `$word`; it is clarification, confirmation, input, choice or file_selection",
        )
        val text = call.arguments.requiredText("question").trim()
        if (text.isEmpty()) throw ToolFailure.invalid("`question` is empty")
        val options = call.arguments.list("options").orEmpty().map {
            (it as? JsonPrimitive)?.asString ?: throw ToolFailure.invalid("`options` must hold strings")
        }
        if (kind == QuestionKind.CHOICE && options.size !in LEAST_OPTIONS..MOST_OPTIONS) {
            throw ToolFailure.invalid("a choice needs $LEAST_OPTIONS to $MOST_OPTIONS `options`")
        }
        val offered = if (kind == QuestionKind.CHOICE) options else emptyList()
        val default = default(call, kind, offered)
        return Question(call.session, kind, text, offered, default, required = !call.arguments.flag("optional"))
    }

    private fun default(call: ToolCall, kind: QuestionKind, offered: List<String>): String? {
        val default = call.arguments.text("default")?.takeIf(String::isNotEmpty) ?: return null
        if (kind == QuestionKind.CHOICE && default !in offered) {
            throw ToolFailure.invalid("`default` is `$default`, which is not one of the `options`")
        }
        if (kind == QuestionKind.CONFIRMATION && default.lowercase() !in setOf("yes", "no")) {
            throw ToolFailure.invalid("`default` is `$default`; that of a confirmation is yes or no")
        }
        return default
    }

    private fun reply(call: ToolCall, question: Question, answer: Answer): HostReply = try {
        when (answer) {
            is Answer.Given -> HostReply.Tool("The user answered: ${checked(call, question, answer.text)}\n")
            is Answer.Declined -> if (question.required) throw notAnswered(answer.why) else passedOver(question.default)
            Answer.Cancelled -> throw ToolFailure.cancelled()
        }
    } catch (failure: ToolFailure) {
        HostReply.Failed(failure.code.name, failure.text)
    }

    private fun passedOver(default: String?) = HostReply.Tool(
        "The user skipped the question. Continue ${default?.let { "with $it" } ?: "without an answer"}.\n",
    )

    private fun checked(call: ToolCall, question: Question, text: String): String =
        if (question.kind != QuestionKind.FILE_SELECTION) text
        else call.existing(text).name

    private fun notAnswered(why: String) = ToolFailure(
        Code.NOT_APPLICABLE,
        "the question was not answered${if (why.isEmpty()) "" else ": $why"}. Choose the safest interpretation, continue, and say what " +
            "you assumed",
    )

    private companion object {
        /** Two agents end a silent call after 60 seconds. */
        const val WAIT_MS = 45_000L

        /** How long a question stays that no call waits for. */
        const val KEPT_MS = 600_000L
        const val LEAST_OPTIONS = 2
        const val MOST_OPTIONS = 20
        val STILL_WAITING = HostReply.Tool(
            "The user has not answered yet. Still waiting: call ask_user again with the same arguments.\n",
        )
    }
}

package dev.siderail.tools

import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.QuestionKind
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.document.ToolFailure
import dev.siderail.engine.Answer
import dev.siderail.engine.Question

/**
 * The engine's request to show a question, between the boundary and the desk. The engine decides
 * how long it stays.
 */
internal object AskPerson {
    fun question(call: HostCall): Question {
        val word = call.body["kind"].asString
        return Question(
            call.session,
            QuestionKind.of(word) ?: throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "the IDE cannot show a question of the kind `$word`"),
            call.body["text"].asString,
            call.body.getAsJsonArray("options").map { it.asString },
            call.body["default"].takeUnless { it.isJsonNull }?.asString,
            call.body["required"].asBoolean,
        )
    }

    fun reply(answer: Answer): HostReply = when (answer) {
        is Answer.Given -> HostReply.Answered(answer.text)
        is Answer.Declined -> HostReply.Declined(answer.why)
        Answer.Cancelled -> ToolFailure.cancelled().let { HostReply.Failed(it.code, it.text) }
    }
}

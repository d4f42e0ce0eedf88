package dev.siderail.toolwindow

import dev.siderail.bridge.QuestionKind
import dev.siderail.engine.Answer
import dev.siderail.engine.OpenQuestion

/**
 * The questions of agents that wait for the person, with what has been typed so far. No Swing; owned by one
 * thread. A question that stays keeps its draft, however often the desk reports.
 */
class QuestionModel {
    private var drafts: List<QuestionDraft> = emptyList()

    val open: List<QuestionDraft> get() = drafts

    /** Takes what lies on the desk; true when [open] changed. */
    fun show(questions: List<OpenQuestion>): Boolean {
        val known = drafts.associateBy { it.asked.id }
        val now = questions.map { known[it.id] ?: QuestionDraft(it) }
        val isNew = now.map { it.asked.id } != drafts.map { it.asked.id }
        drafts = now
        return isNew
    }
}

/** An answer in the making. */
class QuestionDraft(internal val asked: OpenQuestion) {
    val question get() = asked.question
    val kind get() = question.kind

    /** What is typed or chosen. A confirmation starts without an answer: a habit of Enter must not confirm. */
    var text: String = if (kind == QuestionKind.CONFIRMATION) "" else question.default.orEmpty()

    /** Why the answer cannot be given yet, as a key of the texts; null when it can. */
    val obstacle: String?
        get() = when {
            text.isBlank() && kind == QuestionKind.CHOICE -> "question.needs.choice"
            text.isBlank() && kind == QuestionKind.FILE_SELECTION -> "question.needs.file"
            text.isBlank() -> "question.needs.text"
            kind == QuestionKind.CHOICE && text !in question.options -> "question.needs.choice"
            else -> null
        }

    /** Gives the answer; false while there is an [obstacle]. */
    fun submit(): Boolean {
        if (obstacle != null) return false
        asked.answer(Answer.Given(if (kind == QuestionKind.CLARIFICATION) text else text.trim()))
        return true
    }

    fun confirm(isYes: Boolean) = asked.answer(Answer.Given(if (isYes) "yes" else "no"))

    /** Declines, with what was typed as the reason where the question takes free text. */
    fun decline(why: String = "") = asked.answer(Answer.Declined(why.trim()))
}

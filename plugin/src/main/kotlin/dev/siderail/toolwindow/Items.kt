package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.CallStatus
import dev.siderail.bridge.ChangeKind
import dev.siderail.bridge.DeniedBy
import dev.siderail.bridge.ErrorKind
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.ItemKind
import dev.siderail.bridge.PlanEntryStatus
import dev.siderail.bridge.PromptWay
import dev.siderail.bridge.ProposalState
import dev.siderail.bridge.StopReason
import dev.siderail.document.ChangePart
import dev.siderail.document.Lines
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone

/**
 * Makes items of what the engine says of a conversation, and words its notices. What is not understood is not an item:
 * a later engine may have more of them. Pure.
 */
internal object Items {
    /** The item that [body] is about; a notice is the [event] that its patch came with. */
    fun of(id: Long, body: JsonObject, event: Event, clock: Stopwatch): ConversationItem? = when (ItemKind.of(body.text("item"))) {
        ItemKind.PROMPT -> way(body.text("way"))?.let { PromptItem(id, body.text("text"), it) }
        ItemKind.SPEECH -> SpeechItem(id, body.flag("is_thought"))
        ItemKind.CALL -> ToolItem(id, facts(body), clock)
        ItemKind.CALLS -> GroupItem(id, emptyList())
        ItemKind.PLAN -> PlanItem(id, steps(body))
        ItemKind.PROPOSAL -> ProposalItem(id, body.number("request_id"), pieces(body, "blocks"))
        ItemKind.CHANGES -> ChangesItem(id, files(body)).also { it.canRevert = !body.flag("is_past") }
        ItemKind.PAST_BEGINS -> DividerItem(id, body.decimal("at")?.let { Texts["past.begin.at", Moments.dayAndTime(it.toLong())] } ?: Texts["past.begin"])
        ItemKind.PAST_OMITTED -> NoticeItem(id, Tone.INFO, Texts["past.omitted", body.number("entries")])
        ItemKind.PAST_ENDS -> DividerItem(id, Texts.find("past.end.${body.text("by")}") ?: Texts["past.end.load"])
        ItemKind.NOTICE -> notice(id, event.body.get("entry") as? JsonObject ?: event.body, body.texts("log"))
        null -> null
    }

    /** The item is now as [body] says. */
    fun update(item: ConversationItem, body: JsonObject) {
        when (item) {
            is ToolItem -> item.facts = facts(body)
            is PlanItem -> item.steps = steps(body)
            is ProposalItem -> item.state = ProposalState.of(body.text("state")) ?: ProposalState.WAITING
            else -> Unit
        }
    }

    fun pieces(body: JsonObject, member: String): List<Piece> = body.objects(member).mapNotNull { piece ->
        val html = piece.textOrNull("html")
        val code = piece.get("code") as? JsonObject
        if (html != null) Piece.Html(html) else code?.let { Piece.Code(it.text("language"), it.text("text")) }
    }

    /** The blocks of speech that may still change: all of them anew, the last one longer, or as [before]. */
    fun open(patch: JsonObject, before: List<Piece>): List<Piece> {
        if (patch.has("open")) return pieces(patch, "open")
        val last = before.lastOrNull() as? Piece.Code ?: return before
        val more = patch.textOrNull("more_code") ?: return before
        return before.dropLast(1) + last.copy(text = last.text + more)
    }

    fun glance(change: JsonObject) =
        Glance(change.texts("lines"), change.number("n_lines").toInt(), change.number("added").toInt(), change.number("removed").toInt())

    fun changes(body: JsonObject): List<FileChange> =
        body.objects("diffs").map { FileChange(it.text("path"), it.textOrNull("old_text"), it.text("new_text")) }

    /** How a prompt is shown; one that the engine wrote has a notice of its own. */
    private fun way(word: String): PromptWay? = PromptWay.of(word)?.takeIf { it != PromptWay.CONTINUATION && it != PromptWay.PLAN }

    private fun facts(body: JsonObject) = ToolFacts(
        tool = body.text("tool"),
        kind = body.text("kind"),
        title = body.text("title"),
        isDescribed = body.flag("is_described"),
        command = body.textOrNull("command"),
        paths = body.texts("paths"),
        isOwn = body.flag("is_own"),
        status = CallStatus.of(body.text("status")) ?: CallStatus.PENDING,
        output = body.text("output"),
        changes = (body.get("change") as? JsonObject)?.let { texts(it, body.texts("paths")) } ?: changes(body),
        glance = (body.get("change") as? JsonObject)?.let(::glance),
        denial = (body.get("denial") as? JsonObject)?.let(::denial),
        seconds = body.number("seconds").toInt(),
    )

    /** What a unified diff shows of the texts before and after. */
    private fun texts(change: JsonObject, paths: List<String>): List<FileChange>? =
        change.textOrNull("old_text")?.let { listOf(FileChange(paths.firstOrNull().orEmpty(), it, change.text("new_text"))) }

    private fun denial(body: JsonObject) = Denial(
        by = DeniedBy.of(body.text("by")),
        reason = body.text("reason"),
        guidance = body.text("guidance"),
        channel = body.text("channel"),
        instead = body.text("instead"),
        receipt = body.text("receipt"),
        outcome = when {
            body.get("is_followed")?.isJsonPrimitive != true -> Denial.Outcome.UNKNOWN
            body.flag("is_followed") -> Denial.Outcome.FOLLOWED
            else -> Denial.Outcome.IGNORED
        },
    )

    private fun steps(body: JsonObject) = body.objects("entries").map {
        PlanStep(it.text("text"), PlanEntryStatus.of(it.text("status")) ?: PlanEntryStatus.PENDING, it.text("priority"))
    }

    private fun files(body: JsonObject) = body.objects("files").map {
        FileEntry(it.text("path"), ChangeKind.of(it.text("kind")) ?: ChangeKind.CHANGED, it.textOrNull("old_text"), it.textOrNull("new_text"), parts(it))
    }

    private fun parts(file: JsonObject) = file.numbers("parts", 4).mapIndexed { at, (old, oldEnd, new, newEnd) ->
        ChangePart(at, Lines(old, oldEnd), Lines(new, newEnd))
    }

    private fun notice(id: Long, event: JsonObject, log: List<String>): NoticeItem? {
        val text = event.text("text")
        return when (EventName.of(event.text("event"))) {
            EventName.AGENT_LOG -> NoticeItem(id, Tone.INFO, Texts["notice.agent"], text)
            EventName.AGENT_NOTICE -> NoticeItem(id, severity(event.text("severity")), Texts["notice.agent"], text)
            EventName.PLANNING_STARTED -> NoticeItem(id, Tone.INFO, Texts["notice.planning"], Texts["notice.planning.text"])
            EventName.NUDGE -> NoticeItem(id, Tone.INFO, Texts["notice.nudge"], text)
            EventName.AUTO_RETRY -> NoticeItem(id, Tone.INFO, Texts["notice.retry"], Texts["notice.retry.text", event.number("attempt")])
            EventName.RETRY_EXHAUSTED -> NoticeItem(id, Tone.WARNING, Texts["notice.exhausted"], Texts["notice.exhausted.text", event.number("attempts")])
            EventName.INACTIVITY_TIMEOUT ->
                NoticeItem(id, Tone.WARNING, Texts["notice.silent"], text.ifBlank { Texts["notice.silent.text", event.number("seconds")] })
            EventName.UNGUARDED -> NoticeItem(id, Tone.BAD, Texts["notice.unguarded"], text)
            EventName.TURN_ENDED -> stopped(id, event.text("stop_reason"), text)
            EventName.ERROR -> error(id, event, log)
            else -> null
        }
    }

    private fun severity(word: String) = when {
        word in listOf("error", "critical") -> Tone.BAD
        word.startsWith("warn") -> Tone.WARNING
        else -> Tone.INFO
    }

    private fun stopped(id: Long, reason: String, text: String): NoticeItem {
        val tone = if (reason == StopReason.CANCELLED.word) Tone.INFO else Tone.WARNING
        return NoticeItem(id, tone, Texts.find("stop.$reason") ?: Texts["stop.other", reason], text)
    }

    private fun error(id: Long, event: JsonObject, log: List<String>): NoticeItem {
        val kind = event.text("kind")
        // The first line says what happened; what follows are the agent's own last words.
        val lines = event.text("text").lines()
        val text = listOf(lines.first().replaceFirstChar { it.uppercase() }, event.text("hint")).filter { it.isNotBlank() }.joinToString("\n")
        // A login has a card of its own, with the headline.
        if (kind == ErrorKind.LOGIN.word) return NoticeItem(id, Tone.INFO, text.substringBefore('\n'), text.substringAfter('\n', ""))
        val tail = lines.drop(1).dropWhile { it.endsWith(":") }.ifEmpty { log }.joinToString("\n")
        return NoticeItem(id, Tone.BAD, Texts.find("error.$kind") ?: Texts["error.other"], text, tail, offersRestart = true)
    }
}

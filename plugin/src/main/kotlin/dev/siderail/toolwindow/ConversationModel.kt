package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.Event
import dev.siderail.settings.Texts

/**
 * A conversation made out of a session's events. No Swing; owned by one thread.
 *
 * Bounded: at most [maxItems] items and [maxCharacters] characters, the oldest go first ([dropped] counts them).
 * Pieces of one message are one item, so that a session of a hundred thousand events is a few hundred items.
 * What a view has to do after a batch of events is in [takeChanged]: nothing else needs to be looked at.
 */
class ConversationModel(
    private val maxItems: Int = 2_000,
    private val maxCharacters: Int = 4_000_000,
) {
    private val list = ArrayDeque<ConversationItem>()
    private val changed = LinkedHashSet<ConversationItem>()
    private val tools = ToolCalls(::newTool, ::touched)
    private val stderr = ArrayDeque<String>()
    private var nextId = 1L
    private var characters = 0
    private var plan: PlanItem? = null
    private var isUnguarded = false

    val items: List<ConversationItem> get() = list
    var dropped: Int = 0
        private set

    /** The items that are new or different since the last call, in the order in which they first changed. */
    fun takeChanged(): List<ConversationItem> = changed.toList().also { changed.clear() }

    fun apply(event: Event) {
        val body = event.body
        when (event.name) {
            "AGENT_MESSAGE" -> speech(body, isThought = false)
            "AGENT_THOUGHT" -> speech(body, isThought = true)
            "TOOL_CALL" -> if (tools.toolCall(body)) closeSpeech()
            "OWN_TOOL" -> if (tools.ownTool(body)) closeSpeech()
            "PERMISSION_REQUEST" -> tools.requested(body)
            "PRE_REJECTION_GUIDANCE" -> tools.guidance(body)
            "PERMISSION_DENIED" -> tools.denied(body)
            "PERMISSION_APPROVED" -> tools.approved(body)
            "GUIDANCE_RECEIPT" -> tools.receipt(body)
            "GUIDANCE_FOLLOWED" -> tools.outcome(body, Denial.Outcome.FOLLOWED)
            "GUIDANCE_IGNORED" -> tools.outcome(body, Denial.Outcome.IGNORED)
            "PLAN" -> plan(body)
            "TURN_STARTED" -> turnStarted(body)
            "TURN_ENDED" -> turnEnded(body)
            else -> notice(event.name, body)
        }
        bound()
    }

    private fun notice(name: String, body: JsonObject) {
        when (name) {
            "AGENT_LOG" ->
                if (body.text("kind") == "notice") add(NoticeItem(nextId++, Tone.INFO, Texts["notice.agent"], body.text("text"))) else log(body.text("text"))
            "NUDGE" -> add(NoticeItem(nextId++, Tone.INFO, Texts["notice.nudge"], body.text("text")))
            "AUTO_RETRY" -> add(NoticeItem(nextId++, Tone.INFO, Texts["notice.retry"], Texts["notice.retry.text", body.number("attempt")]))
            "RETRY_EXHAUSTED" -> add(
                NoticeItem(nextId++, Tone.WARNING, Texts["notice.exhausted"], Texts["notice.exhausted.text", body.number("attempts")]),
            )
            "INACTIVITY_TIMEOUT" -> add(
                NoticeItem(nextId++, Tone.WARNING, Texts["notice.silent"], body.text("text").ifBlank { Texts["notice.silent.text", body.number("seconds")] }),
            )
            "UNGUARDED" -> if (!isUnguarded) {
                isUnguarded = true
                add(NoticeItem(nextId++, Tone.BAD, Texts["notice.unguarded"], body.text("text")))
            }
            "ERROR" -> error(body)
        }
    }

    /** The tool call that a permission request belongs to, where it is known. */
    fun toolOf(request: Event): ToolItem? = tools.find(request.body)

    /** A prompt of the person's; the engine's `TURN_STARTED` repeats it and adds nothing. */
    fun prompt(text: String) {
        closeSpeech()
        plan = null
        add(PromptItem(nextId++, text))
        bound()
    }

    /** Ends what is open when a session is over. */
    fun sessionEnded() {
        closeSpeech()
        tools.endAll()
    }

    private fun speech(body: JsonObject, isThought: Boolean) {
        val text = body.text("text")
        if (text.isEmpty()) return
        val messageId = body.textOrNull("message_id")
        var item = list.lastOrNull() as? SpeechItem
        val continues = item != null && !item.isClosed && item.isThought == isThought &&
            (item.messageId == messageId || messageId == null) && item.size < SPEECH
        if (!continues) {
            closeSpeech()
            item = SpeechItem(nextId++, isThought, messageId)
            add(item)
        }
        item!!.append(text)
        characters += text.length
        changed += item
    }

    private fun closeSpeech() {
        val last = list.lastOrNull() as? SpeechItem ?: return
        if (last.isClosed) return
        last.isClosed = true
        last.touch()
        changed += last
    }

    private fun plan(body: JsonObject) {
        val steps = body.objects("entries").map { PlanStep(it.text("text"), stepStatus(it.text("status")), it.text("priority")) }
        val known = plan
        if (known == null) {
            closeSpeech()
            plan = PlanItem(nextId++, steps).also(::add)
        } else {
            val before = known.size
            known.steps = steps
            touched(known, before)
        }
    }

    private fun stepStatus(word: String) = when (word) {
        "completed" -> StepStatus.COMPLETED
        "in_progress" -> StepStatus.IN_PROGRESS
        else -> StepStatus.PENDING
    }

    private fun turnStarted(body: JsonObject) {
        closeSpeech()
        if (body.text("origin") == "user" && lastPrompt() != body.text("text")) prompt(body.text("text"))
    }

    private fun lastPrompt() = (list.lastOrNull { it is PromptItem || it is ToolItem || it is SpeechItem } as? PromptItem)?.text

    private fun turnEnded(body: JsonObject) {
        closeSpeech()
        tools.endTurn()
        if (body.flag("continues")) return
        val reason = body.text("stop_reason")
        if (reason == "end_turn") return
        val known = Texts.find("stop.$reason")
        val tone = if (reason == "cancelled") Tone.INFO else Tone.WARNING
        add(NoticeItem(nextId++, tone, known ?: Texts["stop.other", reason], body.text("text")))
    }

    private fun error(body: JsonObject) {
        closeSpeech()
        val kind = body.text("kind")
        val title = Texts.find("error.$kind") ?: Texts["error.other"]
        // The first line says what happened; what follows are the agent's own last words.
        val lines = body.text("text").lines()
        val text = listOf(lines.first().replaceFirstChar { it.uppercase() }, body.text("hint")).filter { it.isNotBlank() }.joinToString("\n")
        val tail = lines.drop(1).dropWhile { it.endsWith(":") }.ifEmpty { stderr.takeIf { kind in DEATHS }.orEmpty() }.joinToString("\n")
        add(NoticeItem(nextId++, Tone.BAD, title, text, tail, offersRestart = true))
    }

    private fun log(line: String) {
        stderr.addLast(line.take(LOG_LINE))
        if (stderr.size > LOG_LINES) stderr.removeFirst()
    }

    private fun newTool(): ToolItem {
        closeSpeech()
        return ToolItem(nextId++).also(::add)
    }

    private fun add(item: ConversationItem) {
        list.addLast(item)
        characters += item.size
        changed += item
    }

    private fun touched(item: ConversationItem, sizeBefore: Int) {
        item.touch()
        characters += item.size - sizeBefore
        changed += item
    }

    private fun bound() {
        while (list.size > 1 && (list.size > maxItems || characters > maxCharacters)) {
            val oldest = list.removeFirst()
            characters -= oldest.size
            changed -= oldest
            (oldest as? ToolItem)?.let(tools::forget)
            if (oldest === plan) plan = null
            dropped++
        }
    }

    private companion object {
        /** A message that grows beyond this goes on in an item of its own. */
        const val SPEECH = 200_000
        val DEATHS = setOf("closed", "spawn", "handshake")
        const val LOG_LINES = 40
        const val LOG_LINE = 400
    }
}

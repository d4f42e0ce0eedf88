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
    private val tools = ToolCalls(::newTool, ::touched, ::joined)
    private val stderr = ArrayDeque<String>()
    private var nextId = 1L

    /** The engine's clock at the last event. */
    private var now = 0.0
    private var characters = 0
    private var plan: PlanItem? = null
    private var changes: ChangesItem? = null
    private val proposals = HashMap<Long, Pair<ProposalItem, List<PlanStep>>>()
    private val past = PastReader()
    private var isUnguarded = false

    val items: List<ConversationItem> get() = list
    var dropped: Int = 0
        private set

    /** The items that are new or different since the last call, in the order in which they first changed. */
    fun takeChanged(): List<ConversationItem> = changed.toList().also { changed.clear() }

    fun apply(event: Event) {
        now = event.t
        when (event.name) {
            "RESTORED" -> past.restored(event.body)
            "RESUMED" -> past.resumed(event.body)
            else -> happened(event.name, event.body)
        }
        bound()
    }

    private fun happened(name: String, body: JsonObject) {
        when (name) {
            "AGENT_MESSAGE" -> speech(body, isThought = false)
            "AGENT_THOUGHT" -> speech(body, isThought = true)
            "TOOL_CALL" -> if (tools.toolCall(body)) closeSpeech()
            "OWN_TOOL" -> if (tools.ownTool(body)) closeSpeech()
            "PERMISSION_REQUEST" -> tools.requested(body)
            "PRE_REJECTION_GUIDANCE" -> tools.guidance(body)
            "PERMISSION_DENIED" -> tools.denied(body)
            "PERMISSION_APPROVED" -> tools.approved(body)
            "GUIDANCE_RECEIPT" -> tools.receipt(body)
            "GUIDANCE_FOLLOWED" -> tools.followed(body)
            "GUIDANCE_IGNORED" -> tools.outcome(body, Denial.Outcome.IGNORED)
            "PLAN" -> plan(steps(body))
            "PLAN_PROPOSED" -> proposed(body)
            "PLAN_APPROVED" -> approved(body)
            "PLAN_REJECTED" -> rejected(body)
            "CHANGES" -> changed(body)
            "REVERTED" -> reverted(body)
            "STEERED" -> if (body.flag("taken")) said(body.text("text"), PromptWay.STEERED)
            "TURN_STARTED" -> turnStarted(body)
            "TURN_ENDED" -> turnEnded(body)
            else -> notice(name, body)
        }
    }

    private fun notice(name: String, body: JsonObject) {
        when (name) {
            "AGENT_LOG" ->
                if (body.text("kind") == "notice") add(NoticeItem(nextId++, Tone.INFO, Texts["notice.agent"], body.text("text"))) else log(body.text("text"))
            "AGENT_NOTICE" -> {
                val severity = body.text("severity")
                val tone = if (severity in listOf("error", "critical")) Tone.BAD else if (severity.startsWith("warn")) Tone.WARNING else Tone.INFO
                add(NoticeItem(nextId++, tone, Texts["notice.agent"], body.text("text")))
            }
            "PLANNING_STARTED" -> add(NoticeItem(nextId++, Tone.INFO, Texts["notice.planning"], Texts["notice.planning.text"]))
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

    /** What the person wrote, the oldest first. */
    val prompts: List<String> get() = items.filterIsInstance<PromptItem>().map { it.text }.filter { it.isNotBlank() }

    /** A prompt of the person's; the engine's `TURN_STARTED` repeats it and adds nothing. */
    fun prompt(text: String, attached: List<String> = emptyList()) {
        plan = null
        changes?.let { known ->
            known.canRevert = false
            touched(known, known.size)
        }
        changes = null
        said(text, PromptWay.PROMPT, attached)
        bound()
    }

    /** Says that a new session's agent knows nothing of what stands here. */
    fun startsAnew() {
        closeSpeech()
        add(NoticeItem(nextId++, Tone.WARNING, Texts["notice.anew"], Texts["notice.anew.text"]))
        bound()
    }

    private fun said(text: String, way: PromptWay, attached: List<String> = emptyList()) {
        closeSpeech()
        add(PromptItem(nextId++, text, way, attached))
    }

    /** How far the work on the plan is: steps done, and steps in all; null without a plan. */
    val progress: Pair<Int, Int>? get() = plan?.steps?.takeIf { it.isNotEmpty() }?.let { steps -> steps.count { it.status == StepStatus.COMPLETED } to steps.size }

    /** The files that the last prompt has changed, while they can be taken back. */
    val revertible: ChangesItem? get() = changes

    /** Says that a file's change is being taken back. False where there is none to take back. */
    fun reverting(path: String): Boolean {
        val known = changes ?: return false
        val file = known.open.find { it.path == path } ?: return false
        file.state = RevertState.REVERTING
        touched(known, known.size)
        return true
    }

    /** What the person decided about changes. */
    internal fun settled(item: ChangesItem) = touched(item, item.size)

    /** The files are as they were before a prompt, but for the [refused] ones. */
    fun wentBack(files: Int, refused: List<String>) {
        closeSpeech()
        val text = if (refused.isEmpty()) Texts["back.text"] else Texts["back.refused", refused.joinToString(", ")]
        add(NoticeItem(nextId++, if (refused.isEmpty()) Tone.INFO else Tone.WARNING, Texts["back.title", files], text))
        bound()
    }

    /** Ends what is open when a session is over. */
    fun sessionEnded() {
        closeSpeech()
        tools.endAll()
        proposals.values.forEach { (item) -> if (item.state == ProposalState.WAITING) settle(item, ProposalState.TURNED_DOWN) }
        proposals.clear()
        changes?.let { known ->
            known.canRevert = false
            known.files.filter { it.state == RevertState.REVERTING }.forEach { it.state = RevertState.STANDS }
            touched(known, known.size)
        }
        changes = null
    }

    private fun speech(body: JsonObject, isThought: Boolean) {
        val text = body.text("text")
        if (text.isEmpty()) return
        val messageId = body.textOrNull("message_id")
        var item = list.lastOrNull() as? SpeechItem
        val continues = item != null && !item.isClosed && !item.isPast && item.isThought == isThought &&
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

    private fun steps(body: JsonObject) =
        body.objects("entries").map { PlanStep(it.text("text"), stepStatus(it.text("status")), it.text("priority")) }

    private fun plan(steps: List<PlanStep>) {
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

    private fun proposed(body: JsonObject) {
        closeSpeech()
        val item = ProposalItem(nextId++, body.number("request_id"), body.text("text"))
        proposals[item.requestId] = item to steps(body)
        add(item)
    }

    /** The steps go on below the approval, where the work is. */
    private fun approved(body: JsonObject) {
        val (item, steps) = proposals.remove(body.number("request_id")) ?: return
        settle(item, ProposalState.APPROVED)
        val known = plan
        known?.let(::drop)
        plan = null
        (known?.steps ?: steps).takeIf { it.isNotEmpty() }?.let(::plan)
    }

    private fun rejected(body: JsonObject) {
        val (item) = proposals.remove(body.number("request_id")) ?: return
        val feedback = body.text("text")
        settle(item, if (feedback.isBlank()) ProposalState.TURNED_DOWN else ProposalState.SENT_BACK)
        if (feedback.isNotBlank()) said(feedback, PromptWay.FEEDBACK)
    }

    private fun settle(item: ProposalItem, state: ProposalState) {
        item.state = state
        touched(item, item.size)
    }

    private fun changed(body: JsonObject) {
        val files = body.objects("files").map {
            FileEntry(it.text("path"), FileKind.of(it.text("kind")), it.textOrNull("old_text"), it.textOrNull("new_text"))
        }
        closeSpeech()
        changes?.let(::drop)
        val item = ChangesItem(nextId++, files)
        item.canRevert = !past.isReading
        changes = item.takeIf { it.canRevert }
        add(item)
    }

    private fun reverted(body: JsonObject) {
        val known = changes ?: return
        val file = known.files.find { it.path == body.text("path") } ?: return
        file.state = if (body.flag("done")) RevertState.REVERTED else RevertState.REFUSED
        file.refusal = body.text("text")
        touched(known, known.size)
    }

    private fun stepStatus(word: String) = when (word) {
        "completed" -> StepStatus.COMPLETED
        "in_progress" -> StepStatus.IN_PROGRESS
        else -> StepStatus.PENDING
    }

    private fun turnStarted(body: JsonObject) {
        closeSpeech()
        if (body.text("origin") == "user" && (past.isReading || lastPrompt() != body.text("text"))) prompt(body.text("text"))
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
        // A login has a card of its own, with the headline.
        if (kind == "login") {
            add(NoticeItem(nextId++, Tone.INFO, text.substringBefore('\n'), text.substringAfter('\n', "")))
            return
        }
        add(NoticeItem(nextId++, Tone.BAD, title, text, tail, offersRestart = true))
    }

    private fun log(line: String) {
        stderr.addLast(line.take(LOG_LINE))
        if (stderr.size > LOG_LINES) stderr.removeFirst()
    }

    private fun newTool(): ToolItem {
        closeSpeech()
        return ToolItem(nextId++).also { it.beganAt = now.takeUnless { past.isReading } }.also(::add)
    }

    /** A denied call and the one in its place are one row. */
    private fun joined(denied: ToolItem, instead: ToolItem) {
        drop(denied)
        denied.holder = instead
        characters += denied.size
        touched(instead, instead.size)
    }

    /** Makes one row of calls in a row that only looked at something, once something else comes below them. */
    private fun group() {
        val run = list.takeLastWhile { it is ToolItem && it.isQuietLook && it.isPast == past.isReading }.map { it as ToolItem }
        val group = list.getOrNull(list.size - run.size - 1) as? GroupItem
        if (run.isEmpty() || group == null && run.size < GROUP) return
        run.forEach(::drop)
        val into = group ?: GroupItem(nextId++, emptyList()).also(::put)
        into.tools += run
        run.forEach { it.holder = into }
        characters += run.sumOf { it.size }
        touched(into, into.size)
    }

    private fun add(item: ConversationItem) {
        group()
        put(item)
    }

    private fun put(item: ConversationItem) {
        item.isPast = past.isReading
        list.addLast(item)
        characters += item.size
        changed += item
    }

    private fun touched(item: ConversationItem, sizeBefore: Int) {
        if (item is ToolItem && !item.isOpen && item.seconds == 0) item.seconds = item.beganAt?.let { (now - it).toInt() } ?: 0
        characters += item.size - sizeBefore
        val shown = generateSequence(item) { (it as? ToolItem)?.holder }.last()
        shown.touch()
        changed += shown
    }

    private fun drop(item: ConversationItem) {
        if (!list.remove(item)) return
        characters -= item.size
        changed -= item
    }

    private fun bound() {
        while (list.size > 1 && (list.size > maxItems || characters > maxCharacters)) {
            val oldest = list.removeFirst()
            characters -= oldest.size
            changed -= oldest
            (oldest as? ToolItem)?.let {
                tools.forget(it)
                it.insteadOf?.let(::forgetFolded)
            }
            (oldest as? GroupItem)?.tools?.forEach(::forgetFolded)
            if (oldest === plan) plan = null
            if (oldest === changes) changes = null
            dropped++
        }
    }

    /** A group's size is that of its calls; what was folded into a call has a size of its own. */
    private fun forgetFolded(folded: ToolItem) {
        tools.forget(folded)
        if (folded.holder is ToolItem) characters -= folded.size
    }

    /** What an earlier conversation holds, shown between two lines: where it begins, and where the present does. */
    private inner class PastReader {
        private var end: DividerItem? = null
        private var hasBegun = false

        /** True while something of the past is being taken. */
        var isReading = false
            private set

        fun restored(body: JsonObject) = reading {
            closeSpeech()
            begin(body.decimal("at")?.toLong())
            body.get("entry")?.takeIf { it.isJsonObject }?.asJsonObject?.let { happened(it.text("event"), it) }
            closeSpeech()
            // An agent may tell more after its session is open: the present begins below all of it.
            end?.let {
                drop(it)
                add(it)
            }
        }

        private fun begin(at: Long?) {
            if (hasBegun) return
            hasBegun = true
            add(DividerItem(nextId++, if (at == null) Texts["past.begin"] else Texts["past.begin.at", Moments.dayAndTime(at)]))
        }

        fun resumed(body: JsonObject) {
            tools.endAll()
            plan = null
            // The agent was started anew amid a conversation that it remembers.
            if (list.any { it is PromptItem && !it.isPast } && body.text("by") != "history") return
            val way = Texts.find("past.end.${body.text("by")}") ?: Texts["past.end.load"]
            val omitted = body.number("omitted")
            reading {
                if (omitted > 0 && hasBegun) add(NoticeItem(nextId++, Tone.INFO, Texts["past.omitted", omitted]))
                end?.let(::drop)
                end = DividerItem(nextId++, way).also(::add)
            }
        }

        private fun reading(read: () -> Unit) {
            isReading = true
            read()
            isReading = false
        }
    }

    private companion object {
        /** A message that grows beyond this goes on in an item of its own. */
        const val SPEECH = 200_000

        /** So many calls that only looked are one row. */
        const val GROUP = 3
        val DEATHS = setOf("closed", "spawn", "handshake")
        const val LOG_LINES = 40
        const val LOG_LINE = 400
    }
}

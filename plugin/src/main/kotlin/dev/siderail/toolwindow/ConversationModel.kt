package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.CallStatus
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.PatchKind
import dev.siderail.bridge.PromptWay
import dev.siderail.bridge.ProposalState
import dev.siderail.engine.Attachment
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone

/**
 * The conversation that a window shows. What belongs together, and what a call or a plan has become, the engine says
 * ([patches]); this keeps the items, and adds what only the window knows: a prompt before the engine has taken it, what
 * was decided about changes. No Swing; owned by one thread.
 *
 * Bounded: at most [maxItems] items and [maxCharacters] characters, the oldest go first ([dropped] counts them). What was
 * attached to prompts has a bound of its own, [maxAttached] characters: images weigh more than all that is said. What a view
 * has to do after a batch of events is in [takeChanged]: nothing else needs to be looked at.
 */
class ConversationModel(
    private val maxItems: Int = 2_000,
    private val maxCharacters: Int = 4_000_000,
    private val maxAttached: Int = 20_000_000,
    /** What the seconds of running calls, and of the chat's turns, are counted by. */
    internal val clock: Stopwatch = Stopwatch(),
    private val patches: (Event) -> List<JsonObject> = Event::view,
) {
    private val list = ArrayDeque<ConversationItem>()
    private val changed = LinkedHashSet<ConversationItem>()

    /** The items by the engine's numbers, also those that others show. */
    private val byId = HashMap<Long, ConversationItem>()
    private val byRequest = HashMap<Long, ConversationItem>()
    private val asked = HashMap<Long, Glance>()

    /** Counts down: the engine's numbers are above 0. */
    private var nextId = -1L
    private var characters = 0
    private var plan: PlanItem? = null
    private var changes: ChangesItem? = null

    val items: List<ConversationItem> get() = list
    var dropped: Int = 0
        private set

    /** What the person wrote, the oldest first. */
    val prompts: List<String> get() = items.filterIsInstance<PromptItem>().map { it.text }.filter { it.isNotBlank() }

    /** How far the work on the plan is; null without a plan. */
    val progress: Progress? get() = plan?.steps?.takeIf { it.isNotEmpty() }?.let(Progress::of)

    /** The files that the last prompt has changed, while they can be reverted. */
    val revertible: ChangesItem? get() = changes

    /** The items that are new or different since the last call, in the order in which they first changed. */
    fun takeChanged(): List<ConversationItem> = changed.toList().also { changed.clear() }

    /** The tool call that a permission request belongs to, where it is known. */
    fun toolOf(requestId: Long): ToolItem? = byRequest[requestId] as? ToolItem

    /** The plan that a person is asked about. */
    fun proposalOf(requestId: Long): ProposalItem? = byRequest[requestId] as? ProposalItem

    /** The change that a permission request is about; it comes once. */
    fun takeAsked(requestId: Long): Glance? = asked.remove(requestId) ?: toolOf(requestId)?.glance

    fun apply(event: Event) {
        for (patch in patches(event)) follow(patch, event)
        if (event.known == EventName.REVERTED) reverted(event.body)
        bound()
    }

    private fun follow(patch: JsonObject, event: Event) {
        when (PatchKind.of(patch.text("patch"))) {
            PatchKind.APPEND -> append(patch, event)
            PatchKind.REPLACE -> byId[patch.number("id")]?.let { replace(it, patch) }
            PatchKind.EXTEND -> (byId[patch.number("id")] as? SpeechItem)?.let { speech ->
                val text = patch.text("text")
                speech.extend(text, Items.pieces(patch, "settled"), Items.open(patch, speech.open), patch.flag("is_closed"))
                characters += text.length
                changed += speech
            }
            PatchKind.FOLD -> byId[patch.number("into")]?.let { into -> patch.numbers("ids").forEach { fold(it, into) } }
            PatchKind.REMOVE -> byId.remove(patch.number("id"))?.let(::drop)
            PatchKind.ASKED -> (patch.get("change") as? JsonObject)?.let { asked[patch.number("request_id")] = Items.glance(it) }
            null -> Unit
        }
    }

    private fun append(patch: JsonObject, event: Event) {
        val id = patch.number("id")
        val item = Items.of(id, patch, event, clock) ?: return
        val isPast = patch.flag("is_past")
        if (item is PromptItem && item.way == PromptWay.USER) {
            plan = null
            if (!isPast) keepsChanges()
            // The window has shown it when it was sent.
            if (!isPast && lastSaid()?.text == item.text) return
        }
        byId[id] = item
        indexed(item, patch)
        put(item, isPast)
        if (item is PlanItem) plan = item
        if (item is ChangesItem) changes = item.takeIf { it.canRevert } ?: changes
    }

    private fun replace(item: ConversationItem, patch: JsonObject) {
        val before = item.size
        Items.update(item, patch)
        indexed(item, patch)
        touched(item, before)
    }

    private fun indexed(item: ConversationItem, patch: JsonObject) {
        patch.numbers("request_ids").forEach { byRequest[it] = item }
        if (item is ProposalItem) byRequest[item.requestId] = item
    }

    private fun fold(id: Long, into: ConversationItem) {
        val folded = byId[id] as? ToolItem ?: return
        drop(folded)
        folded.holder = into
        characters += folded.size
        when (into) {
            is ToolItem -> into.insteadOf = folded
            is GroupItem -> into.tools += folded
            else -> Unit
        }
        touched(into, into.size)
    }

    /** A prompt of the person's; the engine repeats it and adds nothing. */
    fun prompt(text: String, attachments: List<Attachment> = emptyList(), wantsPlan: Boolean = false) {
        plan = null
        keepsChanges()
        put(PromptItem(nextId--, text, PromptWay.USER, attachments, wantsPlan))
        bound()
        boundAttachments()
    }

    /** What was attached to the oldest prompts goes first; the prompts stay. */
    private fun boundAttachments() {
        var left = maxAttached
        for (item in list.asReversed()) {
            if (item !is PromptItem) continue
            left -= item.attachments.sumOf { it.size }
            if (left < 0) item.attachments = emptyList()
        }
    }

    private fun keepsChanges() {
        changes?.let { known ->
            known.canRevert = false
            touched(known, known.size)
        }
        changes = null
    }

    /** Says that a new session's agent knows nothing of what is shown here. */
    fun startsAnew() {
        put(NoticeItem(nextId--, Tone.WARNING, Texts["notice.anew"], Texts["notice.anew.text"]))
        bound()
    }

    /** Says that a file's change is being reverted. False if there is none to revert. */
    fun reverting(path: String): Boolean {
        val known = changes ?: return false
        val file = known.open.find { it.path == path } ?: return false
        file.state = RevertState.REVERTING
        touched(known, known.size)
        return true
    }

    private fun reverted(body: JsonObject) {
        val known = changes ?: return
        val file = known.files.find { it.path == body.text("path") } ?: return
        file.state = if (body.flag("done")) RevertState.REVERTED else RevertState.REFUSED
        file.refusal = body.text("text")
        touched(known, known.size)
    }

    /** What the person decided about changes. */
    internal fun settled(item: ChangesItem) = touched(item, item.size)

    /**
     * The files are as they were before a prompt, but for the [refused] ones; what was attached to it is, too, but for what
     * is [lost].
     */
    fun wentBack(files: Int, refused: List<String>, lost: List<String> = emptyList()) {
        val texts = listOfNotNull(
            if (refused.isEmpty()) Texts["back.text"] else Texts["back.refused", refused.joinToString(", ")],
            if (lost.isEmpty()) null else Texts["back.lost", lost.joinToString(", ")],
        )
        val tone = if (refused.isEmpty() && lost.isEmpty()) Tone.INFO else Tone.WARNING
        put(NoticeItem(nextId--, tone, Texts["back.title", files], texts.joinToString(" ")))
        bound()
    }

    /** Ends what is open when a session is over: nothing more is reported of it. */
    fun sessionEnded() {
        for (item in byId.values) {
            val before = item.size
            when {
                item is ToolItem && item.isOpen -> item.facts = item.facts.copy(status = CallStatus.CANCELLED)
                item is SpeechItem && !item.isClosed -> item.extend("", emptyList(), item.open, isClosed = true)
                item is ProposalItem && item.state == ProposalState.WAITING -> item.state = ProposalState.TURNED_DOWN
                item is PlanItem && item.isAtWork -> item.stop()
                else -> continue
            }
            touched(item, before)
        }
        changes?.files?.filter { it.state == RevertState.REVERTING }?.forEach { it.state = RevertState.STANDS }
        keepsChanges()
        byRequest.clear()
        asked.clear()
    }

    private fun lastSaid() = list.lastOrNull { it is PromptItem || it is ToolItem || it is SpeechItem } as? PromptItem

    private fun put(item: ConversationItem, isPast: Boolean = false) {
        item.isPast = isPast
        list.addLast(item)
        characters += item.size
        changed += item
    }

    private fun touched(item: ConversationItem, sizeBefore: Int) {
        characters += item.size - sizeBefore
        val shown = generateSequence(item) { (it as? ToolItem)?.holder }.last()
        shown.touch()
        changed += shown
    }

    /** What goes is near the end. */
    private fun drop(item: ConversationItem) {
        val at = list.lastIndexOf(item)
        if (at < 0) return
        list.removeAt(at)
        unlisted(item)
    }

    private fun unlisted(item: ConversationItem) {
        characters -= item.size
        changed -= item
        if (item === plan) plan = null
        if (item === changes) changes = null
    }

    private fun bound() {
        while (list.size > 1 && (list.size > maxItems || characters > maxCharacters)) {
            val oldest = list.removeFirst()
            unlisted(oldest)
            forget(oldest)
            dropped++
        }
    }

    /** A group's size is that of its calls; what was folded into a call has a size of its own. */
    private fun forget(item: ConversationItem) {
        byId.remove(item.id, item)
        byRequest.values.removeIf { it === item }
        when (item) {
            is ToolItem -> item.insteadOf?.let {
                forget(it)
                characters -= it.size
            }
            is GroupItem -> item.tools.forEach(::forget)
            else -> Unit
        }
    }
}

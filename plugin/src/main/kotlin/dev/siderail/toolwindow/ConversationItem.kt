package dev.siderail.toolwindow

import dev.siderail.bridge.CallStatus
import dev.siderail.bridge.ChangeKind
import dev.siderail.bridge.DeniedBy
import dev.siderail.bridge.PlanEntryStatus
import dev.siderail.bridge.PromptWay
import dev.siderail.bridge.ProposalState
import dev.siderail.document.ChangePart
import dev.siderail.document.ReviewedFile
import dev.siderail.engine.Attachment
import dev.siderail.ui.Tone

/**
 * What a conversation is made of, as data. Knows no Swing, and of the engine's messages their words alone:
 * [ConversationModel] keeps these as the engine says, views show them.
 *
 * An item keeps its [id] for as long as it is shown; [revision] rises with every change, so that a view can
 * tell whether it is up to date without comparing texts.
 */
sealed class ConversationItem(val id: Long) {
    var revision: Int = 0
        private set

    /**
     * True when it happened in an earlier conversation that is resumed: shown dimmed, nothing of it can be acted on.
     */
    var isPast: Boolean = false
        internal set

    /** Characters that are kept, for the conversation's bound. */
    abstract val size: Int

    internal fun touch() {
        revision++
    }
}

/** What the person wrote. */
class PromptItem(
    id: Long,
    val text: String,
    val way: PromptWay = PromptWay.USER,
    attachments: List<Attachment> = emptyList(),
    /** A plan was wanted first. */
    val plan: Boolean = false,
) : ConversationItem(id) {
    /** The names of what went along. */
    val attached: List<String> = attachments.map { it.name }

    /** What went along, to be sent again; none once it took too much memory. */
    var attachments: List<Attachment> = attachments
        internal set
    override val size get() = text.length
}

/** A block of what a model wrote, as the engine has read it. */
sealed interface Piece {
    /** HTML of the few tags that [HtmlPane] shows; nothing in it was a tag or an address of the model's own making. */
    data class Html(val html: String) : Piece

    data class Code(val language: String, val text: String) : Piece
}

/** What the model says, or thinks. */
class SpeechItem(id: Long, val isThought: Boolean) : ConversationItem(id) {
    private val written = StringBuilder()
    private val whole = ArrayList<Piece>()

    /** False while more may come. */
    var isClosed: Boolean = false
        internal set
    val text: String get() = written.toString()

    /** Blocks that nothing changes any more, and those behind them. */
    val settled: List<Piece> get() = whole
    var open: List<Piece> = emptyList()
        private set
    override val size get() = written.length

    internal fun extend(text: String, settled: List<Piece>, open: List<Piece>, isClosed: Boolean) {
        written.append(text)
        whole += settled
        this.open = open
        this.isClosed = isClosed
        touch()
    }
}

/** A file's change; the texts may be the changed parts only. */
data class FileChange(val path: String, val before: String?, val after: String)

/** A change for a glance: its first [lines], each behind `+`, `-` or a blank, of [all] that it has, and how many are [added] and [removed]. */
data class Glance(val lines: List<String>, val all: Int, val added: Int, val removed: Int) {
    val counts: String get() = "+$added −$removed"
}

/**
 * Why a tool call was denied and what became of the guidance. [by] is null where a later engine names somebody else;
 * [channel] and [receipt] are words to look a text up by, and shown as they are where there is none.
 */
data class Denial(
    val by: DeniedBy?,
    val reason: String,
    val guidance: String = "",
    val channel: String = "",
    val instead: String = "",
    val receipt: String = "",
    val outcome: Outcome = Outcome.UNKNOWN,
) {
    enum class Outcome { UNKNOWN, FOLLOWED, IGNORED }
}

/** What is known of a call. */
data class ToolFacts(
    val tool: String = "",
    /** A word of the agent's or of the engine's, to look a text up by. */
    val kind: String = "",
    val title: String = "",
    /** The title is our own words. */
    val isDescribed: Boolean = false,
    val command: String? = null,
    val paths: List<String> = emptyList(),
    val isOwn: Boolean = false,
    val status: CallStatus = CallStatus.PENDING,
    val output: String = "",
    val changes: List<FileChange> = emptyList(),
    val glance: Glance? = null,
    val denial: Denial? = null,
    /** How long it took, by the engine's clock. */
    val seconds: Int = 0,
)

/** A call of one of the agent's tools, or of ours. */
class ToolItem(id: Long, facts: ToolFacts, private val clock: Stopwatch = Stopwatch()) : ConversationItem(id) {
    internal var facts: ToolFacts = facts
        set(now) {
            // The time that a person took to decide does not count.
            if (field.status == CallStatus.ASKING && now.status != CallStatus.ASKING) began = clock.nanos()
            field = now
        }
    val tool: String get() = facts.tool
    val kind: String get() = facts.kind
    val title: String get() = facts.title
    val isDescribed: Boolean get() = facts.isDescribed
    val command: String? get() = facts.command
    val paths: List<String> get() = facts.paths
    val isOwn: Boolean get() = facts.isOwn
    val status: CallStatus get() = facts.status
    val output: String get() = facts.output
    val changes: List<FileChange> get() = facts.changes
    val glance: Glance? get() = facts.glance
    val denial: Denial? get() = facts.denial
    val seconds: Int get() = facts.seconds

    /** The denied call that this one took the place of; it has no row of its own then. */
    var insteadOf: ToolItem? = null
        internal set

    /** What shows this call: the one that took its place, or a group; null where it has a row of its own. */
    internal var holder: ConversationItem? = null

    private var began = clock.nanos()

    /** How long it is at it, by the clock of this process. */
    val secondsSoFar: Int get() = clock.secondsSince(began)

    override val size
        get() = output.length + changes.sumOf { it.after.length + (it.before?.length ?: 0) } +
            (denial?.guidance?.length ?: 0) + (command?.length ?: 0) + title.length

    val isOpen: Boolean get() = status == CallStatus.PENDING || status == CallStatus.RUNNING || status == CallStatus.ASKING

    /** True when there is more to show than a line. */
    val hasDetails: Boolean get() = output.isNotBlank() || denial != null || insteadOf != null || glance != null || (command?.contains('\n') == true)
}

/** Calls in a row that looked at something, as one row. */
class GroupItem(id: Long, tools: List<ToolItem>) : ConversationItem(id) {
    var tools: List<ToolItem> = tools
        internal set
    override val size get() = tools.sumOf { it.size }
}

data class PlanStep(val text: String, val status: PlanEntryStatus, val priority: String)

/** How many steps of a plan are [done], and the number of the step that is in progress, if the agent says so; [all] steps in total. */
data class Progress(val done: Int, val current: Int?, val all: Int) {
    companion object {
        fun of(steps: List<PlanStep>) = Progress(
            steps.count { it.status == PlanEntryStatus.COMPLETED },
            steps.indexOfFirst { it.status == PlanEntryStatus.IN_PROGRESS }.takeIf { it >= 0 }?.plus(1),
            steps.size,
        )
    }
}

/** The agent's plan; one per turn, replaced in place. */
class PlanItem(id: Long, steps: List<PlanStep>) : ConversationItem(id) {
    var steps: List<PlanStep> = steps
        internal set
    override val size get() = steps.sumOf { it.text.length }
    val isAtWork: Boolean get() = steps.any { it.status == PlanEntryStatus.IN_PROGRESS }

    /** Nobody is at a step any more; it is not done either. */
    internal fun stop() {
        steps = steps.map { if (it.status == PlanEntryStatus.IN_PROGRESS) it.copy(status = PlanEntryStatus.PENDING) else it }
    }
}

/** A plan that was put before the person, as the agent wrote it. */
class ProposalItem(id: Long, val requestId: Long, val pieces: List<Piece>) : ConversationItem(id) {
    var state: ProposalState = ProposalState.WAITING
        internal set
    override val size = pieces.sumOf {
        when (it) {
            is Piece.Html -> it.html.length
            is Piece.Code -> it.text.length
        }
    }
}

/** What became of a file's change: nothing yet, or it was reverted, or the person keeps it. */
enum class RevertState { STANDS, REVERTING, REVERTED, REFUSED, KEPT }

/**
 * A file that a prompt changed. [before] and [after] are null where there was no file, or no text that can be shown;
 * [refusal] says why it could not be reverted.
 */
class FileEntry(val path: String, val kind: ChangeKind, val before: String?, val after: String?, parts: List<ChangePart>) {
    var state: RevertState = RevertState.STANDS
        internal set
    var refusal: String = ""
        internal set

    /** The change as a viewer takes it; null where a side is not known. */
    val change: FileChange? = when (kind) {
        ChangeKind.CREATED -> after?.let { FileChange(path, null, it) }
        ChangeKind.DELETED -> before?.let { FileChange(path, it, "") }
        ChangeKind.CHANGED -> if (before == null || after == null) null else FileChange(path, before, after)
    }

    /** True while the person may decide about it. */
    val isOpen: Boolean get() = state == RevertState.STANDS || state == RevertState.REFUSED

    /** The change in parts; null where a side is not known. */
    val reviewed: ReviewedFile? = change?.let {
        ReviewedFile(path, before.takeIf { kind != ChangeKind.CREATED }, after.takeIf { kind != ChangeKind.DELETED }, parts)
    }

    /** Lines added and removed; null where that is not known. */
    val count: Pair<Int, Int>? = change?.let { parts.sumOf { it.new.size } to parts.sumOf { it.old.size } }
}

/** The files that one prompt changed; reported anew with each of its turns. */
class ChangesItem(id: Long, files: List<FileEntry>) : ConversationItem(id) {
    var files: List<FileEntry> = files
        internal set

    /** False once another prompt was sent: the engine then no longer knows what the files were, and the window goes by its own texts. */
    var canRevert: Boolean = true
        internal set
    override val size get() = files.sumOf { (it.before?.length ?: 0) + (it.after?.length ?: 0) + it.path.length }

    /** Those that are not decided about. */
    val open: List<FileEntry> get() = files.filter { it.isOpen }
}

/** A line across the conversation, such as where the past ends. */
class DividerItem(id: Long, val text: String) : ConversationItem(id) {
    override val size get() = text.length
}

/** Something the person should know: why a turn ended, that it was continued, that something ran unasked. */
class NoticeItem(
    id: Long,
    val tone: Tone,
    val title: String,
    val text: String = "",
    val details: String = "",
    val offersRestart: Boolean = false,
) : ConversationItem(id) {
    override val size get() = title.length + text.length + details.length
}

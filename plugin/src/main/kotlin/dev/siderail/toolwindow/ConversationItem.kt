package dev.siderail.toolwindow

import dev.siderail.document.ReviewedFile

/**
 * What a conversation is made of, as data. Knows no Swing and no event: [ConversationModel] makes these out of
 * events, views show them.
 *
 * An item keeps its [id] for as long as it is shown; [revision] rises with every change, so that a view can
 * tell whether it is up to date without comparing texts.
 */
sealed class ConversationItem(val id: Long) {
    var revision: Int = 0
        private set

    /** True when it happened in an earlier conversation that is gone on with: shown dimmed, nothing of it can be acted on. */
    var isPast: Boolean = false
        internal set

    /** Characters that are kept, for the conversation's bound. */
    abstract val size: Int

    internal fun touch() {
        revision++
    }
}

/** How what the person wrote came to the model. */
enum class PromptWay {
    /** As a prompt of its own. */
    PROMPT,

    /** Into the running turn. */
    STEERED,

    /** As what is to be different about a plan. */
    FEEDBACK,
}

/** What the person wrote. */
class PromptItem(id: Long, val text: String, val way: PromptWay = PromptWay.PROMPT, val attached: List<String> = emptyList()) : ConversationItem(id) {
    override val size get() = text.length
}

/** What the model says, or thinks. */
class SpeechItem(id: Long, val isThought: Boolean, val messageId: String?) : ConversationItem(id) {
    private val markdown = MarkdownStream()
    private val written = StringBuilder()

    /** False while more may come. */
    var isClosed: Boolean = false
        internal set
    val text: String get() = written.toString()
    val settled: List<Block> get() = markdown.settled
    val unsettled: List<Block> get() = markdown.unsettled
    override val size get() = written.length

    internal fun append(piece: String) {
        written.append(piece)
        markdown.append(piece)
        touch()
    }
}

enum class ToolStatus { PENDING, ASKING, RUNNING, DONE, FAILED, DENIED, CANCELLED }

/** A file's change; the texts may be the changed parts only. */
data class FileChange(val path: String, val before: String?, val after: String)

/** Why a tool call was denied and what became of the guidance. */
data class Denial(
    val by: String,
    val reason: String,
    val guidance: String = "",
    val channel: String = "",
    val instead: String = "",
    val receipt: String = "",
    val outcome: Outcome = Outcome.UNKNOWN,
) {
    enum class Outcome { UNKNOWN, FOLLOWED, IGNORED }
}

/** A call of one of the agent's tools, or of ours. */
class ToolItem(id: Long) : ConversationItem(id) {
    var callId: String? = null
        internal set
    var tool: String = ""
        internal set
    var kind: String = ""
        internal set
    var title: String = ""
        internal set
    var command: String? = null
        internal set
    var paths: List<String> = emptyList()
        internal set
    var isOwn: Boolean = false
        internal set
    var status: ToolStatus = ToolStatus.PENDING
        internal set
    var output: String = ""
        internal set
    var changes: List<FileChange> = emptyList()
        internal set

    /** A unified diff, where one of our tools changed a file. */
    var diff: String? = null
        internal set
    var denial: Denial? = null
        internal set

    /** The denied call that this one took the place of; it has no row of its own then. */
    var insteadOf: ToolItem? = null
        internal set

    /** What shows this call: the one that took its place, or a group; null where it has a row of its own. */
    internal var holder: ConversationItem? = null

    /** When it began, by the clock of this process; and how long it took, by the engine's. */
    val began: Long = System.nanoTime()
    internal var beganAt: Double? = null
    var seconds: Int = 0
        internal set

    /** The number of the call in the engine, for calls of our tools. */
    internal var ownCall: Long? = null
    internal var requestId: Long? = null

    /** True once one of our own events said what the call is about; the agent's words no longer count then. */
    internal var isDescribed = false

    override val size
        get() = output.length + (diff?.length ?: 0) + changes.sumOf { it.after.length + (it.before?.length ?: 0) } +
            (denial?.guidance?.length ?: 0) + (command?.length ?: 0) + title.length

    val isOpen: Boolean get() = status == ToolStatus.PENDING || status == ToolStatus.RUNNING || status == ToolStatus.ASKING

    /** True when there is more to show than a line. */
    val hasDetails: Boolean get() = output.isNotBlank() || denial != null || insteadOf != null || hasDiff || (command?.contains('\n') == true)

    val hasDiff: Boolean get() = diff != null || changes.isNotEmpty()

    /** True when it looked at something and nothing is to be said of it but that. */
    internal val isQuietLook: Boolean
        get() = status == ToolStatus.DONE && insteadOf == null && denial == null && !hasDiff && command == null && (kind in LOOKS || tool in LOOKS)

    private companion object {
        val LOOKS = setOf(
            "read", "search", "intellij_read_file", "list_project_files", "search_text", "search_symbols", "get_file_outline",
            "find_references", "go_to_declaration", "get_hierarchy", "get_problems", "get_project_info",
        )
    }
}

/** Calls in a row that looked at something, as one row. */
class GroupItem(id: Long, tools: List<ToolItem>) : ConversationItem(id) {
    var tools: List<ToolItem> = tools
        internal set
    override val size get() = tools.sumOf { it.size }
}

enum class StepStatus { PENDING, IN_PROGRESS, COMPLETED }

data class PlanStep(val text: String, val status: StepStatus, val priority: String)

/** The agent's plan; one per turn, replaced in place. */
class PlanItem(id: Long, steps: List<PlanStep>) : ConversationItem(id) {
    var steps: List<PlanStep> = steps
        internal set
    override val size get() = steps.sumOf { it.text.length }
}

/** What became of a proposed plan. */
enum class ProposalState { WAITING, APPROVED, SENT_BACK, TURNED_DOWN }

/** A plan that was put before the person; [text] is Markdown as the agent wrote it. */
class ProposalItem(id: Long, val requestId: Long, val text: String) : ConversationItem(id) {
    var state: ProposalState = ProposalState.WAITING
        internal set
    override val size get() = text.length
}

/** What became of a file's change: nothing yet, or it was taken back, or the person keeps it. */
enum class RevertState { STANDS, REVERTING, REVERTED, REFUSED, KEPT }

/**
 * A file that a prompt changed. [before] and [after] are null where there was no file, or no text that can be shown;
 * [refusal] says why it could not be taken back.
 */
class FileEntry(val path: String, val kind: FileKind, val before: String?, val after: String?) {
    var state: RevertState = RevertState.STANDS
        internal set
    var refusal: String = ""
        internal set

    /** The change as a viewer takes it; null where a side is not known. */
    val change: FileChange? = when (kind) {
        FileKind.CREATED -> after?.let { FileChange(path, null, it) }
        FileKind.DELETED -> before?.let { FileChange(path, it, "") }
        FileKind.CHANGED -> if (before == null || after == null) null else FileChange(path, before, after)
    }

    /** True while the person may decide about it. */
    val isOpen: Boolean get() = state == RevertState.STANDS || state == RevertState.REFUSED

    /** The change in parts; null where a side is not known. */
    val reviewed: ReviewedFile? = change?.let {
        ReviewedFile(path, before.takeIf { kind != FileKind.CREATED }, after.takeIf { kind != FileKind.DELETED })
    }

    /** Lines added and removed; null where that is not known. */
    val count: Pair<Int, Int>? by lazy(LazyThreadSafetyMode.NONE) { change?.let { Diffs.count(Diffs.lines(it, context = 0)) } }
}

enum class FileKind {
    CREATED, CHANGED, DELETED;

    companion object {
        fun of(word: String) = when (word) {
            "created" -> CREATED
            "deleted" -> DELETED
            else -> CHANGED
        }
    }
}

/** The files that one prompt changed; told anew with each of its turns. */
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

enum class Tone { INFO, GOOD, WARNING, BAD }

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

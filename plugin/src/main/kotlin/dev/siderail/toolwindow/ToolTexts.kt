package dev.siderail.toolwindow

import dev.siderail.bridge.CallStatus
import dev.siderail.bridge.DeniedBy
import dev.siderail.bridge.ToolName
import dev.siderail.settings.ToolTitle
import dev.siderail.ui.Mark
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone

/** How a tool call is worded in a row. Pure; [root] is the project's folder, which paths are shown relative to. */
class ToolTexts(private val root: String) {
    fun verb(item: ToolItem): String =
        ToolName.of(item.tool)?.let(ToolTitle::of)
            ?: item.kind.takeIf { !item.isOwn }?.let { Texts.find("kind.$it") }
            ?: ToolTitle.inWords(item.tool.ifBlank { item.title }).firstLine(40)

    fun target(item: ToolItem): String {
        val command = item.command
        return when {
            command != null -> command.firstLine(400)
            item.paths.size == 1 -> relative(item.paths[0])
            item.paths.size > 1 -> Texts["tool.paths", relative(item.paths[0]), item.paths.size - 1]
            item.isOwn && item.isDescribed -> item.title.firstLine(300)
            item.title != item.tool && !item.isOwn -> item.title.firstLine(300)
            else -> ""
        }
    }

    /** What the call took the place of; empty for most. */
    fun note(item: ToolItem): String {
        val denied = item.insteadOf ?: return ""
        val command = denied.command?.firstLine(40)?.substringBefore(' ')
        return if (command == null) Texts["tool.instead", verb(denied)] else Texts["tool.instead.command", command]
    }

    /** A group in a line: how much of what. */
    fun group(item: GroupItem): String = item.tools.groupBy(::verb).entries.joinToString(", ") { (verb, some) -> Texts["tool.group", verb, some.size] }

    fun relative(path: String): String = when {
        root.isEmpty() -> path
        path == root -> "."
        path.startsWith("$root/") -> path.removePrefix("$root/")
        else -> path
    }

    /** The outcome of the call, in a word or two, and how it is to be taken. */
    fun result(item: ToolItem): Pair<String, Tone> {
        val denial = item.denial
        val glance = item.glance
        return when {
            denial != null -> denied(denial)
            item.status == CallStatus.ASKING -> Texts["status.asking"] to Tone.WARNING
            item.status == CallStatus.FAILED -> Texts["status.failed"] to Tone.BAD
            item.status == CallStatus.CANCELLED -> Texts["status.cancelled"] to Tone.INFO
            item.isOpen && Spans.isLong(item.secondsSoFar) -> Spans.of(item.secondsSoFar) to Tone.INFO
            glance != null -> glance.counts to Tone.INFO
            Spans.isLong(item.seconds) -> Spans.of(item.seconds) to Tone.INFO
            else -> "" to Tone.INFO
        }
    }

    private fun denied(denial: Denial): Pair<String, Tone> = when {
        denial.outcome == Denial.Outcome.FOLLOWED -> Texts["status.redirected"] to Tone.GOOD
        denial.outcome == Denial.Outcome.IGNORED -> Texts["status.ignored"] to Tone.WARNING
        denial.by == DeniedBy.USER -> Texts["status.denied.user"] to Tone.WARNING
        else -> Texts["status.denied"] to Tone.WARNING
    }

    /** Why it was denied, as a sentence. */
    fun reason(denial: Denial): String = if (denial.reason.isBlank()) Texts["reason.unknown"] else Texts["reason.denied", denial.reason]

    /** Which way the guidance took, and whether it arrived. */
    fun delivery(denial: Denial): String {
        if (denial.channel.isEmpty()) return ""
        val channel = Texts.find("channel.${denial.channel}") ?: denial.channel
        val receipt = Texts.find("receipt.${denial.receipt}") ?: denial.receipt
        return if (receipt.isEmpty()) channel else Texts["denial.delivery", channel, receipt]
    }

    internal fun mark(item: ToolItem): Mark.Kind = when (item.status) {
        CallStatus.PENDING -> Mark.Kind.RING
        CallStatus.ASKING -> Mark.Kind.ASK
        CallStatus.RUNNING -> Mark.Kind.RUNNING
        CallStatus.DONE -> Mark.Kind.CHECK
        CallStatus.FAILED -> Mark.Kind.CROSS
        CallStatus.DENIED -> Mark.Kind.DENIED
        CallStatus.CANCELLED -> Mark.Kind.DOT
    }
}

/** Spans of time in words. */
internal object Spans {
    private const val MINUTE = 60

    /** Seconds from which on they are shown. */
    private const val WORTH_SAYING = 2

    fun isLong(seconds: Int): Boolean = seconds >= WORTH_SAYING

    fun of(seconds: Int): String =
        if (seconds < MINUTE) Texts["time.seconds", seconds] else Texts["time.minutes", seconds / MINUTE, seconds % MINUTE]
}

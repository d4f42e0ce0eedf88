package dev.siderail.toolwindow

import com.google.gson.GsonBuilder
import com.google.gson.JsonObject
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.Receipt
import dev.siderail.settings.Secrets

/**
 * What was asked and denied, which channel carried the reason, and whether the model followed. No Swing; owned
 * by one thread.
 *
 * A ring of the last [capacity] rows; the counts above it are of everything. Pieces of a message that follow
 * each other are one row, so that a chatty agent cannot push the decisions out.
 */
class DebugModel(private val capacity: Int = 10_000) {
    private val ring = ArrayDeque<DebugRow>()
    private var visible: List<DebugRow>? = null

    /** What of the rows is shown. */
    var filter: DebugFilter = DebugFilter()
        set(value) {
            field = value
            visible = null
        }

    var counts: DebugCounts = DebugCounts()
        private set

    val size: Int get() = ring.size

    /** The rows that pass the filter, oldest first. */
    val rows: List<DebugRow> get() = visible ?: ring.filter(filter::passes).also { visible = it }

    fun apply(event: Event) {
        counts = counts.with(event)
        val last = ring.lastOrNull()
        if (last != null && last.joins(event)) {
            last.join(event)
        } else {
            ring.addLast(DebugRow(event))
            if (ring.size > capacity) ring.removeFirst()
        }
        visible = null
    }

    fun clear() {
        ring.clear()
        visible = null
        counts = DebugCounts()
    }

    /** The visible rows as lines of JSON, with what looks like a secret taken out. */
    fun export(): String = rows.joinToString("") { it.shareable() + "\n" }
}

enum class DebugCategory { DECISION, GUIDANCE, TOOL, MESSAGE, SESSION, PROBLEM }

/** What to show: events of these categories, of one session or all, that contain a text. */
data class DebugFilter(
    val categories: Set<DebugCategory> = DebugCategory.entries.toSet() - DebugCategory.MESSAGE,
    val text: String = "",
    val session: Long? = null,
) {
    fun passes(row: DebugRow): Boolean =
        row.category in categories && (session == null || row.session == session) &&
            (text.isBlank() || row.searchable.contains(text.trim(), ignoreCase = true))
}

/** An event as a row. [text] and [result] are for the table, [json] is everything. */
class DebugRow(private val event: Event) {
    private var body: JsonObject = event.body
    private var joined: StringBuilder? = null

    val seq get() = event.seq
    val t get() = event.t
    val session get() = event.session
    val turn get() = event.turn
    val name get() = event.name
    internal val known get() = event.known
    val category = category(event.known)
    val tool: String get() = body.text("tool")
    val kind: String get() = body.text("kind")
    val channel: String get() = body.text("channel")
    val paths: List<String> get() = body.texts("paths")
    val requestId: Long? = event.body.decimal("request_id")?.toLong()

    /** The outcome in a word: a receipt, who decided, a status. */
    val result: String
        get() = when (known) {
            EventName.PERMISSION_DENIED, EventName.PERMISSION_APPROVED -> body.text("by")
            EventName.PERMISSION_REQUEST -> if (body.flag("asks")) "asks" else ""
            EventName.GUIDANCE_RECEIPT -> body.text("receipt")
            EventName.TOOL_CALL, EventName.OWN_TOOL -> body.text("status")
            EventName.TURN_ENDED, EventName.SUMMARY -> body.text("stop_reason")
            EventName.NUDGE, EventName.ESCALATION -> body.number("denials").toString()
            else -> ""
        }

    val text: String
        get() = joined?.toString() ?: when (known) {
            EventName.HIDDEN -> body.texts("tools").joinToString(", ")
            EventName.SESSION_STARTED -> listOf(body.text("agent"), body.text("version"), body.text("policy")).filter { it.isNotEmpty() }.joinToString(", ")
            EventName.TOOL_CALL -> body.textOrNull("command") ?: body.text("title")
            EventName.PLAN -> body.objects("entries").joinToString("; ") { it.text("text") }
            else -> body.text("text").ifEmpty { paths.joinToString(", ") }
        }

    internal val searchable: String
        get() = "$name $tool $kind $channel $result $text ${paths.joinToString(" ")}"

    internal fun joins(next: Event): Boolean =
        category == DebugCategory.MESSAGE && next.name == name && next.session == session && next.turn == turn && (joined?.length ?: 0) < JOINED

    internal fun join(next: Event) {
        val all = joined ?: StringBuilder(body.text("text")).also { joined = it }
        all.append(next.body.text("text"))
    }

    /** As JSON without what looks like a secret. */
    fun shareable(): String = Secrets.redact(whole()).toString()

    /** Every member on a line of its own; texts last, as they read. */
    fun details(): String {
        val body = whole()
        val (texts, values) = body.entrySet().filter { it.key != "v" && !it.value.isJsonNull && !(it.value.isJsonArray && it.value.asJsonArray.isEmpty) }.partition { it.key in LONG }
        return buildString {
            for ((key, value) in values) appendLine("$key: ${if (value.isJsonPrimitive) value.asString else PRETTY.toJson(value)}")
            for ((key, value) in texts) appendLine().appendLine("$key:").appendLine(if (value.isJsonPrimitive) value.asString else value.toString())
        }.trimEnd()
    }

    private fun whole(): JsonObject = joined?.let { all -> body.deepCopy().apply { addProperty("text", all.toString()) } } ?: body

    private companion object {
        const val JOINED = 20_000
        val LONG = setOf("text", "diff")
        val PRETTY = GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create()

        fun category(name: EventName?) = when (name) {
            EventName.PERMISSION_REQUEST, EventName.PERMISSION_DENIED, EventName.PERMISSION_APPROVED -> DebugCategory.DECISION
            EventName.PRE_REJECTION_GUIDANCE, EventName.GUIDANCE_RECEIPT, EventName.GUIDANCE_FOLLOWED, EventName.GUIDANCE_IGNORED,
            EventName.NUDGE, EventName.ESCALATION, EventName.AUTO_RETRY, EventName.RETRY_EXHAUSTED,
            -> DebugCategory.GUIDANCE
            EventName.TOOL_CALL, EventName.OWN_TOOL -> DebugCategory.TOOL
            EventName.AGENT_MESSAGE, EventName.AGENT_THOUGHT, EventName.AGENT_LOG -> DebugCategory.MESSAGE
            EventName.UNGUARDED, EventName.ERROR, EventName.INACTIVITY_TIMEOUT, EventName.LOGIN_NEEDED -> DebugCategory.PROBLEM
            else -> DebugCategory.SESSION
        }
    }
}

/** Receipts of one channel. */
data class ReceiptCounts(val delivered: Int = 0, val noReceipt: Int = 0, val failed: Int = 0) {
    fun with(receipt: String) = when (Receipt.of(receipt)) {
        Receipt.DELIVERED -> copy(delivered = delivered + 1)
        Receipt.NO_RECEIPT -> copy(noReceipt = noReceipt + 1)
        else -> copy(failed = failed + 1)
    }
}

/** The summary over all events that were seen. */
data class DebugCounts(
    val denials: Map<String, Int> = emptyMap(),
    val receipts: Map<String, ReceiptCounts> = emptyMap(),
    val approved: Int = 0,
    val followed: Int = 0,
    val ignored: Int = 0,
    val isUnguarded: Boolean = false,
) {
    val denied: Int get() = denials.values.sum()

    /** Share of guidance that was followed; null while nothing is known. */
    val redirectRate: Double? get() = if (followed + ignored == 0) null else followed.toDouble() / (followed + ignored)

    fun with(event: Event): DebugCounts {
        val body = event.body
        return when (event.known) {
            EventName.PERMISSION_DENIED -> copy(denials = denials + (body.text("tool") to (denials[body.text("tool")] ?: 0) + 1))
            EventName.PERMISSION_APPROVED -> copy(approved = approved + 1)
            EventName.GUIDANCE_RECEIPT -> {
                val channel = body.text("channel")
                copy(receipts = receipts + (channel to (receipts[channel] ?: ReceiptCounts()).with(body.text("receipt"))))
            }
            EventName.GUIDANCE_FOLLOWED -> copy(followed = followed + 1)
            EventName.GUIDANCE_IGNORED -> copy(ignored = ignored + 1)
            EventName.UNGUARDED -> copy(isUnguarded = true)
            else -> this
        }
    }
}

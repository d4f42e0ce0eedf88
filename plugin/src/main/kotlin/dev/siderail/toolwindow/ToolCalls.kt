package dev.siderail.toolwindow

import com.google.gson.JsonObject

/**
 * Brings together what several events say about one tool call: the agent's announcement and updates, the
 * permission flow, our own tool's run. Agents differ in what they announce, and a hook's request names no call,
 * so what has no id is matched by command, then by file, then by being the call that is open.
 */
internal class ToolCalls(
    private val create: () -> ToolItem,
    private val touched: (ToolItem, Int) -> Unit,
    private val joined: (denied: ToolItem, instead: ToolItem) -> Unit = { _, _ -> },
) {
    /** Denied calls whose replacement is known to come, by its tool. */
    private val awaited = HashMap<String, ToolItem>()

    private val byCall = HashMap<String, ToolItem>()
    private val byRequest = HashMap<Long, ToolItem>()

    /** Items that may still change, oldest first. */
    private val recent = LinkedHashSet<ToolItem>()
    private val pendingGuidance = HashMap<Long, JsonObject>()

    /** Takes a `TOOL_CALL`; true when it is a new row. */
    fun toolCall(body: JsonObject): Boolean {
        val callId = body.text("tool_call_id")
        val known = byCall[callId] ?: adopted(body)
        val item = known ?: create()
        change(item) {
            item.callId = callId
            byCall[callId] = item
            recent += item
            if (item.tool.isEmpty() || item.ownCall == null) item.tool = body.text("tool")
            item.kind = body.text("kind")
            if (!item.isDescribed) {
                item.title = body.text("title").capped(TITLE)
                item.command = body.textOrNull("command")?.capped(TEXT)
            }
            body.texts("paths").let { if (it.isNotEmpty() || item.ownCall == null) item.paths = it }
            item.isOwn = item.isOwn || body.flag("own")
            item.changes = body.objects("diffs").map {
                FileChange(it.text("path"), it.textOrNull("old_text")?.capped(DIFF), it.text("new_text").capped(DIFF))
            }
            val output = body.text("text")
            if (output.isNotEmpty() && item.diff == null) item.output = output.capped(TEXT)
            item.status = status(body.text("status"), item)
        }
        return known == null
    }

    /** A denied request that came ahead of the announcement of its call. */
    private fun adopted(body: JsonObject): ToolItem? = recent.firstOrNull {
        it.callId == null && it.isOwn == body.flag("own") && when {
            it.command != null -> it.command == body.textOrNull("command")
            it.ownCall != null -> it.tool == body.text("tool")
            else -> it.kind == body.text("kind") && samePaths(it.paths, body.texts("paths"))
        }
    }

    private fun status(word: String, item: ToolItem): ToolStatus = when {
        item.denial != null -> ToolStatus.DENIED
        word == "completed" -> ToolStatus.DONE
        word == "failed" -> ToolStatus.FAILED
        word == "cancelled" -> ToolStatus.CANCELLED
        item.status == ToolStatus.ASKING -> ToolStatus.ASKING
        word == "in_progress" || item.status == ToolStatus.RUNNING -> ToolStatus.RUNNING
        else -> ToolStatus.PENDING
    }

    /** Takes an `OWN_TOOL`; true when it is a new row. */
    fun ownTool(body: JsonObject): Boolean {
        val call = body.number("call")
        val tool = body.text("tool")
        val known = recent.firstOrNull { it.ownCall == call }
            ?: recent.firstOrNull { it.ownCall == null && it.tool == tool && (it.isOwn || it.callId == null) && it.isOpenOrDenied() }
        val item = known ?: create().also { it.kind = tool }
        change(item) {
            recent += item
            item.ownCall = call
            item.tool = tool
            item.isOwn = true
            awaited.remove(tool)?.let { join(it, item) }
            val status = body.text("status")
            item.status = when (status) {
                "started" -> ToolStatus.RUNNING
                "completed" -> ToolStatus.DONE
                "failed" -> ToolStatus.FAILED
                "denied" -> ToolStatus.DENIED
                else -> ToolStatus.CANCELLED
            }
            if (status == "started") {
                item.title = body.text("text").capped(TITLE)
                item.isDescribed = true
            } else {
                item.output = body.text("text").capped(TEXT)
            }
            body.texts("paths").takeIf { it.isNotEmpty() }?.let { item.paths = it }
            body.textOrNull("diff")?.let { item.diff = it.capped(DIFF) }
        }
        return known == null
    }

    private fun ToolItem.isOpenOrDenied() = isOpen || status == ToolStatus.DENIED

    /** Takes a `PERMISSION_REQUEST`. */
    fun requested(body: JsonObject) {
        val item = find(body) ?: return
        change(item) {
            if (body.text("channel") == "own") describe(item, body)
            if (body.flag("asks")) item.status = ToolStatus.ASKING
        }
    }

    /** At our own gate it is known what the call is about, whatever the agent called it. */
    private fun describe(item: ToolItem, body: JsonObject) {
        if (item.tool == "run_command") item.command = body.text("text").capped(TEXT) else item.title = body.text("text").capped(TITLE)
        item.isDescribed = true
    }

    fun find(body: JsonObject): ToolItem? {
        val requestId = body.number("request_id")
        byRequest[requestId]?.let { return it }
        val callId = body.textOrNull("tool_call_id")
        // The gate of our own tools asks again for a call that the agent has asked for already.
        val isOwn = body.text("channel") == "own"
        val open = recent.filter { it.isOpen && (it.requestId == null || (isOwn && it.isOwn && it.tool == body.text("tool"))) }
        val item = when {
            callId != null -> byCall[callId]
            isOwn -> open.firstOrNull { it.tool == body.text("tool") }
            else -> open.lastOrNull { it.command != null && it.command == body.text("text") }
                ?: open.lastOrNull { samePaths(it.paths, body.texts("paths")) && !it.isOwn }
                ?: open.lastOrNull { it.tool == body.text("tool") }
        } ?: return null
        item.requestId = requestId
        byRequest[requestId] = item
        return item
    }

    /** Takes a `PRE_REJECTION_GUIDANCE`, which comes before its denial. */
    fun guidance(body: JsonObject) {
        pendingGuidance[body.number("request_id")] = body
    }

    /** Takes a `PERMISSION_DENIED`; a denied request of a call that was never announced gets a row of its own. */
    fun denied(body: JsonObject) {
        val requestId = body.number("request_id")
        val item = find(body) ?: create().also {
            it.tool = body.text("tool")
            it.kind = body.text("kind")
            it.paths = body.texts("paths")
            it.requestId = requestId
            byRequest[requestId] = it
            recent += it
        }
        val guidance = pendingGuidance.remove(requestId)
        change(item) {
            item.status = ToolStatus.DENIED
            item.denial = Denial(
                by = body.text("by"),
                reason = body.text("text"),
                guidance = guidance?.text("text")?.capped(TEXT) ?: "",
                channel = guidance?.text("channel") ?: "",
                instead = guidance?.text("instead") ?: "",
            )
        }
    }

    fun approved(body: JsonObject) {
        val item = find(body) ?: return
        change(item) { if (item.isOpen) item.status = ToolStatus.RUNNING }
    }

    fun receipt(body: JsonObject) = denial(body) { it.copy(receipt = body.text("receipt"), channel = body.text("channel")) }

    fun outcome(body: JsonObject, outcome: Denial.Outcome) = denial(body) { it.copy(outcome = outcome) }

    /** The model has called the tool that it was told of: both are one row from now on. */
    fun followed(body: JsonObject) {
        outcome(body, Denial.Outcome.FOLLOWED)
        val denied = byRequest[body.number("request_id")]?.takeIf { it.denial != null && it.holder == null } ?: return
        val tool = body.text("tool")
        val instead = recent.lastOrNull { it.isOwn && it.tool == tool && it.isOpen && it.id > denied.id }
        if (instead == null) awaited[tool] = denied else join(denied, instead)
    }

    private fun join(denied: ToolItem, instead: ToolItem) {
        if (instead === denied || instead.insteadOf != null) return
        instead.insteadOf = denied
        joined(denied, instead)
    }

    private fun denial(body: JsonObject, change: (Denial) -> Denial) {
        val item = byRequest[body.number("request_id")] ?: return
        val known = item.denial ?: return
        change(item) { item.denial = change(known) }
    }

    /** Calls that are open at the end of a turn will not be reported on any more. */
    fun endTurn() {
        for (item in recent) if (item.isOpen) change(item) { item.status = ToolStatus.CANCELLED }
        recent.clear()
        byCall.clear()
        pendingGuidance.clear()
        awaited.clear()
    }

    fun endAll() {
        endTurn()
        byRequest.clear()
    }

    fun forget(item: ToolItem) {
        recent -= item
        item.callId?.let { byCall.remove(it, item) }
        item.requestId?.let { byRequest.remove(it, item) }
    }

    private inline fun change(item: ToolItem, how: () -> Unit) {
        val before = item.size
        how()
        touched(item, before)
    }

    /** Paths are absolute in one event and relative to the project in another. */
    private fun samePaths(some: List<String>, others: List<String>): Boolean =
        some.isNotEmpty() && some.any { one -> others.any { it == one || it.endsWith("/$one") || one.endsWith("/$it") } }

    private companion object {
        const val TEXT = 20_000
        const val DIFF = 100_000
        const val TITLE = 1_000
    }
}

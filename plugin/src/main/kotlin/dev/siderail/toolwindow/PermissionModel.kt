package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.ActionKind
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.NamelessTools
import dev.siderail.bridge.PermissionOptionKind
import dev.siderail.bridge.ToolName
import dev.siderail.engine.PermissionAnswer
import dev.siderail.ui.Texts
import dev.siderail.ui.Visible

/**
 * The permission requests of a session that wait for the person, oldest first. No Swing; owned by one thread.
 *
 * A request leaves when the engine says how it ended, so none is lost and none outlives its turn. The choices
 * are the agent's own, in the agent's words; nothing that lasts is ever the first of them, and nothing that lasts
 * is among them where the engine would not remember it.
 */
class PermissionModel(private val conversation: ConversationModel) {
    private val waiting = LinkedHashMap<Long, PermissionAsk>()

    val open: List<PermissionAsk> get() = waiting.values.toList()

    /** Takes an event; true when [open] changed. */
    fun apply(event: Event): Boolean = when (event.known) {
        EventName.PERMISSION_REQUEST -> event.body.flag("asks") && add(event)
        EventName.PLAN_PROPOSED -> event.body.flag("asks") && addPlan(event)
        EventName.PERMISSION_APPROVED, EventName.PERMISSION_DENIED, EventName.PLAN_APPROVED, EventName.PLAN_REJECTED,
        -> waiting.remove(event.body.number("request_id")) != null
        EventName.TURN_ENDED -> !event.body.flag("continues") && clear()
        EventName.SUMMARY -> clear()
        else -> false
    }

    private fun add(event: Event): Boolean {
        val body = event.body
        val tool = conversation.toolOf(body.number("request_id"))
        val ask = PermissionAsk(
            requestId = body.number("request_id"),
            tool = body.text("tool"),
            kind = body.text("kind"),
            text = body.text("text").ifBlank { tool?.command ?: tool?.title ?: "" },
            isCommand = tool?.command != null || ActionKind.of(body.text("kind")) in COMMANDS || ToolName.of(body.text("tool"))?.isCommand == true,
            paths = body.texts("paths"),
            outside = body.texts("outside").toSet(),
            changes = Items.changes(body).ifEmpty { tool?.changes ?: emptyList() },
            glance = conversation.takeAsked(body.number("request_id")),
            destroys = body.text("destroys"),
            choices = choices(body.objects("options"), body.flag("may_be_remembered")),
        )
        waiting[ask.requestId] = ask
        return true
    }

    /** A plan is approved, or denied with what is to be different. */
    private fun addPlan(event: Event): Boolean {
        val ask = PermissionAsk(
            requestId = event.body.number("request_id"),
            tool = PLAN,
            kind = PLAN,
            text = event.body.text("text"),
            isCommand = false,
            paths = emptyList(),
            outside = emptySet(),
            changes = emptyList(),
            glance = null,
            destroys = "",
            choices = listOf(PermissionChoice(Texts["permission.plan.approve"], PermissionAnswer.Allow, ChoiceKind.ALLOW_ONCE)),
            steps = event.body.objects("entries").map { it.text("text") },
            plan = conversation.proposalOf(event.body.number("request_id"))?.pieces.orEmpty(),
        )
        waiting[ask.requestId] = ask
        return true
    }

    /** Takes a request away as soon as the person has answered; the engine's event confirms it. */
    fun answered(requestId: Long): Boolean = waiting.remove(requestId) != null

    fun clear(): Boolean = waiting.isNotEmpty().also { waiting.clear() }

    private fun choices(options: List<JsonObject>, mayBeRemembered: Boolean): List<PermissionChoice> {
        val own = options.map {
            val id = it.text("id")
            val name = Visible.code(it.text("name").ifBlank { id }.firstLine(300))
            PermissionChoice(name, PermissionAnswer.Option(id), ChoiceKind.of(PermissionOptionKind.of(it.text("kind"))), it.flag("contradicts"))
        }
        val found = ArrayList<PermissionChoice>()
        found += own.filter { it.kind == ChoiceKind.ALLOW_ONCE }
        if (found.isEmpty()) found += PermissionChoice(Texts["permission.allow"], PermissionAnswer.Allow, ChoiceKind.ALLOW_ONCE)
        if (mayBeRemembered) {
            found += PermissionChoice(Texts["permission.always"], PermissionAnswer.Always, ChoiceKind.REMEMBERED)
            found += own.filter { it.kind == ChoiceKind.ALLOW_ALWAYS || it.kind == ChoiceKind.OTHER }
        }
        found += own.filter { it.kind == ChoiceKind.REJECT_ALWAYS }
        return found
    }

    private companion object {
        const val PLAN = PermissionAsk.PLAN
        val COMMANDS = setOf(ActionKind.EXECUTE, ActionKind.DESTRUCTIVE, ActionKind.REMOTE_CODE, ActionKind.OPAQUE, ActionKind.GIT)
    }
}

/** What a choice means; [REMEMBERED] is ours: from now on in this project, revocable. */
enum class ChoiceKind {
    ALLOW_ONCE, REMEMBERED, ALLOW_ALWAYS, REJECT_ALWAYS, REJECT_ONCE, OTHER;

    companion object {
        fun of(kind: PermissionOptionKind?) = when (kind) {
            PermissionOptionKind.ALLOW_ONCE -> ALLOW_ONCE
            PermissionOptionKind.ALLOW_ALWAYS -> ALLOW_ALWAYS
            PermissionOptionKind.REJECT_ONCE -> REJECT_ONCE
            PermissionOptionKind.REJECT_ALWAYS -> REJECT_ALWAYS
            null -> OTHER
        }
    }
}

/** A choice as it is offered. A rejection for once is not among them: that is [PermissionAsk.deny], with a reason. */
data class PermissionChoice(val label: String, val answer: PermissionAnswer, val kind: ChoiceKind, val contradicts: Boolean = false) {
    /** What it does, in our words, with the agent's name for it: the kind counts, whatever it is called. */
    val meaning: String
        get() {
            val word = Texts.find("permission.kind.${kind.name.lowercase()}")?.takeIf { answer is PermissionAnswer.Option } ?: return label
            return when {
                contradicts -> Texts["permission.contradicts", word, label]
                label.equals(word, ignoreCase = true) -> label
                kind == ChoiceKind.ALLOW_ONCE && label.lowercase() in PLAIN -> word
                else -> Texts["permission.meaning", word, label]
            }
        }

    private companion object {
        /** Names by which agents say no more than the kind does. */
        val PLAIN = setOf("yes", "allow", "approve", "ok")
    }
}

/**
 * A request that waits. [outside] are those of [paths] that lie outside the project; [destroys] says what a yes
 * destroys, if anything. [reason] is what the person is typing for a denial; it survives every repaint.
 */
class PermissionAsk(
    val requestId: Long,
    val tool: String,
    /** An [ActionKind], a plan, or the word of a later engine. */
    val kind: String,
    val text: String,
    val isCommand: Boolean,
    val paths: List<String>,
    val outside: Set<String>,
    val changes: List<FileChange>,
    val glance: Glance?,
    val destroys: String,
    val choices: List<PermissionChoice>,
    /** The steps of a plan, as far as they can be distinguished. */
    val steps: List<String> = emptyList(),
    /** A plan, as the agent wrote it. */
    val plan: List<Piece> = emptyList(),
) {
    var reason: String = ""
    val isPlan: Boolean get() = kind == PLAN && tool == PLAN

    /** A yes may do what nobody can undo. */
    val isIrrevocable: Boolean get() = destroys.isNotBlank() || ActionKind.of(kind) in IRREVOCABLE

    /** This once and nothing that lasts; the agent's own answer for that, where it has one. */
    fun allow(): PermissionAnswer = choices.firstOrNull { it.kind == ChoiceKind.ALLOW_ONCE }?.answer ?: PermissionAnswer.Allow

    fun deny(): PermissionAnswer = PermissionAnswer.Deny(reason.trim())

    /** What is asked, in the words of the terminal (`rust/cli/src/question.rs`). */
    fun headline(agent: String): String =
        Texts.find("permission.headline.tool.$tool", agent) ?: Texts["permission.headline.$does", agent, tool.firstLine(60)]

    /** What the call does, as the texts name it. */
    private val does: String
        get() = when {
            ToolName.of(tool)?.isGit == true -> "other"
            kind != ActionKind.OTHER.word && Texts.find("permission.headline.$kind") != null -> kind
            isCommand -> "execute"
            isNameless -> "nameless"
            else -> "other"
        }

    /** Nothing names the tool but the kind of its call, as `Identity::is_nameless` of the guard says it. */
    internal val isNameless: Boolean get() = tool == kind || tool in NamelessTools.labels

    internal companion object {
        const val PLAN = "plan"
        private val IRREVOCABLE = setOf(ActionKind.DESTRUCTIVE, ActionKind.REMOTE_CODE)
    }
}

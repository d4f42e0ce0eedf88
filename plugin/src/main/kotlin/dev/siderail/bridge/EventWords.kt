package dev.siderail.bridge

/*
 * Written by tests/tests/known_to_the_plugin.rs from the engine's events; run it with SIDERAIL_BLESS=1 once their words
 * have changed.
 */

/** A word of a closed list of the engine's. */
interface EngineWord {
    val word: String
}

/** The members of such a list by their words. */
open class Words<T : EngineWord>(all: List<T>) {
    private val byWord = all.associateBy { it.word }

    /** Null for a word of a later engine. */
    fun of(word: String): T? = byWord[word]
}

/** What happened. */
enum class EventName(override val word: String) : EngineWord {
    SESSION_STARTED("SESSION_STARTED"),
    HIDDEN("HIDDEN"),
    TURN_STARTED("TURN_STARTED"),
    AGENT_MESSAGE("AGENT_MESSAGE"),
    AGENT_THOUGHT("AGENT_THOUGHT"),
    TOOL_CALL("TOOL_CALL"),
    PLAN("PLAN"),
    USAGE("USAGE"),
    SESSION_TITLE("SESSION_TITLE"),
    AGENT_NOTICE("AGENT_NOTICE"),
    HISTORY("HISTORY"),
    HISTORY_EXPORTED("HISTORY_EXPORTED"),
    AGENTS("AGENTS"),
    LOGIN_NEEDED("LOGIN_NEEDED"),
    SESSION_OPTIONS("SESSION_OPTIONS"),
    STEERED("STEERED"),
    AGENT_COMMANDS("AGENT_COMMANDS"),
    CHANGES("CHANGES"),
    REVERTED("REVERTED"),
    RESTORED("RESTORED"),
    RESUMED("RESUMED"),
    PLANNING_STARTED("PLANNING_STARTED"),
    PLAN_PROPOSED("PLAN_PROPOSED"),
    PLAN_APPROVED("PLAN_APPROVED"),
    PLAN_REJECTED("PLAN_REJECTED"),
    PERMISSION_REQUEST("PERMISSION_REQUEST"),
    PRE_REJECTION_GUIDANCE("PRE_REJECTION_GUIDANCE"),
    PERMISSION_DENIED("PERMISSION_DENIED"),
    PERMISSION_APPROVED("PERMISSION_APPROVED"),
    GUIDANCE_RECEIPT("GUIDANCE_RECEIPT"),
    GUIDANCE_FOLLOWED("GUIDANCE_FOLLOWED"),
    GUIDANCE_IGNORED("GUIDANCE_IGNORED"),
    AUTO_RETRY("AUTO_RETRY"),
    RETRY_EXHAUSTED("RETRY_EXHAUSTED"),
    NUDGE("NUDGE"),
    ESCALATION("ESCALATION"),
    UNGUARDED("UNGUARDED"),
    OWN_TOOL("OWN_TOOL"),
    INACTIVITY_TIMEOUT("INACTIVITY_TIMEOUT"),
    AGENT_LOG("AGENT_LOG"),
    TURN_ENDED("TURN_ENDED"),
    ERROR("ERROR"),
    SUMMARY("SUMMARY"),
    ;

    companion object : Words<EventName>(EventName.entries)
}

/** A session's policy. */
enum class Policy(override val word: String) : EngineWord {
    REDIRECT("redirect"),
    ASK("ask"),
    OBSERVE("observe"),
    YOLO("yolo"),
    ;

    companion object : Words<Policy>(Policy.entries)
}

/** Why a turn or a session ended. */
enum class StopReason(override val word: String) : EngineWord {
    END_TURN("end_turn"),
    MAX_TOKENS("max_tokens"),
    MAX_TURN_REQUESTS("max_turn_requests"),
    REFUSAL("refusal"),
    CANCELLED("cancelled"),
    ERROR("error"),
    TIMEOUT("timeout"),
    INACTIVITY("inactivity"),
    PLAN_REJECTED("plan_rejected"),
    NOT_STARTED("not_started"),
    ENDED("ended"),
    ;

    companion object : Words<StopReason>(StopReason.entries)
}

/** Who wrote a prompt. */
enum class PromptOrigin(override val word: String) : EngineWord {
    USER("user"),
    CONTINUATION("continuation"),
    PLAN("plan"),
    ;

    companion object : Words<PromptOrigin>(PromptOrigin.entries)
}

/** How a plan was proposed. */
enum class PlanChannel(override val word: String) : EngineWord {
    ACP("acp"),
    TURN("turn"),
    ;

    companion object : Words<PlanChannel>(PlanChannel.entries)
}

/** Who denied a call. */
enum class DeniedBy(override val word: String) : EngineWord {
    POLICY("policy"),
    USER("user"),
    SETTING("setting"),
    NO_TERMINAL("no_terminal"),
    TIMEOUT("timeout"),
    CANCEL("cancel"),
    ;

    companion object : Words<DeniedBy>(DeniedBy.entries)
}

/** What is known of guidance on its way. */
enum class Receipt(override val word: String) : EngineWord {
    DELIVERED("delivered"),
    NO_RECEIPT("no_receipt"),
    FAILED("failed"),
    ;

    companion object : Words<Receipt>(Receipt.entries)
}

/** What an error is about. */
enum class ErrorKind(override val word: String) : EngineWord {
    SPAWN("spawn"),
    HANDSHAKE("handshake"),
    SETTING("setting"),
    LOGIN("login"),
    PROTOCOL("protocol"),
    CLOSED("closed"),
    TIMEOUT("timeout"),
    HISTORY("history"),
    INTERNAL("internal"),
    ;

    companion object : Words<ErrorKind>(ErrorKind.entries)
}

package dev.siderail.bridge

/*
 * Written by tests/tests/known_to_the_plugin.rs from the engine's events; run it with SIDERAIL_BLESS=1 once their words
 * have changed. A later engine may have more words: `of` answers null for those.
 */

/** What happened. */
enum class EventName(val word: String) {
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

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): EventName? = byWord[word]
    }
}

/** A session's policy. */
enum class Policy(val word: String) {
    REDIRECT("redirect"),
    ASK("ask"),
    OBSERVE("observe"),
    YOLO("yolo"),
    ;

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): Policy? = byWord[word]
    }
}

/** Why a turn or a session ended. */
enum class StopReason(val word: String) {
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

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): StopReason? = byWord[word]
    }
}

/** Who wrote a prompt. */
enum class PromptOrigin(val word: String) {
    USER("user"),
    CONTINUATION("continuation"),
    PLAN("plan"),
    ;

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): PromptOrigin? = byWord[word]
    }
}

/** How a plan was proposed. */
enum class PlanChannel(val word: String) {
    ACP("acp"),
    TURN("turn"),
    ;

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): PlanChannel? = byWord[word]
    }
}

/** Who denied a call. */
enum class DeniedBy(val word: String) {
    POLICY("policy"),
    USER("user"),
    SETTING("setting"),
    NO_TERMINAL("no_terminal"),
    TIMEOUT("timeout"),
    CANCEL("cancel"),
    ;

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): DeniedBy? = byWord[word]
    }
}

/** What is known of guidance on its way. */
enum class Receipt(val word: String) {
    DELIVERED("delivered"),
    NO_RECEIPT("no_receipt"),
    FAILED("failed"),
    ;

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): Receipt? = byWord[word]
    }
}

/** What an error is about. */
enum class ErrorKind(val word: String) {
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

    companion object {
        private val byWord = entries.associateBy { it.word }

        fun of(word: String): ErrorKind? = byWord[word]
    }
}

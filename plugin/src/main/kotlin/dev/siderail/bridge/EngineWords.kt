package dev.siderail.bridge

/*
 * Written by tests/tests/known_to_the_plugin.rs from the types of the engine that cross the boundary; run it with
 * SIDERAIL_BLESS=1 once their words have changed.
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

/** How far a step of a plan is. */
enum class PlanEntryStatus(override val word: String) : EngineWord {
    PENDING("pending"),
    IN_PROGRESS("in_progress"),
    COMPLETED("completed"),
    ;

    companion object : Words<PlanEntryStatus>(PlanEntryStatus.entries)
}

/** What an action does. */
enum class ActionKind(override val word: String) : EngineWord {
    READ_FILE("read_file"),
    EDIT("edit"),
    WRITE_FILE("write_file"),
    DELETE("delete"),
    MOVE("move"),
    SEARCH_TEXT("search_text"),
    FIND_FILE("find_file"),
    LIST_DIR("list_dir"),
    RUN_TESTS("run_tests"),
    GIT("git"),
    EXECUTE("execute"),
    DESTRUCTIVE("destructive"),
    REMOTE_CODE("remote_code"),
    OPAQUE("opaque"),
    THINK("think"),
    SWITCH_MODE("switch_mode"),
    FETCH("fetch"),
    MCP("mcp"),
    OTHER("other"),
    ;

    companion object : Words<ActionKind>(ActionKind.entries)
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

/** What an agent's option grants or refuses. */
enum class PermissionOptionKind(override val word: String) : EngineWord {
    ALLOW_ONCE("allow_once"),
    ALLOW_ALWAYS("allow_always"),
    REJECT_ONCE("reject_once"),
    REJECT_ALWAYS("reject_always"),
    ;

    companion object : Words<PermissionOptionKind>(PermissionOptionKind.entries)
}

/** What became of a file. */
enum class ChangeKind(override val word: String) : EngineWord {
    CREATED("created"),
    CHANGED("changed"),
    DELETED("deleted"),
    ;

    companion object : Words<ChangeKind>(ChangeKind.entries)
}

/** Who carries a login out. */
enum class LoginKind(override val word: String) : EngineWord {
    AGENT("agent"),
    TERMINAL("terminal"),
    ENV_VAR("env_var"),
    ;

    companion object : Words<LoginKind>(LoginKind.entries)
}

/** What an option of a session takes. */
enum class OptionKind(override val word: String) : EngineWord {
    SELECT("select"),
    BOOLEAN("boolean"),
    UNKNOWN("unknown"),
    ;

    companion object : Words<OptionKind>(OptionKind.entries)
}

/** What an option of a session is about, as far as anything here depends on it. */
enum class OptionCategory(override val word: String) : EngineWord {
    MODEL("model"),
    ;

    companion object : Words<OptionCategory>(OptionCategory.entries)
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

/** How what is shown of a conversation changes. */
enum class PatchKind(override val word: String) : EngineWord {
    APPEND("append"),
    REPLACE("replace"),
    EXTEND("extend"),
    FOLD("fold"),
    REMOVE("remove"),
    ASKED("asked"),
    ;

    companion object : Words<PatchKind>(PatchKind.entries)
}

/** What an item of a conversation is. */
enum class ItemKind(override val word: String) : EngineWord {
    PROMPT("prompt"),
    SPEECH("speech"),
    CALL("call"),
    CALLS("calls"),
    PLAN("plan"),
    PROPOSAL("proposal"),
    CHANGES("changes"),
    PAST_BEGINS("past_begins"),
    PAST_OMITTED("past_omitted"),
    PAST_ENDS("past_ends"),
    NOTICE("notice"),
    ;

    companion object : Words<ItemKind>(ItemKind.entries)
}

/** How a prompt came to the model. */
enum class PromptWay(override val word: String) : EngineWord {
    USER("user"),
    STEERED("steered"),
    FEEDBACK("feedback"),
    CONTINUATION("continuation"),
    PLAN("plan"),
    ;

    companion object : Words<PromptWay>(PromptWay.entries)
}

/** How far a call is. */
enum class CallStatus(override val word: String) : EngineWord {
    PENDING("pending"),
    ASKING("asking"),
    RUNNING("running"),
    DONE("done"),
    FAILED("failed"),
    DENIED("denied"),
    CANCELLED("cancelled"),
    ;

    companion object : Words<CallStatus>(CallStatus.entries)
}

/** What became of a proposed plan. */
enum class ProposalState(override val word: String) : EngineWord {
    WAITING("waiting"),
    APPROVED("approved"),
    SENT_BACK("sent_back"),
    TURNED_DOWN("turned_down"),
    ;

    companion object : Words<ProposalState>(ProposalState.entries)
}

/** What the engine wants done here. */
enum class HostRequest(override val word: String) : EngineWord {
    ABOUT_PROJECT("about_project"),
    APPLY_TEXT("apply_text"),
    ASK_PERSON("ask_person"),
    DELETE_PATH("delete_path"),
    FINISH_TURN("finish_turn"),
    LEFT_OUT("left_out"),
    MOVE_PATH("move_path"),
    PUT_LINE_ENDS("put_line_ends"),
    READ_DOCUMENT("read_document"),
    READ_TEXT("read_text"),
    REFRESH_FILES("refresh_files"),
    SAVE_DOCUMENTS("save_documents"),
    TOOL("tool"),
    UNSAVED_TEXTS("unsaved_texts"),
    WRITE_TEXT("write_text"),
    ;

    companion object : Words<HostRequest>(HostRequest.entries)
}

/** What decides how a text is tidied. */
enum class TidyHow(override val word: String) : EngineWord {
    AS_SET("as_set"),
    NOT("not"),
    NOW("now"),
    ;

    companion object : Words<TidyHow>(TidyHow.entries)
}

/** What kind of answer a question wants. */
enum class QuestionKind(override val word: String) : EngineWord {
    CLARIFICATION("clarification"),
    CONFIRMATION("confirmation"),
    INPUT("input"),
    CHOICE("choice"),
    FILE_SELECTION("file_selection"),
    ;

    companion object : Words<QuestionKind>(QuestionKind.entries)
}

/** What an expected failure of a tool is. */
enum class ToolErrorCode(override val word: String) : EngineWord {
    MISSING_PARAM("MISSING_PARAM"),
    INVALID_PARAM("INVALID_PARAM"),
    FILE_NOT_FOUND("FILE_NOT_FOUND"),
    OUTSIDE_PROJECT("OUTSIDE_PROJECT"),
    INDEX_NOT_READY("INDEX_NOT_READY"),
    MODAL_BLOCKING("MODAL_BLOCKING"),
    TOOL_DISABLED("TOOL_DISABLED"),
    TIMEOUT("TIMEOUT"),
    PROJECT_DISPOSED("PROJECT_DISPOSED"),
    SYMBOL_NOT_FOUND("SYMBOL_NOT_FOUND"),
    AMBIGUOUS_MATCH("AMBIGUOUS_MATCH"),
    TEXT_NOT_FOUND("TEXT_NOT_FOUND"),
    STALE("STALE"),
    READ_ONLY("READ_ONLY"),
    NOT_TEXT("NOT_TEXT"),
    GIT_COMMAND_FAILED("GIT_COMMAND_FAILED"),
    NOT_APPLICABLE("NOT_APPLICABLE"),
    DENIED("DENIED"),
    CANCELLED("CANCELLED"),
    IO_ERROR("IO_ERROR"),
    INTERNAL_ERROR("INTERNAL_ERROR"),
    ;

    companion object : Words<ToolErrorCode>(ToolErrorCode.entries)
}

/**
 * One of the engine's own tools. A text names it by its constant.
 *
 * @property isGit whether it is one of those over git
 * @property isCommand whether it is given a command line
 * @property isOfIde whether the IDE performs it
 * @property isExperimental the same, and only where the person has switched such tools on
 */
enum class ToolName(
    override val word: String,
    val isGit: Boolean = false,
    val isCommand: Boolean = false,
    val isOfIde: Boolean = false,
    val isExperimental: Boolean = false,
) : EngineWord {
    READ_FILE("intellij_read_file"),
    WRITE_FILE("intellij_write_file"),
    LIST_PROJECT_FILES("list_project_files"),
    SEARCH_TEXT("search_text"),
    DELETE_FILE("delete_file"),
    MOVE_FILE("move_file"),
    SEARCH_SYMBOLS("search_symbols", isOfIde = true),
    GET_FILE_OUTLINE("get_file_outline", isOfIde = true),
    FIND_REFERENCES("find_references", isOfIde = true),
    GO_TO_DECLARATION("go_to_declaration", isOfIde = true),
    GET_HIERARCHY("get_hierarchy", isOfIde = true),
    RENAME_SYMBOL("rename_symbol", isOfIde = true),
    GET_PROBLEMS("get_problems", isOfIde = true),
    APPLY_QUICK_FIX("apply_quick_fix", isOfIde = true),
    OPTIMIZE_IMPORTS("optimize_imports"),
    FORMAT_CODE("format_code"),
    RUN_COMMAND("run_command", isCommand = true),
    LIST_TESTS("list_tests"),
    RUN_TESTS("run_tests"),
    GET_TEST_RESULTS("get_test_results"),
    GET_COVERAGE("get_coverage"),
    GIT_STATUS("git_status", isGit = true),
    GIT_DIFF("git_diff", isGit = true),
    GIT_LOG("git_log", isGit = true),
    GIT_BLAME("git_blame", isGit = true),
    GIT_SHOW("git_show", isGit = true),
    GIT_STAGE("git_stage", isGit = true),
    GIT_UNSTAGE("git_unstage", isGit = true),
    GIT_COMMIT("git_commit", isGit = true),
    GIT_BRANCH("git_branch", isGit = true),
    GIT_STASH("git_stash", isGit = true),
    HTTP_REQUEST("http_request"),
    GET_PROJECT_INFO("get_project_info"),
    ASK_USER("ask_user"),
    READ_IDE_LOG("read_ide_log", isOfIde = true),
    GET_NOTIFICATIONS("get_notifications", isOfIde = true),
    LIST_RUN_CONFIGURATIONS("list_run_configurations", isOfIde = true, isExperimental = true),
    RUN_CONFIGURATION("run_configuration", isOfIde = true, isExperimental = true),
    CREATE_RUN_CONFIGURATION("create_run_configuration", isOfIde = true, isExperimental = true),
    EDIT_RUN_CONFIGURATION("edit_run_configuration", isOfIde = true, isExperimental = true),
    READ_RUN_OUTPUT("read_run_output", isOfIde = true, isExperimental = true),
    RUN_IN_TERMINAL("run_in_terminal", isCommand = true, isOfIde = true, isExperimental = true),
    LIST_TERMINALS("list_terminals", isOfIde = true, isExperimental = true),
    READ_TERMINAL_OUTPUT("read_terminal_output", isOfIde = true, isExperimental = true),
    ;

    override fun toString() = word

    companion object : Words<ToolName>(ToolName.entries)
}

/** What is shown in place of a tool's name where only the kind of a call is known, or nothing. */
object NamelessTools {
    val labels = setOf(
        "delete",
        "edit",
        "execute",
        "fetch",
        "move",
        "other",
        "read",
        "search",
        "switch_mode",
        "think",
        "unknown",
    )
}

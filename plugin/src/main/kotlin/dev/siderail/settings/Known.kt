package dev.siderail.settings

import dev.siderail.bridge.Policy
import dev.siderail.bridge.ToolName

/*
 * Written by tests/tests/known_to_the_plugin.rs from the engine's profiles, its tools and its settings; run it with
 * SIDERAIL_BLESS=1 once one of them has changed.
 */

/** An agent whose profile the engine has. */
data class KnownAgent(val id: String, val title: String, val install: String)

/** The agents to choose from. */
object KnownAgents {
    val all = listOf(
        KnownAgent("claude", "Claude Code", "npm install -g @agentclientprotocol/claude-agent-acp"),
        KnownAgent("codex", "Codex", "npm install -g @agentclientprotocol/codex-acp"),
        KnownAgent("codex-zed", "Codex (older adapter)", "npm install -g @zed-industries/codex-acp"),
        KnownAgent("fast-agent", "fast-agent", "uv tool install fast-agent-acp"),
        KnownAgent("gemini", "Gemini CLI", "npm install -g @google/gemini-cli"),
        KnownAgent("copilot", "GitHub Copilot CLI", "npm install -g @github/copilot"),
        KnownAgent("kilo", "Kilo Code", "npm install -g @kilocode/cli"),
        KnownAgent("kimi", "Kimi Code", "npm install -g @moonshot-ai/kimi-code"),
        KnownAgent("vibe", "Mistral Vibe", "uv tool install mistral-vibe"),
        KnownAgent("opencode", "opencode", "npm install -g opencode-ai"),
        KnownAgent("openhands", "OpenHands", "uv tool install openhands"),
        KnownAgent("qwen", "Qwen Code", "npm install -g @qwen-code/qwen-code"),
    )

    fun title(id: String): String = all.find { it.id == id }?.title ?: id
}

/** The tools that can be switched off, in the order of their themes. */
object KnownTools {
    /** The most that agents are offered at once. */
    const val AT_ONCE = 40

    val all = listOf(
        ToolName.READ_FILE,
        ToolName.WRITE_FILE,
        ToolName.LIST_PROJECT_FILES,
        ToolName.SEARCH_TEXT,
        ToolName.DELETE_FILE,
        ToolName.MOVE_FILE,
        ToolName.SEARCH_SYMBOLS,
        ToolName.GET_FILE_OUTLINE,
        ToolName.FIND_REFERENCES,
        ToolName.GO_TO_DECLARATION,
        ToolName.GET_HIERARCHY,
        ToolName.RENAME_SYMBOL,
        ToolName.GET_PROBLEMS,
        ToolName.APPLY_QUICK_FIX,
        ToolName.OPTIMIZE_IMPORTS,
        ToolName.FORMAT_CODE,
        ToolName.LIST_TESTS,
        ToolName.RUN_TESTS,
        ToolName.GET_TEST_RESULTS,
        ToolName.GET_COVERAGE,
        ToolName.RUN_COMMAND,
        ToolName.GIT_STATUS,
        ToolName.GIT_DIFF,
        ToolName.GIT_LOG,
        ToolName.GIT_BLAME,
        ToolName.GIT_SHOW,
        ToolName.GIT_STAGE,
        ToolName.GIT_UNSTAGE,
        ToolName.GIT_COMMIT,
        ToolName.GIT_BRANCH,
        ToolName.GIT_STASH,
        ToolName.HTTP_REQUEST,
        ToolName.GET_PROJECT_INFO,
        ToolName.ASK_USER,
        ToolName.LIST_RUN_CONFIGURATIONS,
        ToolName.RUN_CONFIGURATION,
        ToolName.CREATE_RUN_CONFIGURATION,
        ToolName.EDIT_RUN_CONFIGURATION,
        ToolName.READ_RUN_OUTPUT,
        ToolName.RUN_IN_TERMINAL,
        ToolName.LIST_TERMINALS,
        ToolName.READ_TERMINAL_OUTPUT,
        ToolName.READ_IDE_LOG,
        ToolName.GET_NOTIFICATIONS,
    ).map(ToolName::word)

    /** Offered only where the person has switched such tools on. */
    val experimental = ToolName.entries.filter { it.isExperimental }.map(ToolName::word).toSet()
}

/** A setting by its name in files, and what its declaration says of it. */
sealed interface KnownSetting {
    val name: String
    val about: String
}

/** One that is on or off: what it is where nobody has chosen. */
data class KnownSwitch(override val name: String, val usual: Boolean, override val about: String) : KnownSetting

/** One that is a number: what it is where nobody has chosen, and what can be chosen. */
data class KnownNumber(override val name: String, val usual: Int, val range: IntRange, override val about: String) : KnownSetting

/** The engine's settings: two that have places of their own on the page, and those that have a row each. */
object KnownSettings {
    val policy = Policy.REDIRECT
    val yoloDangerous = KnownSwitch("yolo_dangerous", false, "The policy `yolo` allows dangerous actions too.")

    val switches = listOf(
        KnownSwitch("hide", true, "Hide the built-in tools that ours replace."),
        KnownSwitch("session_message", false, "Send a denial's reason also as `session/message` where there is no better way (no part of ACP; off by default)."),
    )

    val numbers = listOf(
        KnownNumber("deny_threshold", 2, 1..1000, "After how many consecutive denials the sandbox is explained, and again after as many more."),
        KnownNumber("inactivity_s", 300, 1..86400, "Silence of an agent after which its turn is cancelled."),
    )
}

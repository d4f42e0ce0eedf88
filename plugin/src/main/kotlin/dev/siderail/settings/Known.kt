package dev.siderail.settings

import dev.siderail.bridge.Policy

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
        "intellij_read_file",
        "intellij_write_file",
        "list_project_files",
        "search_text",
        "delete_file",
        "move_file",
        "search_symbols",
        "get_file_outline",
        "find_references",
        "go_to_declaration",
        "get_hierarchy",
        "rename_symbol",
        "get_problems",
        "apply_quick_fix",
        "optimize_imports",
        "format_code",
        "list_tests",
        "run_tests",
        "get_test_results",
        "get_coverage",
        "run_command",
        "git_status",
        "git_diff",
        "git_log",
        "git_blame",
        "git_show",
        "git_stage",
        "git_unstage",
        "git_commit",
        "git_branch",
        "git_stash",
        "http_request",
        "get_project_info",
        "ask_user",
        "list_run_configurations",
        "run_configuration",
        "create_run_configuration",
        "edit_run_configuration",
        "read_run_output",
        "run_in_terminal",
        "list_terminals",
        "read_terminal_output",
        "read_ide_log",
        "get_notifications",
    )

    /** Offered only where the person has switched such tools on. */
    val experimental = setOf(
        "list_run_configurations",
        "run_configuration",
        "create_run_configuration",
        "edit_run_configuration",
        "read_run_output",
        "run_in_terminal",
        "list_terminals",
        "read_terminal_output",
    )

    /** Those that are given a command line. */
    val commands = setOf(
        "run_command",
        "run_in_terminal",
    )
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

package dev.siderail.settings

import dev.siderail.engine.SessionOptions

/**
 * Settings while they are being edited, and what they come to for a session. Pure; knows no Swing and no
 * platform. A value that cannot be used is named by [problems] and keeps the page from being applied.
 */
class SettingsModel(stored: SettingsState) {
    private var stored = stored.copy()

    /** What the page shows and changes. */
    var edited: SettingsState = stored.copy()
        private set

    val isModified: Boolean get() = edited.values() != stored.values()

    fun reset(to: SettingsState) {
        stored = to.copy()
        edited = to.copy()
    }

    /** Takes over what was edited and answers what is to be stored. Secrets go to [secrets] and are not in it. */
    fun apply(secrets: SecretStore): SettingsState {
        for (id in stored.agents.keys + edited.agents.keys) {
            val before = stored.agents[id]?.environment.orEmpty()
            val now = edited.agents[id]
            val text = SecretVariables.move(id, before, now?.environment.orEmpty(), secrets)
            now?.environment = text
        }
        edited.agents.entries.removeIf { it.value.isDefault }
        stored = edited.copy()
        return stored.copy()
    }

    fun agent(id: String): AgentState = edited.agents.getOrPut(id) { AgentState() }

    /** Gives variables of an agent these values, in place of those that they had. */
    fun setVariables(id: String, values: Map<String, String>) {
        val others = agent(id).environment.lines().filter { line -> line.isNotBlank() && EnvironmentText.parse(line).keys.none { it in values } }
        agent(id).environment = (others + values.map { (name, value) -> "$name=$value" }).joinToString("\n")
    }

    /** What is wrong, as sentences; empty when all is well. */
    fun problems(): List<String> = buildList {
        if (edited.denyThreshold !in THRESHOLDS) add(Texts["settings.problem.threshold", THRESHOLDS.first, THRESHOLDS.last])
        if (edited.inactivitySeconds !in SILENCES) add(Texts["settings.problem.silence", SILENCES.first, SILENCES.last])
        for ((id, agent) in edited.agents) {
            val title = KnownAgents.title(id)
            if (CommandText.split(agent.command) == null) add(Texts["settings.problem.command", title])
            EnvironmentText.broken(agent.environment)?.let { add(Texts["settings.problem.environment", title, it]) }
        }
    }

    companion object {
        val THRESHOLDS = 1..100
        val SILENCES = 10..86_400

        /** How a session of an agent is started. A mode that was picked in the chat wins over the set one. */
        fun session(state: SettingsState, agent: String, mode: String?): SessionOptions {
            val own = state.agents[agent] ?: AgentState()
            val usual = SettingsState()
            return SessionOptions(
                agent = agent,
                agentCommand = CommandText.split(own.command)?.takeIf { it.isNotEmpty() },
                agentEnv = EnvironmentText.parse(own.environment).filterValues { it != SecretVariables.KEPT },
                policy = state.policy,
                hide = state.hide,
                mode = mode ?: own.mode.trim().ifEmpty { null },
                consent = state.agents.filterValues { it.mayWriteHome }.keys.sorted(),
                sessionMessage = state.sessionMessage,
                yoloDangerous = state.yoloDangerous && state.policy == "yolo",
                denyThreshold = state.denyThreshold.takeIf { it != usual.denyThreshold },
                inactivitySeconds = state.inactivitySeconds.takeIf { it != usual.inactivitySeconds },
            )
        }

        /** What an engine is told of tools; nothing where none is off, so that other settings count. */
        fun toolsOff(state: SettingsState): List<String>? = state.toolsOff.sorted().takeIf { it.isNotEmpty() }
    }
}

/** A program and its arguments as a person types them: blanks part them, quotes and backslashes keep blanks. */
object CommandText {
    /** The words, or null where a quote is not closed. */
    fun split(text: String): List<String>? {
        val words = ArrayList<String>()
        val word = StringBuilder()
        var quote: Char? = null
        var isWord = false
        var at = 0
        while (at < text.length) {
            val char = text[at]
            when {
                char == '\\' && quote != '\'' && at + 1 < text.length && text[at + 1] in "\\\"' " -> {
                    word.append(text[++at])
                    isWord = true
                }
                char == quote -> quote = null
                quote == null && (char == '"' || char == '\'') -> {
                    quote = char
                    isWord = true
                }
                quote == null && char.isWhitespace() -> if (isWord) {
                    words += word.toString()
                    word.clear()
                    isWord = false
                }
                else -> {
                    word.append(char)
                    isWord = true
                }
            }
            at++
        }
        if (isWord) words += word.toString()
        return words.takeIf { quote == null }
    }
}

/** Variables, a `NAME=value` a line. */
object EnvironmentText {
    private val line = Regex("""\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)""")

    fun parse(text: String): Map<String, String> =
        text.lines().mapNotNull { line.matchEntire(it) }.associate { it.groupValues[1] to it.groupValues[2] }

    /** The first line that is none. */
    fun broken(text: String): String? = text.lines().firstOrNull { it.isNotBlank() && !line.matches(it) }?.trim()?.take(60)
}

/** An agent whose profile the engine has. */
data class KnownAgent(val id: String, val title: String, val install: String)

/** The agents to choose from. A test compares this with the engine's profiles. */
object KnownAgents {
    val all = listOf(
        KnownAgent("claude", "Claude Code", "npm install -g @agentclientprotocol/claude-agent-acp"),
        KnownAgent("copilot", "GitHub Copilot CLI", "npm install -g @github/copilot"),
        KnownAgent("codex", "Codex", "npm install -g @agentclientprotocol/codex-acp"),
        KnownAgent("codex-zed", "Codex (older adapter)", "npm install -g @zed-industries/codex-acp"),
        KnownAgent("gemini", "Gemini CLI", "npm install -g @google/gemini-cli"),
        KnownAgent("qwen", "Qwen Code", "npm install -g @qwen-code/qwen-code"),
        KnownAgent("opencode", "opencode", "npm install -g opencode-ai"),
        KnownAgent("vibe", "Mistral Vibe", "uv tool install mistral-vibe"),
        KnownAgent("openhands", "OpenHands", "uv tool install openhands"),
        KnownAgent("fast-agent", "fast-agent", "uv tool install fast-agent-acp"),
        KnownAgent("kilo", "Kilo Code", "npm install -g @kilocode/cli"),
        KnownAgent("kimi", "Kimi Code", "npm install -g @moonshot-ai/kimi-code"),
    )

    fun title(id: String): String = all.find { it.id == id }?.title ?: id
}

/** The tools that can be switched off, in the order of their themes. A test compares this with the engine's. */
object KnownTools {
    val all = listOf(
        "intellij_read_file", "intellij_write_file", "delete_file", "move_file", "list_project_files", "search_text",
        "search_symbols", "get_file_outline", "find_references", "get_problems", "optimize_imports", "format_code",
        "run_tests", "list_tests", "get_test_results", "get_coverage", "list_run_configurations", "run_configuration",
        "create_run_configuration", "edit_run_configuration", "run_command", "read_run_output", "run_in_terminal",
        "list_terminals", "read_terminal_output", "git_status", "git_diff", "git_log", "git_blame", "git_show", "git_commit",
        "git_stage", "git_unstage", "git_branch", "git_stash", "http_request", "read_ide_log", "get_notifications",
        "get_project_info", "ask_user",
    )

    /** Offered only where the person has switched such tools on. */
    val experimental = setOf(
        "list_run_configurations", "run_configuration", "create_run_configuration", "edit_run_configuration", "read_run_output",
        "run_in_terminal", "list_terminals", "read_terminal_output",
    )
}

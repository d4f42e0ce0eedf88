package dev.siderail.settings

import dev.siderail.bridge.Policy
import dev.siderail.engine.SessionOptions
import dev.siderail.ui.Texts
import java.io.File

/**
 * Settings while they are being edited, and their effect on a session. Pure; knows no Swing and no platform. A value
 * that cannot be used is named by [problems] and keeps the page from being applied.
 */
class SettingsModel(stored: SettingsState) {
    private var stored = stored.copy()

    /** What the page shows and changes. */
    var edited: SettingsState = stored.copy()
        private set

    /** Tools that are wanted and one too many; the engine leaves out as many of those that are experimental. */
    val surplus: Int
        get() = (KnownTools.all.count { it !in edited.toolsOff && (edited.experimental || it !in KnownTools.experimental) } - KnownTools.AT_ONCE)
            .coerceAtLeast(0)

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
        for (known in KnownSettings.numbers) {
            val range = known.range
            if (edited.numbers[known.name]?.let { it in range } == false) add(Texts["settings.problem.number", SettingLabel.of(known), range.first, range.last])
        }
        for ((id, agent) in edited.agents) {
            val title = KnownAgents.title(id)
            if (agent.command.isNotBlank() && CommandText.split(agent.command) == null) add(Texts["settings.problem.command", title])
            EnvironmentText.broken(agent.environment)?.let { add(Texts["settings.problem.environment", title, it]) }
        }
    }

    companion object {
        /** How a session of an agent is started. A mode that was picked in the chat wins over the set one. */
        fun session(state: SettingsState, agent: String, mode: String?): SessionOptions {
            val own = state.agents[agent] ?: AgentState()
            val policy = Policy.of(state.policy) ?: KnownSettings.policy
            return SessionOptions(
                agent = agent,
                agentCommand = CommandText.split(own.command),
                agentEnv = EnvironmentText.parse(own.environment).filterValues { it != SecretVariables.KEPT },
                policy = policy,
                mode = mode ?: own.mode.trim().ifEmpty { null },
                consent = state.agents.filterValues { it.mayWriteHome }.keys.sorted(),
                switches = state.switches.filterKeys { name -> KnownSettings.switches.any { it.name == name } } + dangerous(state, policy),
                numbers = state.numbers.filterKeys { name -> KnownSettings.numbers.any { it.name == name } },
            )
        }

        /** Given always, as the policy is: where the page shows no tick, a settings file is not to allow it. */
        private fun dangerous(state: SettingsState, policy: Policy): Pair<String, Boolean> {
            val known = KnownSettings.yoloDangerous
            return known.name to (policy == Policy.YOLO && (state.switches[known.name] ?: known.usual))
        }

        /** What an engine learns of tools; nothing if none is off, so that other settings count. */
        fun toolsOff(state: SettingsState): List<String>? = state.toolsOff.sorted().takeIf { it.isNotEmpty() }
    }
}

/** What the row of a setting says before and after its value: the message bundle's text, or else that of the declaration. */
internal data class SettingLabel(val before: String, val after: String) {
    override fun toString() = if (after.isEmpty()) before else "$before … $after"

    companion object {
        fun of(known: KnownSetting): SettingLabel {
            val text = Texts.find("setting.${known.name}") ?: known.about.removeSuffix(".")
            return SettingLabel(text.substringBefore("{0}").trim(), text.substringAfter("{0}", "").trim())
        }
    }
}

/**
 * A program and its arguments as a person types them, by the rules of `siderail run --agent-command`:
 * `tests/boundary/rule.command_words.json` holds both to them. On Windows a backslash parts folders and escapes nothing.
 */
object CommandText {
    /**
     * The words, or null where the text is not a command: a quote is open, an escape has nothing behind it, there is no
     * word.
     */
    fun split(text: String, windows: Boolean = File.separatorChar == '\\'): List<String>? {
        val words = ArrayList<String>()
        val word = StringBuilder()
        var quote: Char? = null
        var isWord = false
        var at = 0
        while (at < text.length) {
            val char = text[at]
            when {
                quote == '\'' -> if (char == '\'') quote = null else word.append(char)
                char == '\\' && !windows -> {
                    isWord = true
                    val next = text.getOrNull(at + 1)
                    when {
                        quote != null && next !in ESCAPED_IN_QUOTES -> word.append(char)
                        next == null -> return null
                        else -> {
                            if (next != '\n') word.append(next)
                            at++
                        }
                    }
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
        return words.takeIf { quote == null && !it.firstOrNull().isNullOrEmpty() }
    }

    private val ESCAPED_IN_QUOTES = setOf<Char?>('"', '\\', '$', '`', '\n')
}

/** Variables, a `NAME=value` a line. */
object EnvironmentText {
    private val line = Regex("""\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)""")

    fun parse(text: String): Map<String, String> =
        text.lines().mapNotNull { line.matchEntire(it) }.associate { it.groupValues[1] to it.groupValues[2] }

    /** The first line that is not valid. */
    fun broken(text: String): String? = text.lines().firstOrNull { it.isNotBlank() && !line.matches(it) }?.trim()?.take(60)
}

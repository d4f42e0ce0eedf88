package dev.siderail.settings

import dev.siderail.engine.Tidying

/*
 * The user's settings in the IDE as they are stored: plain beans, because that is what the platform's serializer
 * writes. SettingsModel interprets them; the engine combines them with a project's own file.
 */

/** All settings; the values here are the defaults, null where the user has chosen nothing and other settings may count. */
class SettingsState {
    var agent: String = "claude"
    var policy: String = KnownSettings.policy.word
    var hide: Boolean = KnownSettings.HIDE
    var yoloDangerous: Boolean = KnownSettings.YOLO_DANGEROUS
    var sessionMessage: Boolean = KnownSettings.SESSION_MESSAGE
    var denyThreshold: Int? = null
    var inactivitySeconds: Int? = null
    var toolsOff: MutableList<String> = ArrayList()
    var experimental: Boolean = false
    var tidying: Tidying = Tidying.EACH_WRITE
    var optimizeImports: Boolean = true
    var reformat: Boolean = true
    var showDebug: Boolean = false
    var agents: MutableMap<String, AgentState> = LinkedHashMap()

    fun copy(): SettingsState = SettingsState().also { other ->
        other.agent = agent
        other.policy = policy
        other.hide = hide
        other.yoloDangerous = yoloDangerous
        other.sessionMessage = sessionMessage
        other.denyThreshold = denyThreshold
        other.inactivitySeconds = inactivitySeconds
        other.toolsOff = ArrayList(toolsOff)
        other.experimental = experimental
        other.tidying = tidying
        other.optimizeImports = optimizeImports
        other.reformat = reformat
        other.showDebug = showDebug
        agents.mapValuesTo(other.agents) { it.value.copy() }
    }

    /** Everything as one value, to compare by. */
    internal fun values(): List<Any?> = listOf(
        agent, policy, hide, yoloDangerous, sessionMessage, denyThreshold, inactivitySeconds, toolsOff.sorted(),
        experimental, tidying, optimizeImports, reformat, showDebug, agents.filterValues { !it.isDefault }.mapValues { it.value.values() }.toSortedMap(),
    )
}

/** What the user says about one agent. */
data class AgentState(
    /** Program and arguments in place of the known ones; blank for those. */
    var command: String = "",

    /** Variables, a `NAME=value` a line; of secrets the name only, see [SecretVariables.KEPT]. */
    var environment: String = "",
    var mode: String = "",

    /** Its recipe may write into the user's own folders for the time of a session. */
    var mayWriteHome: Boolean = false,
) {
    internal val isDefault: Boolean get() = values() == AgentState().values()

    internal fun values(): List<Any> = listOf(command.trim(), environment.trim(), mode.trim(), mayWriteHome)
}

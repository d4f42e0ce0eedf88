package dev.siderail.settings

import dev.siderail.engine.Tidying
import kotlin.reflect.KProperty

/*
 * The user's settings in the IDE as they are stored: plain beans, because that is what the platform's serializer
 * writes. SettingsModel interprets them; the engine combines them with a project's own file.
 */

/** All settings; the values here are the defaults. */
class SettingsState {
    var agent: String = "claude"
    var policy: String = KnownSettings.policy.word

    /**
     * What the user has chosen of the engine's settings that are on or off, by their names. What is not chosen is not in
     * it, so that other settings count. A name that is not known is a later version's, and kept for that.
     */
    var switches: MutableMap<String, Boolean> = LinkedHashMap()

    /** The same of settings that are numbers. */
    var numbers: MutableMap<String, Int> = LinkedHashMap()
    var toolsOff: MutableList<String> = ArrayList()
    var experimental: Boolean = false
    var tidying: Tidying = Tidying.EACH_WRITE
    var optimizeImports: Boolean = true
    var reformat: Boolean = true
    var showDebug: Boolean = false
    var agents: MutableMap<String, AgentState> = LinkedHashMap()

    /*
     * Before there were maps, each of these was stored under a name of its own. The serializer puts what it finds of them
     * into the maps; as they are always null, it never writes them.
     */
    var hide: Boolean? by StoredBefore("hide") { it.switches }
    var yoloDangerous: Boolean? by StoredBefore("yolo_dangerous") { it.switches }
    var sessionMessage: Boolean? by StoredBefore("session_message") { it.switches }
    var denyThreshold: Int? by StoredBefore("deny_threshold") { it.numbers }
    var inactivitySeconds: Int? by StoredBefore("inactivity_s") { it.numbers }

    fun copy(): SettingsState = SettingsState().also { other ->
        other.agent = agent
        other.policy = policy
        other.switches = LinkedHashMap(switches)
        other.numbers = LinkedHashMap(numbers)
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
        agent, policy, switches, numbers, toolsOff.sorted(), experimental, tidying, optimizeImports, reformat, showDebug,
        agents.filterValues { !it.isDefault }.mapValues { it.value.values() }.toSortedMap(),
    )
}

/** A member that is only read from what earlier versions stored, into what has it now. */
private class StoredBefore<T : Any>(private val name: String, private val now: (SettingsState) -> MutableMap<String, T>) {
    operator fun getValue(state: SettingsState, property: KProperty<*>): T? = null

    operator fun setValue(state: SettingsState, property: KProperty<*>, value: T?) {
        if (value != null) now(state)[name] = value
    }
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

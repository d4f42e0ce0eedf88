package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName

/** What keeps a person from using an agent. */
enum class Readiness { READY, LOGIN, MISSING }

/** A known agent on this machine; [install] is the command that installs it. */
data class AgentOnMachine(val id: String, val title: String, val readiness: Readiness, val install: String)

/**
 * The known agents: installed or not, as the engine found them, and logged in or not, as they said themselves when they
 * ran. No Swing; owned by one thread. An agent for which the person has set a command counts as installed.
 */
class AgentsModel(private val known: List<Choice>, private val hasOwnCommand: (agent: String) -> Boolean) {
    private var listed: List<JsonObject>? = null
    private val loggedOut = HashSet<String>()

    /** In the order of the known ones; null before the engine has answered. */
    val all: List<AgentOnMachine>? get() = listed?.let { bodies -> known.mapNotNull { choice -> bodies.find { it.text("agent") == choice.id }?.let { agent(choice, it) } } }

    /** Takes an event; true where another agent may be ready now. [agent] of a session that is open here. */
    fun apply(event: Event, agent: (session: Long) -> String): Boolean = when (event.known) {
        EventName.AGENTS -> {
            listed = event.body.objects("agents")
            true
        }
        EventName.LOGIN_NEEDED -> loggedOut.add(agent(event.session))
        EventName.SESSION_STARTED, EventName.TURN_STARTED -> loggedOut.remove(agent(event.session))
        else -> false
    }

    private fun agent(choice: Choice, body: JsonObject): AgentOnMachine {
        val id = choice.id.orEmpty()
        val readiness = when {
            body.textOrNull("program") == null && !hasOwnCommand(id) -> Readiness.MISSING
            id in loggedOut -> Readiness.LOGIN
            else -> Readiness.READY
        }
        return AgentOnMachine(id, choice.title, readiness, body.text("install"))
    }
}

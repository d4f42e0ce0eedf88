package dev.siderail.engine

/** Variables of agents that are kept where secrets belong. */
interface AgentSecrets {
    /** The variables of an agent, by name. May take long: not for the event dispatch thread. */
    fun of(agent: String): Map<String, String>
}

package dev.siderail.engine

/** What the user set in the IDE for every session, as the variables by which the engine knows it. */
interface EngineDefaults {
    /** Read when an engine is opened; added to the environment of agents and commands. */
    fun environment(): Map<String, String>
}

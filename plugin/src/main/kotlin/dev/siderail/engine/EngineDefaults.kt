package dev.siderail.engine

/** What the user set in the IDE for whole engines; what is for sessions is in [SessionOptions]. */
interface EngineDefaults {
    /** Tools that are not to be offered; null where nothing was chosen. Read when an engine is opened. */
    fun toolsOff(): List<String>?
}

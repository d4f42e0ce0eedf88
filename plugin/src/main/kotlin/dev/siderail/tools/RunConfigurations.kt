package dev.siderail.tools

import dev.siderail.document.Patience

/**
 * The IDE's run configurations as tools see them. All of it is experimental: no test here can start one, so that
 * only `docs/manual-check.md` says how it goes in a real IDE.
 */
interface RunConfigurations {
    fun all(): List<RunConfigurationFacts>

    /** Display names of the types that configurations can be made of. */
    fun types(): List<String>

    /** Adds one; an expected failure is thrown as [dev.siderail.document.ToolFailure]. */
    fun create(name: String, type: String, change: RunChange, patience: Patience)

    fun edit(name: String, change: RunChange, patience: Patience)

    /** Starts it and records what it says into [record]. Returns when the start has been asked for. */
    fun start(name: String, record: RunRecord, patience: Patience)
}

/** A run configuration as it is listed. */
data class RunConfigurationFacts(val name: String, val type: String, val isTemporary: Boolean)

/** What is to be set; null leaves it. */
data class RunChange(
    val mainClass: String? = null,
    val programArgs: String? = null,
    val vmArgs: String? = null,
    val workingDir: String? = null,
    val env: Map<String, String>? = null,
)

/** A run's output, bounded, and its end. Any thread. */
class RunRecord(val id: String, val configuration: String) {
    private val text = StringBuilder()
    private var dropped = 0L
    private var end: String? = null

    /** How it has ended, in words; null while it runs. */
    val ended: String? @Synchronized get() = end

    /** Characters that were thrown away at the beginning. */
    val missing: Long @Synchronized get() = dropped

    @Synchronized
    fun append(piece: String) {
        text.append(piece)
        val surplus = text.length - MOST
        if (surplus > SLACK) {
            text.delete(0, surplus)
            dropped += surplus
        }
    }

    /** The first word counts. */
    @Synchronized
    fun end(how: String) {
        if (end == null) end = how
        (this as Object).notifyAll()
    }

    @Synchronized
    fun lines(): List<String> = text.toString().trimEnd().lines()

    /** Waits for the end, as long as the call is wanted; whether it has come. */
    fun await(limitMs: Long, patience: Patience): Boolean {
        val deadline = System.nanoTime() + limitMs * NANOS
        while (true) {
            patience.check()
            synchronized(this) {
                if (end != null) return true
                val left = (deadline - System.nanoTime()) / NANOS
                if (left <= 0) return false
                (this as Object).wait(left.coerceAtMost(LOOK_MS))
            }
        }
    }

    private companion object {
        const val MOST = 1_000_000
        const val SLACK = 100_000
        const val LOOK_MS = 200L
        const val NANOS = 1_000_000L
    }
}

package dev.siderail.engine

import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeoutException

/**
 * The end of one engine, for those who wait for it. Refers to nothing else, so that waiting keeps neither an engine nor
 * its project in memory.
 */
internal class EngineEnd {
    private val reached = CompletableFuture<Unit>()
    val isReached: Boolean get() = reached.isDone

    fun reach() {
        reached.complete(Unit)
    }

    /** Waits a moment for it; false where it did not come. */
    fun await(): Boolean = try {
        reached.get(PATIENCE_MS, MILLISECONDS)
        true
    } catch (_: TimeoutException) {
        false
    }

    /**
     * Has the end of the process wait a moment for this one, too, as long as it has not come. False where the process
     * ends already.
     */
    fun delayProcessEnd(): Boolean {
        if (isReached) return true
        val hook = Thread(::await, "Siderail end")
        try {
            Runtime.getRuntime().addShutdownHook(hook)
        } catch (_: IllegalStateException) {
            return false
        }
        reached.thenRun {
            try {
                Runtime.getRuntime().removeShutdownHook(hook)
            } catch (_: IllegalStateException) {
                // The process ends, and the hook has run or is about to.
            }
        }
        return true
    }

    private companion object {
        const val PATIENCE_MS = 1_000L
    }
}

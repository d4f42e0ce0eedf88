package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.withLock

/**
 * Brings events from the engine's thread to the event dispatch thread, in batches: many events, one repaint.
 *
 * [schedule] runs its argument a little later on the event dispatch thread. At most [capacity] events wait; then
 * [offer] waits, which delays the engine's events and no agent. After [close] nothing waits and nothing comes.
 */
class EventFeed(
    private val capacity: Int = 20_000,
    private val schedule: (Runnable) -> Unit,
    private val deliver: (List<Event>) -> Unit,
) : AutoCloseable {
    private val lock = ReentrantLock()
    private val hasRoom = lock.newCondition()
    private var waiting = ArrayList<Event>()
    private var isScheduled = false
    private var isClosed = false

    fun offer(events: List<Event>) {
        lock.withLock {
            while (waiting.size >= capacity && !isClosed) hasRoom.await()
            if (isClosed) return
            waiting += events
            if (isScheduled) return
            isScheduled = true
        }
        schedule(::flush)
    }

    private fun flush() {
        val batch = lock.withLock {
            isScheduled = false
            hasRoom.signalAll()
            waiting.also { waiting = ArrayList() }
        }
        if (batch.isNotEmpty() && !isClosed) deliver(batch)
    }

    override fun close() = lock.withLock {
        isClosed = true
        waiting = ArrayList()
        hasRoom.signalAll()
    }
}

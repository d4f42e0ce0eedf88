package dev.siderail.engine

import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply

/** What the IDE does for the engine: tools, and reading and writing files for an agent. */
interface HostCalls {
    /** Bare names of the tools that are performed here; the others are not offered to agents. */
    val tools: List<String>

    /**
     * Starts a call and returns at once; called on a thread of the engine, never the event dispatch thread.
     * [reply] takes the answer later, once, on any thread; a second answer is ignored. An exception that leaves
     * this function fails the call, and one that is not answered in time fails by itself.
     */
    fun start(call: HostCall, reply: (HostReply) -> Unit)

    /** The call's result is no longer wanted. It may still be answered. */
    fun cancel(call: Long)
}

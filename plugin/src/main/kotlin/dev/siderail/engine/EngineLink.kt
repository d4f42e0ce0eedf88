package dev.siderail.engine

import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.LogLevel
import dev.siderail.bridge.NativeException
import dev.siderail.bridge.NativeHost
import dev.siderail.bridge.Verbs
import dev.siderail.bridge.encode
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong

/** Takes a log record: level, where it comes from, text. */
internal typealias Log = (LogLevel, String, String) -> Unit

/**
 * One engine, from its loading to its end: commands in, events and host calls out.
 *
 * Knows no class of the platform. Commands go through [orders] one after the other, behind the loading, so that
 * none has to wait on the caller's thread.
 *
 * @param prepare loads the library and says what to open; runs on [orders]
 * @param secrets variables of an agent that are kept where asking may take long, as when the system's store wants a
 *   password first; asked on [slow], where only the commands of that session wait for them
 * @param orders runs one task after the other, never on the event dispatch thread
 */
internal class EngineLink(
    private val prepare: () -> Prepared,
    private val calls: HostCalls,
    private val orders: Executor,
    private val secrets: (agent: String) -> Map<String, String> = { emptyMap() },
    private val slow: Executor = orders,
    private val folders: () -> List<Path> = { emptyList() },
    private val log: Log,
) : AgentSessions, AutoCloseable {
    /** The outcome of preparing. */
    sealed interface Prepared {
        /** An engine can be opened. [release] gives back what it used, when it has ended. */
        class Ready(val verbs: Verbs, val config: EngineConfig, val release: () -> Unit) : Prepared

        /** There can be no engine. */
        class Failed(val reason: String, val hint: String?) : Prepared
    }

    private class Open(val ready: Prepared.Ready, val handle: Long)

    private val listeners = CopyOnWriteArrayList<(List<Event>) -> Unit>()
    private val watchers = CopyOnWriteArrayList<(EngineState) -> Unit>()
    private val sessions = AtomicLong()

    /** Whose secrets a session gets, while it lasts. */
    private val agents = ConcurrentHashMap<Long, String>()
    private val closing = AtomicBoolean()

    /** What was asked before [begin]. */
    private val kept = ArrayList<Runnable>()
    private var begun = false

    /** The content roots that each session got last. Only tasks of [orders] use it. */
    private val told = HashMap<Long, List<Path>>()

    /** The last command of a session that waits for secrets, or for one that does. */
    private val waiting = HashMap<Long, CompletableFuture<Void>>()

    /** Reached when there is no engine any more, or there was none. */
    val end = EngineEnd()

    @Volatile
    private var open: Open? = null

    @Volatile
    override var state: EngineState = EngineState.Starting
        private set

    /** The project is not trusted yet: nothing of it is read or started, and what is asked waits for [begin]. */
    fun hold() = change(EngineState.Untrusted)

    /** Loads and opens; what comes of it is the [state]. Called once. */
    fun begin() {
        change(EngineState.Starting)
        synchronized(kept) {
            begun = true
            val first = ArrayList(kept)
            kept.clear()
            orders.execute(::load)
            first.forEach(orders::execute)
        }
    }

    private fun load() {
        val prepared = try {
            prepare()
        } catch (e: Exception) {
            Prepared.Failed("the engine cannot be prepared: $e", null)
        }
        when (prepared) {
            is Prepared.Failed -> fail(prepared.reason, prepared.hint)
            is Prepared.Ready -> open(prepared)
        }
    }

    private fun open(ready: Prepared.Ready) {
        try {
            val handle = ready.verbs.open(ready.config.toJson().encode(), NativeHost(Receiver(ready)))
            open = Open(ready, handle)
            // An engine that has ended by now has said so already.
            if (!end.isReached) change(EngineState.Ready) else open = null
        } catch (e: NativeException) {
            ready.release()
            fail(e.reason, e.hint)
        } catch (e: RuntimeException) {
            ready.release()
            fail("the engine cannot be opened: $e", null)
        }
    }

    private fun fail(reason: String, hint: String?) {
        end.reach()
        log(LogLevel.ERROR, TARGET, listOfNotNull(reason, hint).joinToString("; "))
        change(EngineState.Failed(reason, hint))
    }

    @Synchronized
    private fun change(to: EngineState) {
        // Nothing comes after the end, such as the failure of an engine that was being opened.
        if (state == EngineState.Closed || state == to) return
        state = to
        watchers.forEach { watcher -> guarded("a watcher of the engine's state") { watcher(to) } }
    }

    override fun start(options: SessionOptions): Long {
        val session = sessions.incrementAndGet()
        agents[session] = options.agent
        sendWithSecrets(session, options.agent) { Command.StartSession(session, completed(session, options, it)) }
        return session
    }

    override fun restart(session: Long, options: SessionOptions) =
        sendWithSecrets(session, options.agent) { Command.RestartSession(session, completed(session, options, it)) }

    private fun completed(session: Long, options: SessionOptions, secrets: Map<String, String>): SessionOptions {
        val roots = furtherFolders()
        told[session] = roots
        return options.copy(agentEnv = options.agentEnv + secrets, contentRoots = roots)
    }

    /** The project's content roots may be others now: sessions that know others get them. */
    fun foldersChanged() = order {
        told.keys.retainAll(agents.keys)
        val roots = if (told.isEmpty()) emptyList() else furtherFolders()
        for (session in told.filterValues { it != roots }.keys.sorted()) {
            told[session] = roots
            send(session, Command.SetContentRoots(session, roots))
        }
    }

    override fun prompt(session: Long, text: String, plan: Boolean, attachments: List<Attachment>) =
        send(session, Command.Prompt(session, text, plan, attachments = attachments))

    override fun cancel(session: Long) = send(session, Command.Cancel(session))

    override fun setMode(session: Long, mode: String) = send(session, Command.SetMode(session, mode))

    override fun setOption(session: Long, option: String, value: String) =
        send(session, Command.SetOption(session, option, value))

    override fun steer(session: Long, text: String) = send(session, Command.Steer(session, text))

    override fun revert(session: Long, path: String) = send(session, Command.Revert(session, path))

    override fun login(session: Long, method: String?, values: Map<String, String>, byAgent: Boolean) {
        val agent = agents[session].takeUnless { byAgent }
        sendWithSecrets(session, agent) { secrets -> Command.Login(session, method, secrets + values) }
    }

    override fun listHistory(query: String?) = send(NO_SESSION, Command.ListHistory(0, query))

    override fun exportHistory(conversation: String) = send(NO_SESSION, Command.ExportHistory(conversation))

    override fun listAgents() = send(NO_SESSION, Command.ListAgents)

    override fun answerPermission(session: Long, requestId: Long, answer: PermissionAnswer) =
        send(session, Command.AnswerPermission(session, requestId, answer))

    override fun end(session: Long) = send(session, Command.EndSession(session))

    /** An agent without its secrets says itself what it lacks. */
    private fun secretsOf(agent: String): Map<String, String> {
        var found = emptyMap<String, String>()
        guarded("asking for secrets") { found = secrets(agent) }
        return found
    }

    /** In turn; where the session waits for secrets, behind what it was asked before. */
    private fun send(session: Long, command: Command) = synchronized(waiting) {
        val before = waiting[session]
        if (before == null) order { hand(command) } else follow(session, before.thenRunAsync({ hand(command) }, ::order))
    }

    /** Other sessions' commands continue while [agent]'s secrets are looked up. */
    private fun sendWithSecrets(session: Long, agent: String?, make: (Map<String, String>) -> Command) = synchronized(waiting) {
        val before = waiting[session] ?: CompletableFuture.completedFuture(null)
        val secrets = before.thenApplyAsync({ agent?.let(::secretsOf).orEmpty() }, slow)
        follow(session, secrets.thenAcceptAsync({ hand(make(it)) }, ::order))
    }

    private fun follow(session: Long, last: CompletableFuture<Void>) {
        waiting[session] = last
        last.whenComplete { _, _ -> synchronized(waiting) { waiting.remove(session, last) } }
    }

    /** A project whose folders are not known is started without them. */
    private fun furtherFolders(): List<Path> = try {
        folders()
    } catch (error: RuntimeException) {
        log(LogLevel.WARN, TARGET, "the project's other content roots are not known: $error")
        emptyList()
    }

    private fun order(task: Runnable) {
        if (closing.get()) return
        synchronized(kept) { if (begun) orders.execute(task) else kept += task }
    }

    private fun hand(command: Command) {
        open?.let { guarded("sending a command") { it.ready.verbs.send(it.handle, command.toJson().encode()) } }
    }

    override fun listen(listener: (List<Event>) -> Unit): AutoCloseable {
        listeners.add(listener)
        return AutoCloseable { listeners.remove(listener) }
    }

    @Synchronized
    override fun watchState(watcher: (EngineState) -> Unit): AutoCloseable {
        watchers.add(watcher)
        watcher(state)
        return AutoCloseable { watchers.remove(watcher) }
    }

    /**
     * Ends the engine and returns at once: it may be called on the event dispatch thread. Its [end] comes when agents
     * have stopped and restored what they changed; what is not done at the end of the process is done at the next
     * start.
     */
    override fun close() {
        if (!closing.compareAndSet(false, true)) return
        change(EngineState.Closed)
        orders.execute {
            when (val last = open) {
                null -> end.reach()
                else -> guarded("closing the engine") { last.ready.verbs.close(last.handle) }
            }
        }
        listeners.clear()
        watchers.clear()
    }

    /** What the library calls. */
    private inner class Receiver(private val ready: Prepared.Ready) : NativeHost.Receiver {
        override fun events(events: List<Event>) {
            events.filter { it.known == EventName.SUMMARY }.forEach { agents.remove(it.session) }
            listeners.forEach { listener -> guarded("a listener to events") { listener(events) } }
        }

        override fun start(call: HostCall) {
            val answered = AtomicBoolean()
            calls.start(call) { reply -> if (answered.compareAndSet(false, true)) complete(call, reply) }
        }

        override fun cancel(call: Long) = calls.cancel(call)

        override fun log(level: LogLevel, target: String, text: String) = this@EngineLink.log(level, target, text)

        override fun closed() {
            val last = open
            open = null
            end.reach()
            guarded("putting the engine away", ready.release)
            if (!closing.get()) {
                // It needs no ending any more, but its handle has to be given back.
                last?.let { orders.execute { guarded("giving the handle back") { ready.verbs.close(it.handle) } } }
                fail("the engine has ended by itself", "see the log, and open the project again")
            }
        }
    }

    private fun complete(call: HostCall, reply: HostReply) {
        val open = open ?: return
        guarded("answering host call ${call.call}") {
            open.ready.verbs.complete(open.handle, call.call, reply.toJson().encode())
        }
    }

    /** What others do wrong, or the engine refuses because it ends, must not stop the rest. */
    private fun guarded(what: String, action: () -> Unit) {
        try {
            action()
        } catch (e: IllegalStateException) {
            // Also cancellations: the engine is gone, or going.
            if (!closing.get()) log(LogLevel.WARN, TARGET, "$what: $e")
        } catch (e: Exception) {
            log(LogLevel.ERROR, TARGET, "$what failed: ${e.stackTraceToString()}")
        }
    }

    private companion object {
        const val TARGET = "dev.siderail.engine"
        const val NO_SESSION = 0L
    }
}

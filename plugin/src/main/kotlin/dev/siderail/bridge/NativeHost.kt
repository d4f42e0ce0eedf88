package dev.siderail.bridge

/**
 * What the native library calls, from threads of its own.
 *
 * Decodes and hands over. Events come from one thread and calls from another; while a method here does not
 * return, the library keeps what follows for it, so a slow receiver delays only itself. An exception that
 * leaves [start] fails that call; any other is written to the log by the library.
 */
internal class NativeHost(private val receiver: Receiver) {
    /** Takes what came over the boundary, decoded. Never called on the event dispatch thread. */
    interface Receiver {
        /** Events in the order in which they happened; never empty. */
        fun events(events: List<Event>)

        /** A call to perform, answered later by [Native.complete]. */
        fun start(call: HostCall)

        /** The call's result is no longer wanted. */
        fun cancel(call: Long)

        /** A record for the log. */
        fun log(level: LogLevel, target: String, text: String)

        /** Nothing of the engine is left; nothing is called after this. */
        fun closed()
    }

    /** [batch] is a JSON array of events. */
    @Suppress("unused")
    fun events(batch: ByteArray) = receiver.events(Event.decodeBatch(batch))

    /** [request] is a host call. */
    @Suppress("unused")
    fun start(@Suppress("UNUSED_PARAMETER") call: Long, request: ByteArray) = receiver.start(HostCall.decode(request))

    /** The call of that number is no longer wanted. */
    @Suppress("unused")
    fun cancel(call: Long) = receiver.cancel(call)

    /** [level] is 1 for an error to 5 for a trace; both texts are UTF-8. */
    @Suppress("unused")
    fun log(level: Int, target: ByteArray, text: ByteArray) =
        receiver.log(LogLevel.of(level), String(target, Charsets.UTF_8), String(text, Charsets.UTF_8))

    /** The engine's last word. */
    @Suppress("unused")
    fun closed() = receiver.closed()
}

/** How much a log record matters. */
enum class LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE;

    companion object {
        /** The level of a number from 1 for an error to 5 for a trace. */
        fun of(number: Int): LogLevel = entries[(number - 1).coerceIn(entries.indices)]
    }
}

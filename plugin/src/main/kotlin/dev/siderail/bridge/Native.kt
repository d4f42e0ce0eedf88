package dev.siderail.bridge

/**
 * The functions of the native library, and nothing else.
 *
 * Every function returns at once: its results come later, through [NativeHost]. Payloads are UTF-8 JSON. A handle is a
 * number that [open] gave; one that was never given, or is closed, is an [IllegalStateException]. The names and
 * signatures are compared with the library's own table by a test of `rust/jni`.
 */
internal object Native {
    /** The library's version of this boundary; [ABI_VERSION] is what this code is made for. */
    @JvmStatic
    external fun abiVersion(): Int

    /**
     * Starts an engine. Reads a few small files: not for the event dispatch thread.
     *
     * @throws NativeException with what happened, and what to do about it
     */
    @JvmStatic
    external fun open(config: ByteArray, host: NativeHost): Long

    /** Hands over a command. */
    @JvmStatic
    external fun send(handle: Long, command: ByteArray)

    /** Answers a host call; one that is over is not an error. */
    @JvmStatic
    external fun complete(handle: Long, call: Long, reply: ByteArray)

    /** Ends the engine. [NativeHost.closed] comes when nothing of it is left. */
    @JvmStatic
    external fun close(handle: Long)

    /** Grows with every incompatible change of the functions, the callbacks or the messages. */
    const val ABI_VERSION: Int = 1
}

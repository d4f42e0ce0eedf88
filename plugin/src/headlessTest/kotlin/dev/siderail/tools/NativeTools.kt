package dev.siderail.tools

/** `rust/jni/examples/tools.rs`: the engine's file tools without an engine. */
internal object NativeTools {
    @JvmStatic
    external fun open(): Long

    /** The next message, or null when none came for a moment. */
    @JvmStatic
    external fun next(handle: Long): ByteArray?

    @JvmStatic
    external fun start(handle: Long, call: ByteArray)

    @JvmStatic
    external fun cancel(handle: Long, call: Long)

    @JvmStatic
    external fun complete(handle: Long, call: Long, reply: ByteArray)

    @JvmStatic
    external fun close(handle: Long)
}

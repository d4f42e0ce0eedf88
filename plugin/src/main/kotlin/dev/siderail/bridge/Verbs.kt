package dev.siderail.bridge

/**
 * The library's functions as an interface that a test can replace. See [Native] for what each does.
 */
internal interface Verbs {
    fun open(config: ByteArray, host: NativeHost): Long

    fun send(handle: Long, command: ByteArray)

    fun complete(handle: Long, call: Long, reply: ByteArray)

    fun close(handle: Long)
}

/** The library itself; [NativeLoader] has to have loaded it. */
internal object NativeVerbs : Verbs {
    override fun open(config: ByteArray, host: NativeHost): Long = Native.open(config, host)

    override fun send(handle: Long, command: ByteArray) = Native.send(handle, command)

    override fun complete(handle: Long, call: Long, reply: ByteArray) = Native.complete(handle, call, reply)

    override fun close(handle: Long) = Native.close(handle)
}

package dev.siderail.bridge

/** The library could not do what it was asked to. The text's first line says what, further lines what to do. */
class NativeException(text: String) : RuntimeException(text) {
    /** What happened and why. */
    val reason: String get() = message.orEmpty().substringBefore('\n')

    /** What to do about it, where there is something to say. */
    val hint: String? get() = message.orEmpty().substringAfter('\n', "").ifEmpty { null }
}

/** A bug in the library: it panicked, and the panic was caught at the boundary. */
class NativePanicError(text: String) : Error(text)

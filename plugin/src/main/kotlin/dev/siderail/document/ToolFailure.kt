package dev.siderail.document

import dev.siderail.bridge.ToolErrorCode

/** An expected failure: the model reads the code and the text, which says what happened, why, and what to do. */
class ToolFailure(val code: ToolErrorCode, val text: String) : RuntimeException(text, null, false, false) {
    companion object {
        fun invalid(text: String) = ToolFailure(ToolErrorCode.INVALID_PARAM, text)

        fun missing(name: String) = ToolFailure(ToolErrorCode.MISSING_PARAM, "`$name` is needed")

        fun cancelled() = ToolFailure(ToolErrorCode.CANCELLED, "the call was cancelled")

        fun io(attempt: String, path: String, error: Throwable) =
            ToolFailure(ToolErrorCode.IO_ERROR, "cannot $attempt $path: ${error.message ?: error.javaClass.simpleName}")
    }
}

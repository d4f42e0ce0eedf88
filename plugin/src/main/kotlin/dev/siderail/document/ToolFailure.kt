package dev.siderail.document

/**
 * An expected failure: the model reads the code and the text, which says what happened, why, and what to do.
 *
 * The codes are the engine's closed list (`ToolErrorCode`); these are the ones that can arise here.
 */
class ToolFailure(val code: Code, val text: String) : RuntimeException(text, null, false, false) {
    enum class Code {
        MISSING_PARAM,
        INVALID_PARAM,
        FILE_NOT_FOUND,
        OUTSIDE_PROJECT,
        INDEX_NOT_READY,
        PROJECT_NOT_READY,
        MODAL_BLOCKING,
        BUILD_IN_PROGRESS,
        TOOL_DISABLED,
        TIMEOUT,
        PROJECT_DISPOSED,
        SYMBOL_NOT_FOUND,
        AMBIGUOUS_MATCH,
        TEXT_NOT_FOUND,
        STALE,
        READ_ONLY,
        NOT_TEXT,
        NOT_APPLICABLE,
        CANCELLED,
        IO_ERROR,
        INTERNAL_ERROR,
    }

    companion object {
        fun invalid(text: String) = ToolFailure(Code.INVALID_PARAM, text)

        fun missing(name: String) = ToolFailure(Code.MISSING_PARAM, "`$name` is needed")

        fun cancelled() = ToolFailure(Code.CANCELLED, "the call was cancelled")

        fun io(attempt: String, path: String, error: Throwable) =
            ToolFailure(Code.IO_ERROR, "cannot $attempt $path: ${error.message ?: error.javaClass.simpleName}")
    }
}

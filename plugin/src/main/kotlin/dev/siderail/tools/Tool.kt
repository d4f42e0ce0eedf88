package dev.siderail.tools

import com.intellij.openapi.progress.ProgressIndicator
import dev.siderail.bridge.HostReply
import dev.siderail.document.Patience
import dev.siderail.document.Place
import dev.siderail.document.ProjectFolder

/** What a tool answers. */
typealias ToolResult = HostReply.Tool

/**
 * A tool that the IDE performs. Its name, arguments and description are the engine's (`rust/tools/src`).
 *
 * Runs on a background thread that it may keep, outside of read actions.
 */
interface Tool {
    val name: String

    /** Does it. An expected failure is thrown as [dev.siderail.document.ToolFailure]. */
    fun run(call: ToolCall): ToolResult
}

/** A tool that waits for something else than the IDE, and so keeps no thread. */
interface WaitingTool {
    val name: String

    /** Starts it; [answered] is called once, on any thread, unless what is returned is closed before. */
    fun start(call: ToolCall, answered: (HostReply) -> Unit): AutoCloseable
}

/**
 * One call of a tool.
 *
 * @property session the session it is for; 0 for none
 * @property patience asked every now and then whether the call is still wanted
 * @property indicator cancelled when it is not
 */
class ToolCall(
    val session: Long,
    val folder: ProjectFolder,
    val arguments: Arguments,
    val patience: Patience,
    val indicator: ProgressIndicator,
) {
    /** The place that an argument names. */
    fun place(name: String = "path"): Place = folder.resolve(arguments.requiredText(name))
}

package dev.siderail.tools

import com.intellij.openapi.progress.ProgressIndicator
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.Patience
import dev.siderail.document.Place
import dev.siderail.document.ProjectFolder
import dev.siderail.document.ToolFailure

/** What a tool answers. */
typealias ToolResult = HostReply.Tool

/**
 * A tool that the IDE performs. Its name, arguments and description are the engine's (`rust/tools/src`).
 *
 * Runs on a background thread that it may keep, outside of read actions.
 */
interface Tool {
    val name: ToolName

    /** Does it. An expected failure is thrown as [ToolFailure]. */
    fun run(call: ToolCall): ToolResult
}

/** A tool that answers a text. */
internal fun tool(toolName: ToolName, work: (ToolCall) -> String) = object : Tool {
    override val name get() = toolName

    override fun run(call: ToolCall) = ToolResult(work(call))
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
    /** What is at the place that the argument `path` names. */
    fun place(): Place = existing(arguments.requiredText("path"))

    /** The same of a path, which the engine has found there. */
    fun existing(path: String): Place {
        val place = folder.resolve(path)
        return if (place.exists) place else throw ToolFailure(ToolErrorCode.FILE_NOT_FOUND, "${place.name} does not exist; ${ToolName.LIST_PROJECT_FILES} lists the files")
    }
}

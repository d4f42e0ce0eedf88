package dev.siderail.tools

import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.project.Project
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.HostRequest
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.DocumentReader
import dev.siderail.document.DocumentWriter
import dev.siderail.document.EventThread
import dev.siderail.document.FileRelocator
import dev.siderail.document.Patience
import dev.siderail.document.Place
import dev.siderail.document.ProjectDisk
import dev.siderail.document.ToolFailure
import dev.siderail.engine.ToolSettings
import dev.siderail.psi.CodeServices
import java.nio.file.Path

/** The tools that need the IDE, and the engine's other requests: documents for its own tools, editors around programs. */
class Toolbox(
    project: Project,
    private val settings: () -> ToolSettings,
    code: CodeServices = CodeServices(project),
    private val experimental: List<Tool> = emptyList(),
) {
    private val eventThread = EventThread(project)
    private val reader = DocumentReader(eventThread)
    private val writer = DocumentWriter(project, eventThread, reader)
    private val edits = Edits(project, reader, writer, settings, code)
    private val documents = DocumentRequests(project, reader, writer, edits, FileRelocator(project, eventThread, reader), code.files)
    private val disk = ProjectDisk(project, eventThread, reader)

    private val tools: Map<ToolName, Tool> =
        (codeTools(project, eventThread, reader, code) + declarationTools(project, eventThread, reader, code) + ideTools(project)).associateBy(Tool::name)

    private val experimentalTools = experimental.associateBy(Tool::name)

    /** Bare names of what is offered. */
    val names: List<String>
        get() = (tools.keys + if (settings().experimental) experimentalTools.keys else emptySet()).map(ToolName::word)

    /** Does it, on a background thread. */
    fun perform(call: HostCall, with: ToolCall): HostReply = when (call.known) {
        HostRequest.TOOL -> find(nameOf(call)).run(with)
        HostRequest.SAVE_DOCUMENTS -> HostReply.Done.also { disk.save(with.patience) }
        HostRequest.REFRESH_FILES -> HostReply.Done.also { disk.refresh(with.folder, pathsOf(call), with.patience) }
        HostRequest.FINISH_TURN -> HostReply.Done.also { finishTurn(with) }
        else -> documents.perform(call, with) ?: throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "the IDE does not know the request `${call.request}`")
    }

    /** Ends a session's turn; the files that were to be tidied then. */
    fun endTurn(session: Long): List<String> = edits.endTurn(session)

    /** Optimises imports and formats a file as a command of its own. */
    fun tidy(place: Place, patience: Patience) = edits.tidy(place, patience)

    /** What was left for the turn's end; a file that cannot be tidied costs no other. */
    private fun finishTurn(with: ToolCall) {
        for (path in endTurn(with.session)) {
            try {
                tidy(with.folder.resolve(path), with.patience)
            } catch (failure: ToolFailure) {
                LOG.info("$path was not tidied at the turn's end: ${failure.text}")
            }
        }
    }

    /** Null where any file may have changed. */
    private fun pathsOf(call: HostCall): List<Path>? =
        call.body.get("paths")?.takeIf { it.isJsonArray }?.asJsonArray?.map { Path.of(it.asString) }

    private fun find(word: String): Tool {
        val name = ToolName.of(word)
        val onTrial = experimentalTools[name]
        return tools[name] ?: onTrial?.takeIf { settings().experimental } ?: throw ToolFailure(
            if (onTrial == null) ToolErrorCode.NOT_APPLICABLE else ToolErrorCode.TOOL_DISABLED,
            "$word is not available in this IDE",
        )
    }

    private fun nameOf(call: HostCall): String = call.body.get("name")?.asString.orEmpty()

    private companion object {
        val LOG = Logger.getInstance(Toolbox::class.java)
    }
}

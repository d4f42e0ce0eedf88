package dev.siderail.tools

import com.google.gson.JsonObject
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.project.Project
import com.intellij.openapi.project.ProjectManager
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.document.Change
import dev.siderail.document.DocumentReader
import dev.siderail.document.DocumentWriter
import dev.siderail.document.EventThread
import dev.siderail.document.FileRelocator
import dev.siderail.document.Patience
import dev.siderail.document.Place
import dev.siderail.document.ProjectDisk
import dev.siderail.document.ToolFailure
import dev.siderail.document.ToolFailure.Code
import dev.siderail.engine.Questions
import dev.siderail.engine.ToolSettings
import dev.siderail.psi.CodeServices
import java.nio.file.Path

/** The tools that exist here, and the engine's other requests: whole files for an agent, editors around programs. */
class Toolbox(
    project: Project,
    questions: Questions,
    private val settings: () -> ToolSettings,
    code: CodeServices = CodeServices(project),
    private val experimental: List<Tool> = emptyList(),
) {
    private val eventThread = EventThread(project)
    private val reader = DocumentReader(eventThread)
    private val writer = DocumentWriter(project, eventThread, reader)
    private val missing = MissingPath(reader, code.files)
    private val edits = Edits(project, writer, settings, code)
    private val disk = ProjectDisk(project, eventThread, reader)
    private val asking = AskUser(questions, missing)
    private val declarations = DeclarationAccess(project, reader, code, missing)

    private val tools: Map<String, Tool> = listOf(
        ReadFile(reader, writer, missing),
        WriteFile(edits, missing),
        DeleteFile(FileRelocator(project, eventThread, reader), reader, missing),
        MoveFile(FileRelocator(project, eventThread, reader), missing),
        ListFiles(reader, code.files, missing),
        SearchText(reader, code.files, missing),
        ProjectInfo(project, reader, code.files),
        SearchSymbols(project, code),
        Outline(project, reader, code, missing),
        FindReferences(project, reader, code, missing),
        GoToDeclaration(declarations),
        GetHierarchy(declarations),
        RenameSymbol(declarations, eventThread),
        GetProblems(project, reader, code, missing),
        ApplyQuickFix(project, eventThread, reader, code, missing),
        FormatCode(edits, reader, missing),
        OptimizeImports(edits, missing),
        ReadIdeLog({ ProjectManager.getInstance().openProjects.filter { it != project }.mapNotNull { it.basePath }.filter { project.basePath?.startsWith(it) != true } }),
        GetNotifications(project),
    ).associateBy(Tool::name)

    private val experimentalTools = experimental.associateBy(Tool::name)

    /** Bare names of what is offered. */
    val names: List<String>
        get() = tools.keys.toList() + asking.name + if (settings().experimental) experimentalTools.keys else emptySet()

    /** The tool of a call that waits for a person; null for all others. */
    fun waiting(call: HostCall): WaitingTool? = asking.takeIf { call.request == TOOL && nameOf(call) == it.name }

    /** Paths, as given, at which a call takes turns with others. */
    fun touches(call: HostCall): List<String> = when (call.request) {
        TOOL -> find(call)?.touches(argumentsOf(call)).orEmpty()
        "finish_turn" -> edits.untidied(call.session)
        else -> listOfNotNull(call.body.get("path")?.asString)
    }

    /** Does it, on a background thread. */
    fun perform(call: HostCall, with: ToolCall): HostReply = when (call.request) {
        TOOL -> (find(call) ?: throw unknown(nameOf(call))).run(with)
        "read_text" -> HostReply.Text(readText(call, with))
        "write_text" -> HostReply.Written(writeText(call, with))
        "save_documents" -> HostReply.Done.also { disk.save(with.patience) }
        "refresh_files" -> HostReply.Done.also { disk.refresh(with.folder, pathsOf(call), with.patience) }
        "finish_turn" -> HostReply.Done.also { finishTurn(with) }
        else -> throw ToolFailure(Code.NOT_APPLICABLE, "the IDE does not know the request `${call.request}`")
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

    private fun readText(call: HostCall, with: ToolCall): String {
        val place = missing.existing(with.folder.resolve(call.body.get("path").asString), with)
        val text = reader.read(place, with.patience).also(writer::seen).textAsOnDisk
        val line = call.body.int("line")
        val limit = call.body.int("limit")
        if (line == null && limit == null) return text
        val lines = text.splitToSequence(LINE_END)
        return lines.drop((line ?: 1).coerceAtLeast(1) - 1).take(limit ?: Int.MAX_VALUE).joinToString("")
    }

    private fun writeText(call: HostCall, with: ToolCall): String? {
        val place = with.folder.resolve(call.body.get("path").asString)
        val change = Change.Content(call.body.get("content").asString)
        val isExact = call.body.get("exact")?.asBoolean == true
        return (if (isExact) edits.writeExactly(with, place, change) else edits.write(with, place, change, null)).diffForPeople
    }

    private fun find(call: HostCall): Tool? =
        tools[nameOf(call)] ?: experimentalTools[nameOf(call)]?.takeIf { settings().experimental }

    private fun unknown(name: String) = ToolFailure(
        if (name in experimentalTools) Code.TOOL_DISABLED else Code.NOT_APPLICABLE,
        "$name is not available in this IDE",
    )

    private fun nameOf(call: HostCall): String = call.body.get("name")?.asString.orEmpty()

    private fun argumentsOf(call: HostCall) = Arguments(call.body.getAsJsonObject("arguments") ?: JsonObject())

    private fun JsonObject.int(member: String): Int? = get(member)?.takeUnless { it.isJsonNull }?.asInt

    private companion object {
        val LOG = Logger.getInstance(Toolbox::class.java)
        const val TOOL = "tool"

        /** Behind the end of a line, which stays with its line. */
        val LINE_END = Regex("""(?<=\n)|(?<=\r)(?!\n)""")
    }
}

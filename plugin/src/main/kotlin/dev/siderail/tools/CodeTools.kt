package dev.siderail.tools

import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.project.IndexNotReadyException
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.DocumentReader
import dev.siderail.document.EventThread
import dev.siderail.document.Place
import dev.siderail.document.ToolFailure
import dev.siderail.psi.CodePlace
import dev.siderail.psi.CodeServices
import dev.siderail.psi.Finding
import dev.siderail.psi.IndexedSteps
import dev.siderail.psi.OutlineItem
import dev.siderail.psi.Problem
import dev.siderail.psi.Severity
import dev.siderail.psi.Symbol

/** The tools that look at code, and what they find to be done about it. */
internal fun codeTools(project: Project, eventThread: EventThread, reader: DocumentReader, code: CodeServices): List<Tool> = listOf(
    SearchSymbols(project, code),
    Outline(project, reader, code),
    FindReferences(project, reader, code),
    GetProblems(project, reader, code),
    ApplyQuickFix(project, eventThread, reader, code),
)

/** `search_symbols`. */
internal class SearchSymbols(private val project: Project, private val code: CodeServices) : Tool {
    override val name get() = ToolName.SEARCH_SYMBOLS

    override fun run(call: ToolCall): ToolResult {
        val query = call.arguments.requiredText("query").trim()
        if (query.isEmpty()) throw ToolFailure.invalid("`query` is empty; name the symbol to find")
        val limit = call.arguments.amount("limit", 1, MOST) ?: LIMIT
        val skipped = call.arguments.cursor()
        val fits = fits(call.arguments.text("symbol_type") ?: "any")
        val steps = object : IndexedSteps {
            override fun <T> step(work: () -> T): T = code.reading.readIndexed(call.indicator, work)
        }
        val (found, more) = code.symbols.find(steps, query, Scope.hasLibraries(call), skipped + limit, fits)
        return ToolResult(
            buildString {
                append("${if (more) "at least " else ""}${found.size} symbols for `$query` in ${project.name}\n")
                if (found.isEmpty()) append("This is complete and final: no declared name fits. ${ToolName.SEARCH_TEXT} finds other text.\n")
                for (symbol in found.drop(skipped)) append(line(call, symbol)).append('\n')
                if (more) append("Next: the same call with \"cursor\": \"${found.size}\"\n")
            },
        )
    }

    /** Languages have their own words: what is not plainly something else fits. */
    private fun fits(type: String): (Symbol) -> Boolean {
        val words = TYPES[type] ?: throw ToolFailure.invalid("`symbol_type` is any, ${TYPES.keys.joinToString()}")
        if (type == "any") return { true }
        return { symbol -> words.any { it in symbol.type.lowercase() } }
    }

    private companion object {
        val TYPES = mapOf(
            "any" to emptyList(),
            "class" to listOf("class", "interface", "enum", "object", "record", "struct", "trait", "type"),
            "method" to listOf("method", "function", "constructor"),
            "field" to listOf("field", "property", "variable", "constant", "parameter"),
        )
        const val LIMIT = 50
        const val MOST = 200
    }
}

/** The argument `scope`. */
private object Scope {
    fun hasLibraries(call: ToolCall): Boolean = when (val scope = call.arguments.text("scope") ?: "project") {
        "project" -> false
        "all" -> true
        else -> throw ToolFailure.invalid("`scope` is `$scope`; it is project or all")
    }
}

internal fun line(call: ToolCall, symbol: Symbol): String {
    val place = symbol.place
    val container = if (symbol.container.isEmpty()) "" else " ${symbol.container}"
    val type = if (symbol.type.isEmpty()) "" else "${symbol.type} "
    return "${ProjectPath.of(call, place.file)}:${place.line}: $type${symbol.name}$container"
}

/** `get_file_outline`. */
internal class Outline(
    private val project: Project,
    private val reader: DocumentReader,
    private val code: CodeServices,
) : Tool {
    override val name get() = ToolName.GET_FILE_OUTLINE

    override fun run(call: ToolCall): ToolResult {
        val place = call.place()
        val depth = call.arguments.amount("max_depth", 1, MOST_DEPTH) ?: MOST_DEPTH
        val file = PsiAccess.fileOf(reader, place, call)
        val items = code.reading.read(call.indicator) { code.outline.of(PsiAccess.of(project, file, place), depth) }
            ?: throw ToolFailure(
                ToolErrorCode.NOT_APPLICABLE,
                "the IDE has no outline for the language of ${place.name}; ${ToolName.READ_FILE} shows the text",
            )
        return ToolResult(
            buildString {
                append("outline of ${place.name}\n")
                if (items.isEmpty()) append("It declares nothing.\n")
                append(items, 0)
            },
        )
    }

    private fun StringBuilder.append(items: List<OutlineItem>, level: Int) {
        for (item in items) {
            if (length > ANSWER) {
                append("Not complete: the outline is longer; set max_depth.\n")
                return
            }
            append("  ".repeat(level)).append(if (item.line > 0) "${item.line}: " else "").append(item.text).append('\n')
            append(item.children, level + 1)
        }
    }

    private companion object {
        const val MOST_DEPTH = 10
        const val ANSWER = 10_000
    }
}

/** `find_references`. */
internal class FindReferences(
    private val project: Project,
    private val reader: DocumentReader,
    private val code: CodeServices,
) : Tool {
    override val name get() = ToolName.FIND_REFERENCES

    override fun run(call: ToolCall): ToolResult {
        val limit = call.arguments.amount("limit", 1, MOST) ?: LIMIT
        val skipped = call.arguments.cursor()
        val withLibraries = Scope.hasLibraries(call)
        val pointed = Pointed.by(project, reader, code, call)
        val (where, found) = code.reading.readIndexed(call.indicator) {
            val element = pointed.element()
            CodePlace.of(element) to code.references.uses(element, withLibraries, skipped + limit)
        }
        return ToolResult(answer(call, pointed.name, where, found.first, found.second, skipped))
    }

    private fun answer(
        call: ToolCall,
        symbol: String,
        where: CodePlace?,
        places: List<CodePlace>,
        more: Boolean,
        skipped: Int,
    ): String = buildString {
        val declared = where?.let { ", declared at ${ProjectPath.of(call, it.file)}:${it.line}" }.orEmpty()
        append("${if (more) "at least " else ""}${places.size} references to $symbol$declared\n")
        if (places.isEmpty()) append("This is complete and final: nothing in the project refers to it.\n")
        for (place in places.drop(skipped)) {
            val text = LineExcerpt.around(place.text, place.index).trim()
            append("${ProjectPath.of(call, place.file)}:${place.line}:${place.column}: $text\n")
        }
        if (more) append("Next: the same call with \"cursor\": \"${places.size}\"\n")
    }

    private companion object {
        const val LIMIT = 100
        const val MOST = 500
    }
}

/** `get_problems`. */
internal class GetProblems(
    private val project: Project,
    private val reader: DocumentReader,
    private val code: CodeServices,
) : Tool {
    override val name get() = ToolName.GET_PROBLEMS

    override fun run(call: ToolCall): ToolResult {
        val least = least(call.arguments.text("severity") ?: "warning")
        val limit = call.arguments.amount("limit", 1, MOST) ?: LIMIT
        val given = call.arguments.text("path")?.let(call::existing)
        val files = if (given == null) FileEditorManager.getInstance(project).openFiles.toList() else filesOf(given, call)
        val text = StringBuilder()
        var total = 0
        val looked = Looked()
        for (file in files) {
            call.patience.check()
            for (found in problemsOf(file, call, looked).filter { it.problem.severity <= least }) {
                if (++total <= limit) text.append(line(call, found))
            }
        }
        val head = "$total problems in ${given?.name ?: "${files.size} open files"}\n"
        val left = if (total > limit) "and ${total - limit} more: narrow `path` or `severity`, or raise `limit` (at most $MOST)\n" else ""
        val cut = if (given != null && files.size >= MOST_FILES) {
            "Not complete: only the first $MOST_FILES files of ${given.name} were looked at; name a folder below it.\n"
        } else {
            ""
        }
        return ToolResult(head + text + left + looked.said(files.size) + cut)
    }

    /** Worse ones come first. */
    private fun least(word: String): Severity = Severity.entries.find { it.name.equals(word, ignoreCase = true) }
        ?: throw ToolFailure.invalid("`severity` is `$word`; it is error, warning or weak")

    private fun filesOf(place: Place, call: ToolCall): List<VirtualFile> {
        if (!place.isFolder) return listOf(PsiAccess.fileOf(reader, place, call))
        val files = ArrayList<VirtualFile>()
        reader.find(place, call.patience)?.let { folder ->
            code.files.visit(folder) { file ->
                call.patience.check()
                if (!file.fileType.isBinary) files.add(file)
                files.size < MOST_FILES
            }
        }
        return files
    }

    /** What the editor marks in an open file; in others what inspections find, as long as there is time. */
    private fun problemsOf(file: VirtualFile, call: ToolCall, looked: Looked): List<Finding> {
        val (syntax, marked) = code.reading.read(call.indicator) {
            val psi = PsiManager.getInstance(project).findFile(file)
            if (psi == null) emptyList<Problem>() to emptyList() else code.problems.syntaxErrors(psi) to code.problems.marked(psi)
        }
        val more = if (marked != null) marked.map { Finding(it, null) } else inspected(file, call, looked)
        return (syntax.map { Finding(it, null) } + more).distinctBy { it.problem.message to it.problem.place.line }.sortedBy { it.problem.place.line }
    }

    private fun inspected(file: VirtualFile, call: ToolCall, looked: Looked): List<Finding> {
        if (looked.leftMs <= 0) return emptyList<Finding>().also { looked.syntaxOnly++ }
        val found = try {
            code.inspection.of(file, call.indicator, looked.leftMs)
        } catch (_: IndexNotReadyException) {
            return emptyList<Finding>().also { looked.syntaxOnly++ }
        }
        if (found.isComplete) looked.inspected++ else looked.partly++
        return found.all
    }

    private fun line(call: ToolCall, found: Finding): String {
        val problem = found.problem
        val place = problem.place
        val severity = problem.severity.name.lowercase()
        val fixes = found.fixes.take(FIXES).joinToString("; ") { it.name }
        val offer = if (fixes.isEmpty()) "" else " [${ToolName.APPLY_QUICK_FIX}: $fixes]"
        return "${ProjectPath.of(call, place.file)}:${place.line}:${place.column}: $severity: ${problem.message}$offer\n"
    }

    /** How closely the files were looked at. */
    private class Looked {
        private val end = System.nanoTime() + INSPECTING_MS * 1_000_000
        val leftMs: Long get() = (end - System.nanoTime()) / 1_000_000
        var inspected = 0
        var partly = 0
        var syntaxOnly = 0

        fun said(files: Int): String = buildString {
            val open = files - inspected - partly - syntaxOnly
            if (files == 0) return "No file is open in the editor; give a path.\n"
            if (open > 0) append("Looked at in $open of $files files: syntax, and what code analysis has marked in the editor by now.\n")
            if (inspected > 0) append("Looked at in $inspected of $files files: syntax, references and inspections; what only a compiler finds is not among it.\n")
            if (partly > 0) append("Not complete in $partly of $files files: there was no time for all inspections.\n")
            if (syntaxOnly > 0) append("Looked at in $syntaxOnly of $files files: syntax only; name them to have them inspected.\n")
        }
    }

    private companion object {
        const val LIMIT = 50
        const val MOST = 200
        const val FIXES = 3

        /** Time for inspections in one call. */
        const val INSPECTING_MS = 20_000L

        /** Reading syntax trees of more takes longer than a call may. */
        const val MOST_FILES = 2_000
    }
}

/** From places to syntax trees. */
internal object PsiAccess {
    /** The file as the IDE knows it, with what has changed on the disk. Outside of read actions. */
    fun fileOf(reader: DocumentReader, place: Place, call: ToolCall): VirtualFile = reader.read(place, call.patience).file

    /** In a read action. */
    fun of(project: Project, file: VirtualFile, place: Place): PsiFile = PsiManager.getInstance(project).findFile(file)
        ?: throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "the IDE does not know the language of ${place.name}")
}

package dev.siderail.tools

import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import dev.siderail.document.DocumentReader
import dev.siderail.document.Place
import dev.siderail.document.ToolFailure
import dev.siderail.document.ToolFailure.Code
import dev.siderail.psi.CodePlace
import dev.siderail.psi.CodeServices
import dev.siderail.psi.OutlineItem
import dev.siderail.psi.Problem
import dev.siderail.psi.Severity
import dev.siderail.psi.Symbol

/** `search_symbols`. */
internal class SearchSymbols(private val project: Project, private val code: CodeServices) : Tool {
    override val name get() = "search_symbols"

    override fun run(call: ToolCall): ToolResult {
        val query = call.arguments.requiredText("query").trim()
        if (query.isEmpty()) throw ToolFailure.invalid("`query` is empty; name the symbol to find")
        val limit = call.arguments.number("limit", 1, MOST) ?: LIMIT
        val withLibraries = call.arguments.flag("include_libraries")
        val (found, more) = code.reading.readIndexed(call.indicator) { code.symbols.find(query, withLibraries, limit) }
        return ToolResult(
            buildString {
                append("${if (more) "at least " else ""}${found.size} symbols for `$query` in ${project.name}\n")
                if (found.isEmpty()) append("This is complete and final: no declared name fits. search_text finds other text.\n")
                for (symbol in found) append(line(call, symbol)).append('\n')
                if (more) append("Not complete: there are more; give more of the name.\n")
            },
        )
    }

    private companion object {
        const val LIMIT = 50
        const val MOST = 200
    }
}

private fun line(call: ToolCall, symbol: Symbol): String {
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
    private val missing: MissingPath,
) : Tool {
    override val name get() = "get_file_outline"

    override fun run(call: ToolCall): ToolResult {
        val place = missing.existing(call.place(), call)
        val depth = call.arguments.number("max_depth", 1, MOST_DEPTH) ?: MOST_DEPTH
        val file = PsiAccess.fileOf(reader, place, call)
        val items = code.reading.read(call.indicator) { code.outline.of(PsiAccess.of(project, file, place), depth) }
            ?: throw ToolFailure(
                Code.NOT_APPLICABLE,
                "the IDE has no outline for the language of ${place.relative}; intellij_read_file shows the text",
            )
        return ToolResult(
            buildString {
                append("outline of ${place.relative}\n")
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
    private val missing: MissingPath,
) : Tool {
    override val name get() = "find_references"

    override fun run(call: ToolCall): ToolResult {
        val symbol = call.arguments.requiredText("symbol").trim()
        if (symbol.isEmpty()) throw ToolFailure.invalid("`symbol` is empty; name what is referred to")
        val limit = call.arguments.number("limit", 1, MOST) ?: LIMIT
        val skipped = call.arguments.cursor()
        val file = call.arguments.text("path")?.let { missing.existing(call.folder.resolve(it), call) }
            ?.let { it to PsiAccess.fileOf(reader, it, call) }
        val line = call.arguments.number("line", 1, Int.MAX_VALUE)
        val (where, found) = code.reading.readIndexed(call.indicator) {
            val element = if (file == null) byName(call, symbol) else inFile(symbol, line, file.first, file.second)
            CodePlace.of(element) to code.references.uses(element, skipped + limit)
        }
        return ToolResult(answer(call, symbol, where, found.first, found.second, skipped))
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
            val text = LineExcerpt.around(place.text, place.column - 1).trim()
            append("${ProjectPath.of(call, place.file)}:${place.line}:${place.column}: $text\n")
        }
        if (more) append("Next: the same call with \"cursor\": \"${places.size}\"\n")
    }

    private fun inFile(symbol: String, line: Int?, place: Place, file: VirtualFile): PsiElement =
        code.references.declared(PsiAccess.of(project, file, place), symbol.substringAfterLast('.'), line)
            ?: throw ToolFailure(
                Code.SYMBOL_NOT_FOUND,
                "`$symbol` is not declared or used in ${place.relative}; search_symbols finds where it is",
            )

    private fun byName(call: ToolCall, symbol: String): PsiElement {
        val qualifier = symbol.substringBeforeLast('.', "")
        val named = code.symbols.named(symbol.substringAfterLast('.'), MOST_SAME)
        val fitting = named.filter { qualifier.isEmpty() || qualifier.substringAfterLast('.') in it.container + it.place.file.path }
        return when (fitting.size) {
            1 -> fitting[0].element
            0 -> throw ToolFailure(
                Code.SYMBOL_NOT_FOUND,
                "no symbol is called `$symbol`; search_symbols finds similar names, path and line name a local one",
            )
            else -> throw ToolFailure(
                Code.AMBIGUOUS_MATCH,
                "`$symbol` is declared ${fitting.size} times; give path and line of one of:\n" +
                    fitting.joinToString("\n") { line(call, it) },
            )
        }
    }

    private companion object {
        const val LIMIT = 100
        const val MOST = 500
        const val MOST_SAME = 20
    }
}

/** `get_problems`. */
internal class GetProblems(
    private val project: Project,
    private val reader: DocumentReader,
    private val code: CodeServices,
    private val missing: MissingPath,
) : Tool {
    override val name get() = "get_problems"

    override fun run(call: ToolCall): ToolResult {
        val errorsOnly = call.arguments.text("min_severity") == "error"
        val given = call.arguments.text("path")
        val files = if (given == null) FileEditorManager.getInstance(project).openFiles.toList()
        else listOf(PsiAccess.fileOf(reader, missing.existing(call.folder.resolve(given), call), call))
        val text = StringBuilder()
        var total = 0
        var notAnalysed = 0
        for (file in files) {
            call.patience.check()
            val (problems, analysed) = code.reading.read(call.indicator) { problemsOf(file) }
            if (!analysed) notAnalysed++
            for (problem in problems.filter { !errorsOnly || it.severity == Severity.ERROR }) {
                if (++total <= MOST) text.append(line(call, problem))
            }
        }
        val head = "$total problems in ${given ?: "${files.size} open files"}\n"
        val left = if (total > MOST) "and ${total - MOST} more\n" else ""
        return ToolResult(head + text + left + whatWasLookedAt(notAnalysed, files.size))
    }

    private fun problemsOf(file: VirtualFile): Pair<List<Problem>, Boolean> {
        val psi = PsiManager.getInstance(project).findFile(file) ?: return emptyList<Problem>() to true
        val marked = code.problems.marked(psi)
        val all = code.problems.syntaxErrors(psi) + marked.orEmpty()
        return all.distinctBy { it.message to it.place.line }.sortedBy { it.place.line } to (marked != null)
    }

    private fun line(call: ToolCall, problem: Problem): String {
        val place = problem.place
        val severity = problem.severity.name.lowercase()
        return "${ProjectPath.of(call, place.file)}:${place.line}:${place.column}: $severity: ${problem.message}\n"
    }

    private fun whatWasLookedAt(notAnalysed: Int, files: Int): String = when {
        files == 0 -> "No file is open in the editor; give a path.\n"
        notAnalysed == 0 -> "Looked at: syntax, and what code analysis has marked in the editor by now.\n"
        else -> "Looked at: syntax only, since the file is not open in the editor. A build or the tests tell more.\n"
    }

    private companion object {
        const val MOST = 100
    }
}

/** From places to syntax trees. */
internal object PsiAccess {
    /** The file as the IDE knows it, with what has changed on the disk. Outside of read actions. */
    fun fileOf(reader: DocumentReader, place: Place, call: ToolCall): VirtualFile = reader.read(place, call.patience).file

    /** In a read action. */
    fun of(project: Project, file: VirtualFile, place: Place): PsiFile = PsiManager.getInstance(project).findFile(file)
        ?: throw ToolFailure(Code.NOT_APPLICABLE, "the IDE does not know the language of ${place.relative}")
}

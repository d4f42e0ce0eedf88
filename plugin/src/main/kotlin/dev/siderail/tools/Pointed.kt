package dev.siderail.tools

import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.DocumentReader
import dev.siderail.document.Place
import dev.siderail.document.ToolFailure
import dev.siderail.psi.CodePlace
import dev.siderail.psi.CodeServices

/**
 * The declaration that a call points at: by the name of its symbol, or by a place where it occurs.
 */
internal class Pointed private constructor(
    private val project: Project,
    private val code: CodeServices,
    private val call: ToolCall,
    private val symbol: String,
    private val place: Place?,
    private val file: VirtualFile?,
) {
    private val line = call.arguments.number("line", 1, Int.MAX_VALUE)
    private val column = call.arguments.number("column", 1, Int.MAX_VALUE)

    /** What an answer calls it. */
    val name: String get() = symbol.ifEmpty { "what is at ${place?.name}:$line" }

    /** In an indexed read action. */
    fun element(): PsiElement = when {
        file == null || place == null -> byName()
        symbol.isEmpty() -> atPlace(place, file, line ?: 1, column ?: 1)
        else -> inFile(place, file)
    }

    private fun atPlace(place: Place, file: VirtualFile, line: Int, column: Int): PsiElement {
        val offset = CodePlace.offset(file, line, column)
        return offset?.let { code.references.at(PsiAccess.of(project, file, place), it) } ?: throw ToolFailure(
            ToolErrorCode.SYMBOL_NOT_FOUND,
            "there is nothing at ${place.name}:$line:$column that can be referred to; give the place of its name",
        )
    }

    private fun inFile(place: Place, file: VirtualFile): PsiElement =
        code.references.declared(PsiAccess.of(project, file, place), symbol.substringAfterLast('.'), line)
            ?: throw ToolFailure(
                ToolErrorCode.SYMBOL_NOT_FOUND,
                "`$symbol` is not declared or used in ${place.name}; ${ToolName.SEARCH_SYMBOLS} finds where it is",
            )

    private fun byName(): PsiElement {
        val qualifier = symbol.substringBeforeLast('.', "")
        val named = code.symbols.named(symbol.substringAfterLast('.'), MOST_SAME)
        val fitting = named.filter { qualifier.isEmpty() || qualifier.substringAfterLast('.') in it.container + it.place.file.path }
        return when (fitting.size) {
            1 -> fitting[0].element
            0 -> throw ToolFailure(
                ToolErrorCode.SYMBOL_NOT_FOUND,
                "no symbol is called `$symbol`; ${ToolName.SEARCH_SYMBOLS} finds similar names, path and line name a local one",
            )
            else -> throw ToolFailure(
                ToolErrorCode.AMBIGUOUS_MATCH,
                "`$symbol` is declared ${fitting.size} times; give path and line of one of:\n" +
                    fitting.joinToString("\n") { line(call, it) },
            )
        }
    }

    companion object {
        private const val MOST_SAME = 20

        /** Reads the arguments. Outside of read actions. */
        fun by(project: Project, reader: DocumentReader, code: CodeServices, call: ToolCall): Pointed {
            val symbol = call.arguments.text("symbol")?.trim().orEmpty()
            val place = call.arguments.text("path")?.let { call.existing(it) }
            val pointed = Pointed(project, code, call, symbol, place, place?.let { PsiAccess.fileOf(reader, it, call) })
            if (symbol.isEmpty() && (place == null || pointed.line == null)) {
                throw ToolFailure.invalid("name the `symbol`, or a place where it is by `path`, `line` and `column`")
            }
            return pointed
        }
    }
}

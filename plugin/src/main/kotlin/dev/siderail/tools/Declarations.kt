package dev.siderail.tools

import com.intellij.openapi.project.Project
import com.intellij.openapi.util.text.LineTokenizer
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.psi.ElementDescriptionUtil
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiNamedElement
import com.intellij.usageView.UsageViewTypeLocation
import com.intellij.util.IncorrectOperationException
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.AgentChanges
import dev.siderail.document.DocumentReader
import dev.siderail.document.EventThread
import dev.siderail.document.FilesBefore
import dev.siderail.document.PendingWrites
import dev.siderail.document.ToolFailure
import dev.siderail.psi.CodePlace
import dev.siderail.psi.CodeServices
import dev.siderail.ui.Html
import dev.siderail.ui.atMost

/** The tools that follow declarations. */
internal fun declarationTools(project: Project, eventThread: EventThread, reader: DocumentReader, code: CodeServices): List<Tool> {
    val access = DeclarationAccess(project, reader, code)
    return listOf(GoToDeclaration(access), GetHierarchy(access), RenameSymbol(access, eventThread))
}

/** What the tools that follow declarations have in common. */
internal class DeclarationAccess(
    val project: Project,
    val reader: DocumentReader,
    val code: CodeServices,
) {
    fun pointed(call: ToolCall): Pointed = Pointed.by(project, reader, code, call)

    /** A declaration in one line. In a read action; null where it has no source. */
    fun line(call: ToolCall, element: PsiElement): String? {
        val source = element.navigationElement
        val place = CodePlace.of(source) ?: return null
        val type = ElementDescriptionUtil.getElementDescription(element, UsageViewTypeLocation.INSTANCE)
        val name = (element as? PsiNamedElement)?.name.orEmpty()
        val what = listOf(type, name).filter { it.isNotEmpty() }.joinToString(" ")
        return "${ProjectPath.of(call, place.file)}:${place.line}: $what"
    }
}

/** `go_to_declaration`. */
internal class GoToDeclaration(private val access: DeclarationAccess) : Tool {
    override val name get() = ToolName.GO_TO_DECLARATION

    override fun run(call: ToolCall): ToolResult {
        val pointed = access.pointed(call)
        val text = access.code.reading.readIndexed(call.indicator) {
            val element = pointed.element()
            val head = access.line(call, element)
                ?: throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "${pointed.name} is declared in a library whose source the IDE does not have")
            "$head\n${source(element.navigationElement)}"
        }
        return ToolResult(text)
    }

    /** The first lines of a declaration, numbered. In a read action. */
    private fun source(element: PsiElement): String {
        val place = CodePlace.of(element) ?: return ""
        val file = element.containingFile
        val from = minOf(element.textRange.startOffset, element.textOffset)
        val start = CodePlace.of(place.file, from)?.line ?: place.line
        val all = LineTokenizer.tokenize(file.text, false)
        val end = CodePlace.of(place.file, element.textRange.endOffset)?.line ?: start
        val shown = (start..minOf(end, start + LINES - 1, all.size)).joinToString("") { "$it: ${all[it - 1].atMost(WIDTH)}\n" }
        return shown + if (end > start + LINES - 1) "It goes on to line $end.\n" else ""
    }

    private companion object {
        const val LINES = 30
        const val WIDTH = 300
    }
}

/** `get_hierarchy`. */
internal class GetHierarchy(private val access: DeclarationAccess) : Tool {
    override val name get() = ToolName.GET_HIERARCHY

    override fun run(call: ToolCall): ToolResult {
        val below = when (val direction = call.arguments.text("direction") ?: "down") {
            "down" -> true
            "up" -> false
            else -> throw ToolFailure.invalid("`direction` is `$direction`; it is down or up")
        }
        val pointed = access.pointed(call)
        val (found, more) = access.code.reading.readIndexed(call.indicator) {
            val element = pointed.element()
            val hierarchy = access.code.hierarchy
            val (elements, more) = if (below) hierarchy.below(element, MOST) else hierarchy.above(element) to false
            elements.mapNotNull { access.line(call, it) }.sorted() to more
        }
        return ToolResult(
            buildString {
                val what = if (below) "implement, extend or override" else "are implemented, extended or overridden by"
                append("${if (more) "at least " else ""}${found.size} declarations $what ${pointed.name}\n")
                if (found.isEmpty()) append("This is complete and final, as far as the IDE knows the language.\n")
                found.forEach { append(it).append('\n') }
                if (more) append("and more, which are not listed\n")
            },
        )
    }

    private companion object {
        const val MOST = 200
    }
}

/** `rename_symbol`. */
internal class RenameSymbol(private val access: DeclarationAccess, private val eventThread: EventThread) : Tool {
    override val name get() = ToolName.RENAME_SYMBOL

    override fun run(call: ToolCall): ToolResult {
        val to = call.arguments.requiredText("new_name").trim()
        if (to.isEmpty() || to.any(Char::isWhitespace)) throw ToolFailure.invalid("`new_name` is a name, without blanks")
        val pointed = access.pointed(call)
        val (element, path) = access.code.reading.readIndexed(call.indicator) { renamed(pointed) }
        // Says so where the file lies outside of the project.
        call.folder.resolve(path)
        var conflicts = emptyList<String>()
        val before = eventThread.run(call.patience) {
            if (!element.isValid) throw ToolFailure(ToolErrorCode.STALE, "the code was changed meanwhile; call again")
            val changed = AgentChanges.duringAny(FilesBefore(access.project)) { conflicts = rename(element, to) }
            ChangedFiles.save(changed)
            changed
        }
        PendingWrites.flush()
        if (conflicts.isNotEmpty()) {
            val why = conflicts.take(MOST_CONFLICTS).joinToString("\n") { Html.plain(it) }
            throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "nothing was renamed:\n$why\nIf the name is the reason, choose another one; else leave it, and tell the user.")
        }
        val changed = ChangedFiles.of(call, before)
        val list = changed.joinToString("") { "${it.path}\n" }
        val text = "renamed ${pointed.name} to $to in ${changed.size} files, one step of *Undo*:\n$list"
        return ToolResult(text, changed.map { it.path }, before = changed)
    }

    /** What is to be renamed, and the path of its file. In a read action. */
    private fun renamed(pointed: Pointed): Pair<PsiElement, String> {
        val element = pointed.element()
        val file = element.containingFile?.virtualFile
        if (file == null || file.fileSystem.protocol != StandardFileSystems.FILE_PROTOCOL || !file.isWritable) {
            throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "${pointed.name} is not declared in a file that can be changed")
        }
        return element to (file.canonicalPath ?: file.path)
    }

    private fun rename(element: PsiElement, to: String) = try {
        access.code.renaming.rename(element, to)
    } catch (refused: IncorrectOperationException) {
        throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "nothing was renamed: ${refused.message}")
    }

    private companion object {
        const val MOST_CONFLICTS = 10
    }
}

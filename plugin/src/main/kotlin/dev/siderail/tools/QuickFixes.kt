package dev.siderail.tools

import com.intellij.codeInspection.ProblemDescriptor
import com.intellij.codeInspection.QuickFix
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.Project
import com.intellij.psi.PsiDocumentManager
import dev.siderail.bridge.TextChange
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.AgentChanges
import dev.siderail.document.Command
import dev.siderail.document.DocumentReader
import dev.siderail.document.EventThread
import dev.siderail.document.FilesBefore
import dev.siderail.document.PendingWrites
import dev.siderail.document.ToolFailure
import dev.siderail.psi.CodeServices
import dev.siderail.psi.Finding
import dev.siderail.psi.Fix

/** `apply_quick_fix`. */
internal class ApplyQuickFix(
    private val project: Project,
    private val eventThread: EventThread,
    private val reader: DocumentReader,
    private val code: CodeServices,
) : Tool {
    private class Offered(val finding: Finding, val fix: Fix)

    override val name get() = ToolName.APPLY_QUICK_FIX

    override fun run(call: ToolCall): ToolResult {
        val place = call.place()
        val line = call.arguments.number("line", 1, Int.MAX_VALUE) ?: throw ToolFailure.missing("line")
        val file = PsiAccess.fileOf(reader, place, call)
        val findings = code.inspection.of(file, call.indicator, LIMIT_MS).all.filter { it.problem.place.line == line }
        val chosen = choose(findings.flatMap { finding -> finding.fixes.map { Offered(finding, it) } }, call.arguments.text("fix"), "${place.name}:$line")
        val before = reader.read(place, call.patience).text
        val changed = eventThread.run(call.patience) {
            AgentChanges.duringAny(FilesBefore(project)) { apply(chosen) }.also(ChangedFiles::save)
        }
        PendingWrites.flush()
        if (changed.isEmpty()) return ToolResult("`${chosen.fix.name}` changed nothing in ${place.name}\n")
        val files = ChangedFiles.of(call, changed)
        val others = files.map { it.path }.filter { it != place.name }
        val more = if (others.isEmpty()) "" else "It also changed ${others.joinToString()}.\n"
        val change = TextChange(place.relative, before, reader.read(place, call.patience).text)
        return ToolResult("applied `${chosen.fix.name}`\n$more", files.map { it.path }, before = files, change = change)
    }

    private fun choose(offered: List<Offered>, wanted: String?, where: String): Offered {
        val fitting = offered.filter { wanted == null || it.fix.name == wanted || it.fix.fix.familyName == wanted }
        val list = offered.joinToString("\n") { "${it.fix.name}: ${it.finding.problem.message}" }
        return when {
            offered.isEmpty() -> throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "the IDE offers no fix at $where that needs no dialog; ${ToolName.WRITE_FILE} edits")
            fitting.size == 1 -> fitting.single()
            fitting.isEmpty() -> throw ToolFailure.invalid("no fix at $where is called `$wanted`; there are:\n$list")
            else -> throw ToolFailure(ToolErrorCode.AMBIGUOUS_MATCH, "several fixes are offered at $where; give `fix`, one of:\n$list")
        }
    }

    private fun apply(chosen: Offered) {
        val descriptor = chosen.finding.descriptor
        if (descriptor?.psiElement?.isValid != true) throw ToolFailure(ToolErrorCode.STALE, "the code was changed meanwhile; call again")
        @Suppress("UNCHECKED_CAST")
        val fix = chosen.fix.fix as QuickFix<ProblemDescriptor>
        Command.run(project, "Agent: ${chosen.fix.name}") {
            if (fix.startInWriteAction()) ApplicationManager.getApplication().runWriteAction(Runnable { fix.applyFix(project, descriptor) })
            else fix.applyFix(project, descriptor)
            PsiDocumentManager.getInstance(project).commitAllDocuments()
        }
    }

    private companion object {
        const val LIMIT_MS = 20_000L
    }
}

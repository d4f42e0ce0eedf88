package dev.siderail.tools

import com.intellij.openapi.project.IndexNotReadyException
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiManager
import com.intellij.util.diff.Diff
import com.intellij.util.diff.FilesTooBigForDiffException
import dev.siderail.document.Change
import dev.siderail.document.DocumentReader
import dev.siderail.document.DocumentWriter
import dev.siderail.document.FileNames
import dev.siderail.document.Patience
import dev.siderail.document.Place
import dev.siderail.document.TidyWork
import dev.siderail.document.TurnLedger
import dev.siderail.document.Written
import dev.siderail.engine.Tidying
import dev.siderail.engine.ToolSettings
import dev.siderail.psi.CodeServices
import dev.siderail.psi.Problem
import dev.siderail.psi.Severity

/** Writes for tools: what is tidied when, and what an edit has broken. */
class Edits(
    private val project: Project,
    private val reader: DocumentReader,
    private val writer: DocumentWriter,
    private val settings: () -> ToolSettings,
    private val code: CodeServices,
) {
    private val ledger = TurnLedger()

    /** What an edit did. [problems] are the syntax errors that were not there before, and what inspections find in the changed lines. */
    class Result(val written: Written, val problems: List<Problem>)

    /** Writes and tidies as the settings say; [newImports] are the import lines that the change brings in. */
    fun write(call: ToolCall, place: Place, change: Change, stamp: Long?, names: FileNames, newImports: Set<String>): Result {
        var errorsBefore = emptyList<Problem>()
        val written = writer.write(place, change, stamp, call.patience, names) { before, _ ->
            errorsBefore = if (before.isEmpty()) emptyList() else syntaxErrors(call, place)
            work(call.session, place.relative, newImports)
        }
        if (written.importsWait) ledger.leftUntidied(call.session, place.relative)
        val known = errorsBefore.mapTo(ArrayList()) { it.message to it.place.text.trim() }
        val fresh = syntaxErrors(call, written.file).filterNot { known.remove(it.message to it.place.text.trim()) }
        return Result(written, fresh + inspected(call, written))
    }

    /** What inspections find in the lines that were changed, whether the file is open or not; nothing where it is large. */
    private fun inspected(call: ToolCall, written: Written): List<Problem> {
        if (written.before == written.after || written.after.length > MOST_INSPECTED) return emptyList()
        return try {
            val changes = generateSequence(Diff.buildChanges(written.before.orEmpty(), written.after)) { it.link }
            val lines = changes.flatMapTo(HashSet()) { it.line1 + 1..it.line1 + it.inserted }
            code.inspection.of(written.file, call.indicator, INSPECTING_MS).all.map { it.problem }
                .filter { it.severity <= Severity.WARNING && it.place.line in lines }
        } catch (_: IndexNotReadyException) {
            emptyList()
        } catch (_: FilesTooBigForDiffException) {
            emptyList()
        }
    }

    /** Writes a text as it is, as when a change is reverted. */
    fun writeExactly(call: ToolCall, place: Place, change: Change, stamp: Long?, names: FileNames): Result =
        Result(writer.write(place, change, stamp, call.patience, names) { _, _ -> TidyWork.NOTHING }, emptyList())

    /** Tidies a file, or formats some of its lines, whatever the settings say; imports of running turns stay. */
    fun tidyNow(call: ToolCall, place: Place, stamp: Long?, imports: Boolean, format: Boolean, lines: IntRange?): Result {
        val written = writer.write(place, Change.Tidy(lines), stamp, call.patience) { _, _ ->
            TidyWork(imports, format, ledger.imports(place.relative))
        }
        if (written.importsWait) ledger.leftUntidied(call.session, place.relative)
        return Result(written, emptyList())
    }

    /** At a turn's end. */
    fun tidy(place: Place, patience: Patience) {
        if (!place.exists) return
        val stamp = reader.read(place, patience).modificationStamp
        writer.write(place, Change.Tidy(), stamp, patience) { _, _ ->
            val chosen = settings()
            val format = chosen.reformat && chosen.tidying == Tidying.END_OF_TURN
            TidyWork(chosen.optimizeImports, format, ledger.imports(place.relative))
        }
    }

    fun endTurn(session: Long): List<String> = ledger.end(session)

    private fun work(session: Long, path: String, newImports: Set<String>): TidyWork {
        // A client without turns has no turn's end either: there each write is a turn of its own.
        if (session != NO_SESSION) ledger.edited(session, path, newImports)
        val chosen = settings()
        return when (chosen.tidying) {
            Tidying.OFF -> TidyWork.NOTHING
            Tidying.END_OF_TURN if session != NO_SESSION -> {
                ledger.leftUntidied(session, path)
                TidyWork.NOTHING
            }
            else -> TidyWork(chosen.optimizeImports, chosen.reformat, ledger.imports(path) + newImports)
        }
    }

    private fun syntaxErrors(call: ToolCall, place: Place): List<Problem> {
        val path = place.absolute.toString().replace('\\', '/')
        val file = com.intellij.openapi.vfs.StandardFileSystems.local().findFileByPath(path) ?: return emptyList()
        return syntaxErrors(call, file)
    }

    private fun syntaxErrors(call: ToolCall, file: VirtualFile): List<Problem> = code.reading.read(call.indicator) {
        PsiManager.getInstance(project).findFile(file)?.let(code.problems::syntaxErrors).orEmpty()
    }

    private companion object {
        const val NO_SESSION = 0L

        /** Time for inspections after a write, and the longest text that gets them. */
        const val INSPECTING_MS = 2_000L
        const val MOST_INSPECTED = 100_000
    }
}

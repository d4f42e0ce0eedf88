package dev.siderail.document

import com.intellij.formatting.service.AsyncDocumentFormattingService
import com.intellij.lang.LanguageImportStatements
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ReadAction
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.RangeMarker
import com.intellij.openapi.progress.ProcessCanceledException
import com.intellij.openapi.project.DumbService
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.TextRange
import com.intellij.psi.PsiDocumentManager
import com.intellij.psi.PsiFile
import com.intellij.psi.codeStyle.CodeStyleManager
import dev.siderail.bridge.ToolName
import java.util.concurrent.Callable

/** What is to be tidied in one file. [keep] are import lines that have to stay. */
class TidyWork(val imports: Boolean, val format: Boolean, val keep: Set<String> = emptySet()) {
    val isNothing: Boolean get() = !imports && !format

    companion object {
        val NOTHING = TidyWork(imports = false, format = false)
    }
}

/** The outcome of it: [notes] for the model, and whether imports wait for the turn's end. */
class Tidied(val notes: List<String>, val importsWait: Boolean)

/**
 * Optimises imports and formats a text that was written, in a command that belongs to the write's undo step.
 *
 * Finding out which imports are needed is analysis, and some languages refuse it on the event dispatch thread: [prepare]
 * does it in the background, and [apply] does the rest in one go. Whatever goes wrong leaves the text that was written as it
 * is, and is said.
 */
class Tidier(private val project: Project) {
    private val documents = PsiDocumentManager.getInstance(project)

    /** What [apply] does, found out in the background. Null where there is nothing to tidy. */
    class Prepared internal constructor(internal val imports: List<Runnable>, internal val notes: List<String>, internal val isPossible: Boolean)

    /** For background threads, with the text committed. */
    fun prepare(document: Document, work: TidyWork, patience: Patience): Prepared? {
        if (work.isNothing) return null
        val reading = ReadAction.nonBlocking(Callable { prepared(document, work) })
            .expireWhen { project.isDisposed || isOver(patience) }
        return try {
            reading.executeSynchronously()
        } catch (_: ProcessCanceledException) {
            Prepared(emptyList(), listOf("not tidied: there was no time for it"), false)
        }
    }

    private fun isOver(patience: Patience): Boolean = try {
        patience.check()
        false
    } catch (_: ToolFailure) {
        true
    }

    private fun prepared(document: Document, work: TidyWork): Prepared? {
        val file = documents.getPsiFile(document) ?: return null
        if (DumbService.isDumb(project)) {
            return Prepared(emptyList(), listOf("not tidied: the IDE is indexing; call ${ToolName.FORMAT_CODE} later"), false)
        }
        val notes = ArrayList<String>()
        var imports = emptyList<Runnable>()
        if (work.imports && document.textLength > MOST_FOR_IMPORTS) {
            notes.add("imports not optimised: the file has more than $MOST_FOR_IMPORTS characters; ${ToolName.OPTIMIZE_IMPORTS} does it")
        } else if (work.imports) {
            attempt(IMPORTS_FAILED, notes) { imports = optimizers(file) }
        }
        return Prepared(imports, notes, true)
    }

    /** The languages' own optimisers: the platform's processor around them would log what they throw and be silent. */
    private fun optimizers(file: PsiFile): List<Runnable> = file.viewProvider.allFiles.flatMap { part ->
        LanguageImportStatements.INSTANCE.forFile(part).filter { it.supports(part) }.map { it.processFile(part) }
    }

    /**
     * On the event dispatch thread, in a command. [changed] are the places to format; null means the whole file.
     */
    fun apply(document: Document, work: TidyWork, prepared: Prepared, changed: List<RangeMarker>?): Tidied {
        val notes = ArrayList(prepared.notes)
        if (!prepared.isPossible) return Tidied(notes, work.imports)
        val importsWait = work.imports && !optimizeImports(document, prepared.imports, work.keep, notes)
        if (work.format) format(document, changed, notes)
        return Tidied(notes, importsWait)
    }

    /** False where it has to be done later. */
    private fun optimizeImports(document: Document, imports: List<Runnable>, keep: Set<String>, notes: MutableList<String>): Boolean {
        if (imports.isEmpty()) return true
        val before = document.text
        attempt(IMPORTS_FAILED, notes) {
            ApplicationManager.getApplication().runWriteAction { imports.forEach(Runnable::run) }
        }
        commit(document)
        val lost = keep.intersect(lines(before)) - lines(document.text)
        if (lost.isEmpty()) return true
        ApplicationManager.getApplication().runWriteAction { document.replaceWith(before) }
        commit(document)
        notes.add(
            "imports are optimised when this turn ends, since ${lost.joinToString(", ") { "`$it`" }} came in this turn " +
                "and is not used yet",
        )
        return false
    }

    private fun lines(text: String): Set<String> = text.lineSequence().mapTo(HashSet(), String::trim)

    private fun format(document: Document, changed: List<RangeMarker>?, notes: MutableList<String>) {
        val file = documents.getPsiFile(document) ?: return
        if (document.textLength > MOST_FOR_FORMAT) {
            notes.add("not formatted: the file has more than $MOST_FOR_FORMAT characters; ${ToolName.FORMAT_CODE} does it")
            return
        }
        val ranges = changed?.filter { it.isValid }?.map { TextRange(it.startOffset, it.endOffset) }
            ?: listOf(TextRange(0, document.textLength))
        if (ranges.isEmpty()) return
        attempt("not formatted", notes) { formatNow(document, file, ranges) }
        commit(document)
    }

    /**
     * Formatters that are programs of their own finish later, in no undo step and after the text was saved, unless they
     * are asked to do it at once.
     */
    private fun formatNow(document: Document, file: PsiFile, ranges: List<TextRange>) {
        val key = AsyncDocumentFormattingService.FORMAT_DOCUMENT_SYNCHRONOUSLY
        val before = document.getUserData(key)
        document.putUserData(key, true)
        try {
            ApplicationManager.getApplication().runWriteAction { CodeStyleManager.getInstance(project).reformatText(file, ranges) }
        } finally {
            document.putUserData(key, before)
        }
    }

    /** A language's formatter is foreign code: whatever it throws must not cost the edit. */
    private fun attempt(what: String, notes: MutableList<String>, work: () -> Unit) {
        try {
            work()
        } catch (cancelled: ProcessCanceledException) {
            throw cancelled
        } catch (error: Throwable) {
            if (error is VirtualMachineError) throw error
            LOG.warn(what, error)
            notes.add("$what: ${rootCause(error)}")
        }
    }

    private fun rootCause(error: Throwable): String {
        val cause = generateSequence(error) { it.cause }.last()
        return cause.message ?: cause.javaClass.simpleName
    }

    /** On the event dispatch thread: brings the syntax tree up to the text. */
    fun commit(document: Document) {
        documents.doPostponedOperationsAndUnblockDocument(document)
        documents.commitDocument(document)
    }

    companion object {
        private val LOG = Logger.getInstance(Tidier::class.java)
        private const val IMPORTS_FAILED = "imports not optimised"
        private const val MOST_FOR_IMPORTS = 50_000
        private const val MOST_FOR_FORMAT = 100_000
    }
}

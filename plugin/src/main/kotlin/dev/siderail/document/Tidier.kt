package dev.siderail.document

import com.intellij.lang.LanguageImportStatements
import com.intellij.openapi.application.ApplicationManager
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

/** What is to be tidied in one file. [keep] are import lines that have to stay. */
class TidyWork(val imports: Boolean, val format: Boolean, val keep: Set<String> = emptySet()) {
    companion object {
        val NOTHING = TidyWork(imports = false, format = false)
    }
}

/** What came of it: [notes] for the model, and whether imports wait for the turn's end. */
class Tidied(val notes: List<String>, val importsWait: Boolean)

/**
 * Optimises imports and formats, as a part of the command that is running: no undo step of its own.
 *
 * On the event dispatch thread. Whatever goes wrong here leaves the text that was written as it is, and is said.
 */
class Tidier(private val project: Project) {
    private val documents = PsiDocumentManager.getInstance(project)

    /** [changed] are the places to format; null means the whole file. */
    fun tidy(document: Document, work: TidyWork, changed: List<RangeMarker>?): Tidied {
        commit(document)
        val file = documents.getPsiFile(document)
        if (file == null || !work.imports && !work.format) return Tidied(emptyList(), false)
        if (DumbService.isDumb(project)) {
            return Tidied(listOf("not tidied: the IDE is indexing; call format_code later"), work.imports)
        }
        val notes = ArrayList<String>()
        val importsWait = work.imports && !optimizeImports(document, file, work.keep, notes)
        if (work.format) format(document, changed, notes)
        return Tidied(notes, importsWait)
    }

    /** False where it has to be done later. */
    private fun optimizeImports(document: Document, file: PsiFile, keep: Set<String>, notes: MutableList<String>): Boolean {
        if (document.textLength > MOST_FOR_IMPORTS) {
            notes.add("imports not optimised: the file has more than $MOST_FOR_IMPORTS characters; optimize_imports does it")
            return true
        }
        val before = document.text
        attempt("imports not optimised", notes) { optimize(file) }
        commit(document)
        val lost = keep.intersect(ImportLines.of(before)) - ImportLines.of(document.text)
        if (lost.isEmpty()) return true
        ApplicationManager.getApplication().runWriteAction { replaceMiddle(document, before) }
        commit(document)
        notes.add(
            "imports are optimised when this turn ends, since ${lost.joinToString(", ") { "`$it`" }} came in this turn " +
                "and is not used yet",
        )
        return false
    }

    /** The languages' own optimisers: the platform's processor around them would log what they throw and be silent. */
    private fun optimize(file: PsiFile) {
        val optimizers = file.viewProvider.allFiles.flatMap { part ->
            LanguageImportStatements.INSTANCE.forFile(part).filter { it.supports(part) }.map { it.processFile(part) }
        }
        ApplicationManager.getApplication().runWriteAction { optimizers.forEach(Runnable::run) }
    }

    private fun format(document: Document, changed: List<RangeMarker>?, notes: MutableList<String>) {
        val file = documents.getPsiFile(document) ?: return
        if (document.textLength > MOST_FOR_FORMAT) {
            notes.add("not formatted: the file has more than $MOST_FOR_FORMAT characters; format_code does it")
            return
        }
        val ranges = changed?.filter { it.isValid }?.map { TextRange(it.startOffset, it.endOffset) }
            ?: listOf(TextRange(0, document.textLength))
        if (ranges.isEmpty()) return
        attempt("not formatted", notes) {
            ApplicationManager.getApplication().runWriteAction {
                CodeStyleManager.getInstance(project).reformatText(file, ranges)
            }
        }
        commit(document)
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

    private fun commit(document: Document) {
        documents.doPostponedOperationsAndUnblockDocument(document)
        documents.commitDocument(document)
    }

    companion object {
        private val LOG = Logger.getInstance(Tidier::class.java)
        private const val MOST_FOR_IMPORTS = 50_000
        private const val MOST_FOR_FORMAT = 100_000

        /** Gives the document another text and touches only what differs, so that carets and markers stay. */
        internal fun replaceMiddle(document: Document, text: String) {
            val old = document.immutableCharSequence
            val start = old.commonPrefixWith(text).length
            val end = minOf(old.length, text.length) - start
            val common = (1..end).firstOrNull { old[old.length - it] != text[text.length - it] }?.minus(1) ?: end
            document.replaceString(start, old.length - common, text.substring(start, text.length - common))
        }
    }
}

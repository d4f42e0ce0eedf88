package dev.siderail.toolwindow

import com.intellij.navigation.ChooseByNameContributor
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.extensions.ExtensionPointName
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.progress.EmptyProgressIndicator
import com.intellij.openapi.progress.ProcessCanceledException
import com.intellij.openapi.project.IndexNotReadyException
import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.changes.ChangeListManager
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiManager
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.bridge.TextChange
import dev.siderail.engine.Attachment
import dev.siderail.psi.CodeReading
import dev.siderail.psi.EditorProblemFinder
import dev.siderail.psi.GotoSymbolSearch
import dev.siderail.psi.IndexedSteps
import dev.siderail.psi.ProblemFinder
import dev.siderail.psi.Symbol
import dev.siderail.ui.Texts
import java.util.concurrent.atomic.AtomicReference

/** What `@` offers in the IDE: what the person has before them, files and symbols. Asked and answered by [later]'s thread. */
internal class IdeContext(
    private val project: Project,
    private val finder: ProblemFinder = EditorProblemFinder(project),
    private val later: (() -> Unit) -> Unit,
) {
    private val reading = CodeReading(project)
    private val running = AtomicReference<EmptyProgressIndicator?>()

    fun find(query: String, found: (List<Mention>) -> Unit) {
        val first = own().filter { it.label.startsWith(query, ignoreCase = true) }
        if (query.isEmpty()) return found(first)
        val indicator = EmptyProgressIndicator()
        running.getAndSet(indicator)?.cancel()
        AppExecutorUtil.getAppExecutorService().execute {
            try {
                val some = first + files(indicator, query) + symbols(indicator, query)
                later { found(some.take(MOST)) }
            } catch (_: ProcessCanceledException) {
                // The person has typed on.
            }
        }
    }

    private fun own(): List<Mention> = listOf(
        Mention(Texts["context.selection"], Texts["context.selection.detail"], nothing = Texts["context.selection.nothing"]) { done -> later { done(selection()) } },
        Mention(Texts["context.problems"], Texts["context.problems.detail"], nothing = Texts["context.problems.nothing"]) { done -> soon(done, ::problems) },
        Mention(Texts["context.diff"], Texts["context.diff.detail"], nothing = Texts["context.diff.nothing"]) { done -> soon(done, ::diff) },
    )

    private fun soon(done: Attaching, work: () -> Found) = AppExecutorUtil.getAppExecutorService().execute {
        val found = try {
            work()
        } catch (_: ProcessCanceledException) {
            // The project closes.
            return@execute
        } catch (error: Exception) {
            LOG.warn("what `@` names could not be read", error)
            Found(null, Texts["context.unread", error.message ?: error.javaClass.simpleName])
        }
        later { done(found.attachment, found.problem) }
    }

    private class Found(val attachment: Attachment?, val problem: String = "")

    /** On the event dispatch thread. */
    private fun selection(): Attachment? {
        val editor = FileEditorManager.getInstance(project).selectedTextEditor ?: return null
        val text = editor.selectionModel.selectedText?.takeIf { it.isNotBlank() } ?: return null
        val file = FileDocumentManager.getInstance().getFile(editor.document)?.let(::relative).orEmpty()
        val from = editor.document.getLineNumber(editor.selectionModel.selectionStart) + 1
        val to = editor.document.getLineNumber(editor.selectionModel.selectionEnd) + 1
        return Attachment.Text(if (from == to) "$file:$from" else "$file:$from-$to", text)
    }

    private fun problems(): Found {
        val open = FileEditorManager.getInstance(project).selectedFiles.firstOrNull() ?: return Found(null)
        val found = reading.read(EmptyProgressIndicator()) {
            PsiManager.getInstance(project).findFile(open)?.let { finder.marked(it) }.orEmpty()
        }
        if (found.isEmpty()) return Found(null)
        val lines = found.joinToString("\n") { "${relative(open)}:${it.place.line}: ${it.severity.name.lowercase()}: ${it.message}" }
        return Found(Attachment.Text("${Texts["context.problems"]}: ${relative(open)}", lines))
    }

    /** What can be read of it, and for the rest, why it cannot. */
    private fun diff(): Found {
        val unread = ArrayList<String>()
        val changes = ChangeListManager.getInstance(project).allChanges.mapNotNull { change ->
            val file = relative(change.virtualFile?.path ?: (change.beforeRevision ?: change.afterRevision)?.file?.path.orEmpty())
            try {
                TextChange(file, change.beforeRevision?.content, change.afterRevision?.content).takeIf { it.before.orEmpty() != it.after.orEmpty() }
            } catch (cancelled: ProcessCanceledException) {
                throw cancelled
            } catch (error: Exception) {
                LOG.warn("the change of $file could not be read", error)
                unread += Texts["context.diff.unread", file, error.message ?: error.javaClass.simpleName]
                null
            }
        }
        val attachment = if (changes.isEmpty()) null else Attachment.Diff(Texts["context.diff"], changes)
        return Found(attachment, unread.take(MOST_UNREAD).joinToString("\n"))
    }

    private fun files(indicator: EmptyProgressIndicator, query: String): List<Mention> =
        search(indicator, query.substringAfterLast('/'), listOf(ChooseByNameContributor.FILE_EP_NAME)) { query in relative(it.place.file) || '/' !in query }
            .map { Mention(it.name, relative(it.place.file).removeSuffix(it.name).removeSuffix("/"), relative(it.place.file)) }

    private fun symbols(indicator: EmptyProgressIndicator, query: String): List<Mention> =
        if (query.length < 2) emptyList() else search(indicator, query, GotoSymbolSearch.SYMBOLS) { true }
            .map { Mention(it.name, "${relative(it.place.file)}:${it.place.line}", "${relative(it.place.file)}:${it.place.line}") }

    private fun search(
        indicator: EmptyProgressIndicator,
        query: String,
        where: List<ExtensionPointName<ChooseByNameContributor>>,
        fits: (Symbol) -> Boolean,
    ): List<Symbol> {
        val steps = object : IndexedSteps {
            override fun <T> step(work: () -> T): T = reading.read(indicator, work)
        }
        return try {
            GotoSymbolSearch(project, where).find(steps, query, false, EACH, fits).first
        } catch (_: IndexNotReadyException) {
            emptyList()
        }
    }

    private fun relative(file: VirtualFile): String = relative(file.path)

    private fun relative(path: String): String = path.removePrefix(project.basePath.orEmpty() + "/")

    private companion object {
        val LOG = Logger.getInstance(IdeContext::class.java)
        const val MOST = 10
        const val EACH = 6

        /**
         * How many files of a diff that cannot be read are named to the person: the reason is
         * mostly the same.
         */
        const val MOST_UNREAD = 3
    }
}

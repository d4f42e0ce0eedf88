package dev.siderail.toolwindow

import com.intellij.ide.BrowserUtil
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.ide.CopyPasteManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.document.Patience
import dev.siderail.document.Reverted
import dev.siderail.document.ReviewedFile
import dev.siderail.document.ToolFailure
import dev.siderail.settings.PasswordStore
import dev.siderail.settings.SettingsModel
import dev.siderail.settings.SiderailSettings
import dev.siderail.tools.Terminals
import dev.siderail.ui.Html
import dev.siderail.ui.Texts
import java.awt.datatransfer.StringSelection
import java.io.File
import java.nio.file.Path

/**
 * What panels want of the IDE. Everything here follows a click; nothing is opened unasked.
 *
 * A listener of Swing may run without the lock that reading files needs, and must not wait for the disk. So files are looked
 * up in the background, and what touches the IDE is left for [later], which has the lock.
 */
internal class IdeChatActions(
    private val project: Project,
    private val desk: IdeDesk = OpenDesk(project),
    private val failed: (title: String, why: String) -> Unit,
) : ChatActions, Disposable {
    private val review = IdeReview(project, ::later, ::showDiff)
    private val saver = PageSaver(desk::chooseTarget, ::later, { AppExecutorUtil.getAppExecutorService().execute(it) }, failed)

    override fun openFile(path: String) {
        val place = FilePlace.parse(path)
        val absolute = place.absolute(project.basePath.orEmpty())
        AppExecutorUtil.getAppExecutorService().execute {
            val file = StandardFileSystems.local().refreshAndFindFileByPath(absolute) ?: return@execute
            later { if (file.isValid && !file.isDirectory) desk.openFile(file, place.line) }
        }
    }

    override fun browse(address: String) {
        if (Html.isWeb(address)) BrowserUtil.browse(address)
    }

    override fun showDiff(title: String, changes: List<FileChange>) {
        if (changes.isNotEmpty()) later { desk.showDiff(title, changes) }
    }

    override fun review(files: List<ReviewedFile>, listener: ReviewListener) = review.show(files, listener)

    override fun revert(file: ReviewedFile, parts: Set<Int>, done: (Reverted) -> Unit) = review.revert(file, parts, done)

    override fun dispose() = Disposer.dispose(review)

    override fun copy(text: String) = CopyPasteManager.getInstance().setContents(StringSelection(text))

    override fun save(name: String, text: String) = saver.save(name, text)

    private fun later(task: () -> Unit) =
        ApplicationManager.getApplication().invokeLater({ if (!project.isDisposed) task() }, ModalityState.NON_MODAL)

    override fun chooseFile(chosen: (String) -> Unit) = later { desk.chooseFile()?.let(chosen) }

    private val context = IdeContext(project) { later(it) }

    override val projectFolder: String get() = project.basePath.orEmpty()

    override fun findContext(query: String, found: (List<Mention>) -> Unit) = context.find(query, found)

    override fun look(files: List<File>, seen: (List<SeenFile>) -> Unit) = AppExecutorUtil.getAppExecutorService().execute {
        val all = files.map { SeenFile.of(it, projectFolder) }
        later { seen(all) }
    }

    override fun keepSecrets(agent: String, values: Map<String, String>) {
        val settings = SiderailSettings.getInstance()
        val model = SettingsModel(settings.state)
        model.setVariables(agent, values)
        settings.loadState(model.apply(ApplicationManager.getApplication().getService(PasswordStore::class.java)))
    }

    override val hasTerminal: Boolean get() = terminals() != null

    override fun runInTerminal(command: String) = AppExecutorUtil.getAppExecutorService().execute {
        val terminals = terminals() ?: return@execute
        val end = System.nanoTime() + TERMINAL_NS
        val patience = Patience { if (System.nanoTime() > end) throw ToolFailure(ToolErrorCode.TIMEOUT, Texts["agents.install.slow"]) }
        try {
            terminals.type(terminals.open(Path.of(project.basePath.orEmpty()), patience), command, patience)
        } catch (failure: ToolFailure) {
            later { failed(Texts["agents.install.failed"], failure.text) }
        }
    }

    private fun terminals(): Terminals? = project.getService(Terminals::class.java)

    override fun openSettings() = later { desk.openSettings() }

    private companion object {
        /** A terminal is open by then. */
        const val TERMINAL_NS = 20_000_000_000L
    }
}

/** A path as agents write it: maybe with a line, `src/App.java:12` or `src/App.java#L12`. [line] counts from 0. */
data class FilePlace(val path: String, val line: Int) {
    fun absolute(base: String): String = if (path.startsWith("/") || WINDOWS.containsMatchIn(path)) path else "$base/$path"

    companion object {
        private val LINE = Regex("""^(.*?)(?::(\d{1,7})(?:[:-]\d+)*|#L(\d{1,7})(?:-L?\d+)?)$""")
        private val WINDOWS = Regex("""^[A-Za-z]:[/\\]""")

        fun parse(text: String): FilePlace {
            val found = LINE.matchEntire(text) ?: return FilePlace(text, 0)
            val number = found.groupValues[2].ifEmpty { found.groupValues[3] }.toInt()
            return FilePlace(found.groupValues[1], (number - 1).coerceAtLeast(0))
        }
    }
}

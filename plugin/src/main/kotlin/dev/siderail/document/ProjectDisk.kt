package dev.siderail.document

import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.changes.VcsDirtyScopeManager
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VfsUtil
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.util.concurrency.AppExecutorUtil
import java.nio.file.Path
import java.util.concurrent.TimeUnit

/** Keeps editors and disk together around programs that agents run. For background threads. */
class ProjectDisk(
    private val project: Project,
    private val eventThread: EventThread,
    private val reader: DocumentReader,
    private val marks: DirtyMarks = DirtyMarks.VFS,
) {
    /** Puts all unsaved text on the disk. */
    fun save(patience: Patience) {
        eventThread.run(patience) { FileDocumentManager.getInstance().saveAllDocuments() }
        PendingWrites.flush()
    }

    /**
     * Looks at the disk and at version control again: at [paths] that a program was seen to write, and at what the
     * IDE's file watcher has reported; if none runs, or [paths] is null, at all of the project.
     */
    fun refresh(folder: ProjectFolder, paths: List<Path>?, patience: Patience) {
        // What has changed is taken in on the event dispatch thread: a dialog must not keep this waiting.
        eventThread.run(patience) {}
        val roots = (listOf(folder.root) + folder.further).mapNotNull { reader.find(folder.confined(it), patience) }
        val (known, unknown) = paths.orEmpty().partition { inIde(it) != null }
        marks.changed(
            if (paths == null) roots else known.mapNotNull(::inIde),
            unknown.mapNotNullTo(LinkedHashSet(), ::nearestFolder).toList(),
        )
        roots.forEach { it.refresh(false, true) }
        // The watcher may report a moment later.
        AppExecutorUtil.getAppScheduledExecutorService().schedule({ roots.forEach(::again) }, LATER_MS, TimeUnit.MILLISECONDS)
        if (paths == null || paths.any { it.endsWith(".git") }) {
            project.getService(VcsDirtyScopeManager::class.java)?.markEverythingDirty()
        }
    }

    private fun again(root: VirtualFile) {
        if (!project.isDisposed && root.isValid) root.refresh(true, true)
    }

    private fun inIde(path: Path): VirtualFile? = StandardFileSystems.local().findFileByPath(path.toString().replace('\\', '/'))

    /** The folder in which something new has to be found: the nearest one that the IDE knows. */
    private fun nearestFolder(path: Path): VirtualFile? = generateSequence(path.parent) { it.parent }.firstNotNullOfOrNull(::inIde)

    private companion object {
        const val LATER_MS = 1_000L
    }
}

/** What the IDE looks at again with the next refresh. */
fun interface DirtyMarks {
    /** [wholes] with all that is in them, and the entries of [folders]. */
    fun changed(wholes: List<VirtualFile>, folders: List<VirtualFile>)

    companion object {
        val VFS = DirtyMarks { wholes, folders ->
            VfsUtil.markDirty(true, true, *wholes.toTypedArray())
            VfsUtil.markDirty(false, true, *folders.toTypedArray())
        }
    }
}

package dev.siderail.document

import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.changes.VcsDirtyScopeManager
import com.intellij.openapi.vfs.VfsUtil

/** Keeps editors and disk together around programs that agents run. For background threads. */
class ProjectDisk(private val project: Project, private val eventThread: EventThread, private val reader: DocumentReader) {
    /** Puts all unsaved text on the disk. */
    fun save(patience: Patience) {
        eventThread.run(patience) { FileDocumentManager.getInstance().saveAllDocuments() }
        PendingWrites.flush()
    }

    /** Looks at the disk and at version control again. */
    fun refresh(folder: ProjectFolder, patience: Patience) {
        // What has changed is taken in on the event dispatch thread: a dialog must not keep this waiting.
        eventThread.run(patience) {}
        val root = reader.find(folder.resolve("."), patience) ?: return
        // What a file watcher has not told yet counts as changed, too.
        VfsUtil.markDirty(true, true, root)
        root.refresh(false, true)
        project.getService(VcsDirtyScopeManager::class.java)?.markEverythingDirty()
    }
}

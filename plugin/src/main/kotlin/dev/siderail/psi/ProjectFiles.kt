package dev.siderail.psi

import com.intellij.openapi.project.Project
import com.intellij.openapi.roots.ProjectFileIndex
import com.intellij.openapi.vcs.changes.ChangeListManager
import com.intellij.openapi.vfs.VFileProperty
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.BackgroundRead

/** The files of a project as its person sees them: what is excluded or ignored is left out. */
interface ProjectFiles {
    /**
     * Visits the files below a folder in the order of their names until the visitor says false. Links to folders
     * are not followed. A folder that is itself left out was named on purpose and is visited. On a background
     * thread, outside of read actions.
     */
    fun visit(folder: VirtualFile, visitor: (VirtualFile) -> Boolean): Boolean

    /** Those of some files and folders that are left out. On a background thread, outside of read actions. */
    fun leftOut(some: List<VirtualFile>): List<VirtualFile>
}

/** Asks the project's index what is excluded and version control what is ignored. */
class IndexedProjectFiles(private val project: Project) : ProjectFiles {
    override fun visit(folder: VirtualFile, visitor: (VirtualFile) -> Boolean): Boolean {
        val asked = BackgroundRead.of { isLeftOut(folder) }
        return visit(folder, asked, visitor)
    }

    private fun visit(folder: VirtualFile, withLeftOut: Boolean, visitor: (VirtualFile) -> Boolean): Boolean {
        for (child in children(folder, withLeftOut)) {
            val goOn = if (child.isDirectory) visit(child, withLeftOut, visitor) else visitor(child)
            if (!goOn) return false
        }
        return true
    }

    override fun leftOut(some: List<VirtualFile>): List<VirtualFile> =
        some.chunked(SOME).flatMap { few -> BackgroundRead.of { few.filter { it.isValid && isLeftOut(it) } } }

    /** One short read action a folder, so that typing is not kept waiting. */
    private fun children(folder: VirtualFile, withLeftOut: Boolean): List<VirtualFile> {
        // Listing a folder may look at the disk, and needs no lock.
        val all = if (folder.isValid) folder.children.toList() else return emptyList()
        return BackgroundRead.of {
            all.filter { it.isValid && it.name !in VERSION_CONTROL && !(it.isDirectory && it.`is`(VFileProperty.SYMLINK)) }
                .filter { withLeftOut || !isLeftOut(it) }
                .sortedBy { it.name }
        }
    }

    /** In a read action. */
    private fun isLeftOut(file: VirtualFile): Boolean {
        val index = project.getService(ProjectFileIndex::class.java)
        val versions = project.getService(ChangeListManager::class.java)
        return index != null && (index.isExcluded(file) || index.isUnderIgnored(file)) ||
            versions != null && versions.isIgnoredFile(file)
    }

    private companion object {
        /** Files that are asked about in one read action, so that typing is not kept waiting. */
        const val SOME = 256
        val VERSION_CONTROL = setOf(".git", ".hg", ".svn")
    }
}

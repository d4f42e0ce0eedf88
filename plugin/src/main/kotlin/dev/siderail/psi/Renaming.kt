package dev.siderail.psi

import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import com.intellij.refactoring.rename.RenameProcessor
import com.intellij.usageView.UsageInfo
import com.intellij.util.containers.MultiMap

/** What came of a rename: the files that it changed, or why it was not done. */
class Renamed(val files: Set<VirtualFile>, val conflicts: List<String>)

/** Renames a declaration and all that refers to it. */
interface Renaming {
    /** On the event dispatch thread. */
    fun rename(element: PsiElement, name: String): Renamed
}

/** The IDE's own rename, with what each language adds to it. Conflicts end it: nobody is asked by a dialog. */
class IdeRenaming(private val project: Project) : Renaming {
    override fun rename(element: PsiElement, name: String): Renamed {
        val processor = Quiet(element, name)
        processor.run()
        return Renamed(processor.files, processor.conflicts)
    }

    private inner class Quiet(element: PsiElement, name: String) : RenameProcessor(project, element, name, false, false) {
        val files = LinkedHashSet<VirtualFile>()
        val conflicts = ArrayList<String>()
        private val declaredIn = element.containingFile?.virtualFile

        override fun isPreviewUsages(usages: Array<UsageInfo>) = false

        override fun showConflicts(found: MultiMap<PsiElement, String>, usages: Array<out UsageInfo>?): Boolean {
            conflicts += found.values()
            return conflicts.isEmpty()
        }

        override fun performRefactoring(usages: Array<UsageInfo>) {
            declaredIn?.let(files::add)
            usages.mapNotNullTo(files) { it.virtualFile }
            super.performRefactoring(usages)
        }
    }
}

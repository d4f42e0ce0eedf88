package dev.siderail.psi

import com.intellij.openapi.project.Project
import com.intellij.psi.PsiElement
import com.intellij.refactoring.rename.RenameProcessor
import com.intellij.usageView.UsageInfo
import com.intellij.util.containers.MultiMap

/** Renames a declaration and all that refers to it. */
interface Renaming {
    /** Why it was not done; nothing where it was. On the event dispatch thread. */
    fun rename(element: PsiElement, name: String): List<String>
}

/** The IDE's own rename, with what each language adds to it. Conflicts end it: nobody is asked by a dialog. */
class IdeRenaming(private val project: Project) : Renaming {
    override fun rename(element: PsiElement, name: String): List<String> = Quiet(element, name).apply { run() }.conflicts

    private inner class Quiet(element: PsiElement, name: String) : RenameProcessor(project, element, name, false, false) {
        val conflicts = ArrayList<String>()

        override fun isPreviewUsages(usages: Array<UsageInfo>) = false

        override fun showConflicts(found: MultiMap<PsiElement, String>, usages: Array<out UsageInfo>?): Boolean {
            conflicts += found.values()
            return conflicts.isEmpty()
        }
    }
}

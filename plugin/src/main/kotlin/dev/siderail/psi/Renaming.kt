package dev.siderail.psi

import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Ref
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.refactoring.rename.RenameProcessor
import com.intellij.refactoring.rename.RenamePsiElementProcessor
import com.intellij.refactoring.rename.RenameUtil
import com.intellij.refactoring.rename.naming.AutomaticRenamer
import com.intellij.usageView.UsageInfo
import com.intellij.util.IncorrectOperationException
import com.intellij.util.containers.MultiMap

/** Renames a declaration and all that refers to it. */
interface Renaming {
    /** Why it was not done; nothing where it was. On the event dispatch thread. */
    fun rename(element: PsiElement, name: String): List<String>
}

/** The IDE's own rename, with what each language adds to it. What speaks against it ends it: nobody is asked by a dialog. */
class IdeRenaming(private val project: Project) : Renaming {
    override fun rename(element: PsiElement, name: String): List<String> {
        val renaming = Quiet(element, name)
        renaming.run()
        if (!renaming.isDone && renaming.conflicts.isEmpty()) throw IncorrectOperationException("the IDE's search for uses did not get to its end")
        return renaming.conflicts
    }

    private inner class Quiet(private val element: PsiElement, private val name: String) : RenameProcessor(project, element, name, false, false) {
        val conflicts = ArrayList<String>()
        var isDone = false
            private set

        override fun isPreviewUsages(usages: Array<UsageInfo>) = false

        /** The platform asks the languages the same, and opens a dialog about what they say. */
        override fun preprocessUsages(uses: Ref<Array<UsageInfo>>): Boolean {
            val found = MultiMap<PsiElement, String>()
            RenameUtil.addConflictDescriptions(uses.get(), found)
            RenamePsiElementProcessor.forElement(element).findExistingNameConflicts(element, name, found, myAllRenames)
            conflicts += found.values()
            conflicts += locked(uses.get())
            for ((renamed, to) in myAllRenames) {
                if (renamed is PsiFile && isTaken(renamed, to)) conflicts += "there is a file $to already"
                RenameUtil.checkRename(renamed, to)
            }
            return conflicts.isEmpty() && super.preprocessUsages(uses)
        }

        /** About these the platform asks whether to make them writable. */
        private fun locked(uses: Array<UsageInfo>): List<String> = uses.mapNotNull { it.virtualFile }.distinct()
            .filterNot { it.isWritable }.map { "it is used in ${it.name}, which is read-only" }

        private fun isTaken(file: PsiFile, name: String): Boolean {
            val there = file.containingDirectory?.findFile(name)
            return there != null && there != file
        }

        /** What a person would choose to rename along with it keeps its name. */
        override fun showAutomaticRenamingDialog(renamer: AutomaticRenamer) = false

        override fun previewRefactoring(usages: Array<UsageInfo>) {
            conflicts += "the IDE wants a person to look at the uses first"
        }

        override fun performRefactoring(usages: Array<UsageInfo>) {
            isDone = true
            super.performRefactoring(usages)
        }
    }
}

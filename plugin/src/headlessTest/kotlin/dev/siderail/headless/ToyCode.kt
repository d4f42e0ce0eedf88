package dev.siderail.headless

import com.intellij.codeInspection.GlobalInspectionContext
import com.intellij.codeInspection.InspectionManager
import com.intellij.codeInspection.InspectionManagerBase
import com.intellij.codeInspection.LocalInspectionTool
import com.intellij.codeInspection.LocalQuickFix
import com.intellij.codeInspection.ProblemDescriptor
import com.intellij.codeInspection.ProblemsHolder
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.command.CommandProcessor
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiDocumentManager
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiElementVisitor
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import dev.siderail.psi.Inspection
import dev.siderail.psi.Inspections
import dev.siderail.psi.Renaming
import dev.siderail.psi.Severity

/** The inspections of the toy language, run by the platform's own classes. */
class ToyInspections : Inspections {
    override fun on(file: PsiFile): List<Inspection> =
        if (file is ToyLanguage.ToyFile) listOf(Inspection(Unlucky(), Severity.WARNING)) else emptyList()

    fun manager(project: Project): InspectionManager = object : InspectionManagerBase(project) {
        override fun createNewGlobalContext(reuse: Boolean): GlobalInspectionContext = throw UnsupportedOperationException()

        override fun createNewGlobalContext(): GlobalInspectionContext = throw UnsupportedOperationException()
    }

    /** Thirteen is unlucky; twelve is not. Fourteen wants files in another order. */
    private class Unlucky : LocalInspectionTool() {
        override fun getShortName() = "Unlucky"

        override fun buildVisitor(holder: ProblemsHolder, isOnTheFly: Boolean): PsiElementVisitor = object : PsiElementVisitor() {
            override fun visitElement(element: PsiElement) {
                if (element is ToyLanguage.Statement && Regex("""\b13\b""").containsMatchIn(element.text)) {
                    holder.registerProblem(element, "<code>#ref</code> is unlucky #loc", Twelve, Dialog)
                }
                if (element is ToyLanguage.Statement && Regex("""\b14\b""").containsMatchIn(element.text)) {
                    holder.registerProblem(element, "<code>#ref</code> wants other files #loc", Rearrange)
                }
            }
        }
    }

    private object Twelve : LocalQuickFix {
        override fun getFamilyName() = "Take 12"

        override fun applyFix(project: Project, descriptor: ProblemDescriptor) {
            val element = descriptor.psiElement
            val document = checkNotNull(PsiDocumentManager.getInstance(project).getDocument(element.containingFile))
            val at = document.text.indexOf("13", element.textRange.startOffset)
            document.replaceString(at, at + 2, "12")
        }
    }

    /** Creates `made.toy` beside the file, deletes the folder `gone` there and calls the folder `old` `new`. */
    private object Rearrange : LocalQuickFix {
        override fun getFamilyName() = "Rearrange"

        override fun applyFix(project: Project, descriptor: ProblemDescriptor) {
            val folder = descriptor.psiElement.containingFile.virtualFile.parent
            folder.createChildData(this, "made.toy")
            folder.findChild("gone")?.delete(this)
            folder.findChild("old")?.rename(this, "new")
        }
    }

    /** One that would open a dialog. */
    private object Dialog : LocalQuickFix {
        override fun getFamilyName() = "Choose another number"

        override fun startInWriteAction() = false

        override fun applyFix(project: Project, descriptor: ProblemDescriptor) = error("a dialog nobody closes")
    }
}

/** Renames in the files of [ToyIndex], and a file that has the name; what is declared already is a conflict. */
class ToyRenaming(private val project: Project) : Renaming {
    override fun rename(element: PsiElement, name: String): List<String> {
        check(ApplicationManager.getApplication().isDispatchThread)
        val old = (element as ToyLanguage.Statement).name
        val files = ToyIndex.files.filter { it.isValid }
        val isTaken = files.any { file -> statements(file).any { it.name == name } }
        if (isTaken) return listOf("<b>$name</b> is declared already")
        CommandProcessor.getInstance().executeCommand(
            project,
            {
                ApplicationManager.getApplication().runWriteAction {
                    files.filter { Regex("\\b$old\\b").containsMatchIn(text(it)) }.forEach { replace(it, old, name) }
                    files.filter { it.nameWithoutExtension == old }.forEach { it.rename(this, "$name.${it.extension}") }
                }
                PsiDocumentManager.getInstance(project).commitAllDocuments()
            },
            "rename",
            null,
        )
        return emptyList()
    }

    private fun statements(file: VirtualFile) =
        PsiManager.getInstance(project).findFile(file)?.children.orEmpty().filterIsInstance<ToyLanguage.Statement>()

    private fun text(file: VirtualFile) = checkNotNull(FileDocumentManager.getInstance().getDocument(file)).text

    private fun replace(file: VirtualFile, old: String, name: String) {
        val document = checkNotNull(FileDocumentManager.getInstance().getDocument(file))
        document.setText(document.text.replace(Regex("\\b$old\\b"), name))
    }
}

package dev.siderail.headless

import com.intellij.codeInspection.GlobalInspectionContext
import com.intellij.codeInspection.InspectionManager
import com.intellij.codeInspection.InspectionManagerBase
import com.intellij.codeInspection.LocalInspectionTool
import com.intellij.codeInspection.LocalQuickFix
import com.intellij.codeInspection.ProblemDescriptor
import com.intellij.codeInspection.ProblemsHolder
import com.intellij.codeInspection.ex.InspectionProfileImpl
import com.intellij.codeInspection.ex.InspectionToolsSupplier
import com.intellij.codeInspection.ex.LocalInspectionToolWrapper
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.options.SchemeManager
import com.intellij.openapi.project.Project
import com.intellij.profile.codeInspection.BaseInspectionProfileManager
import com.intellij.profile.codeInspection.InspectionProfileManager
import com.intellij.psi.PsiDocumentManager
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiElementVisitor
import com.intellij.refactoring.listeners.RefactoringElementListener
import com.intellij.refactoring.rename.RenamePsiElementProcessor
import com.intellij.usageView.UsageInfo
import com.intellij.util.containers.MultiMap
import org.picocontainer.MutablePicoContainer

/** The profile of the toy language's inspections, read and run by the platform's own classes. */
object ToyInspections {
    val manager: InspectionManager = object : InspectionManagerBase(HeadlessPlatform.instance.project) {
        override fun createNewGlobalContext(reuse: Boolean): GlobalInspectionContext = throw UnsupportedOperationException()

        override fun createNewGlobalContext(): GlobalInspectionContext = throw UnsupportedOperationException()
    }

    private val profiles = OneProfile(HeadlessPlatform.instance.project)

    /** Puts the services into the platform, with one profile that has [tools]. */
    fun install(tools: List<LocalInspectionTool> = listOf(Unlucky())) {
        val platform = HeadlessPlatform.instance
        InspectionProfileImpl.INIT_INSPECTIONS = true
        platform.replace(InspectionManager::class.java, manager)
        put(platform.application.picoContainer, InspectionProfileManager::class.java.name)
        // The platform asks by the name of a class that keeps profiles in files.
        put(platform.project.picoContainer, "com.intellij.profile.codeInspection.ProjectInspectionProfileManager")
        val none: InspectionProfileImpl? = null
        profiles.profile = InspectionProfileImpl("toy", InspectionToolsSupplier.Simple(tools.map(::LocalInspectionToolWrapper)), none)
    }

    private fun put(container: MutablePicoContainer, name: String) {
        container.unregisterComponent(name)
        container.registerComponentInstance(name, profiles)
    }

    private class OneProfile(project: Project) : BaseInspectionProfileManager(project.messageBus) {
        lateinit var profile: InspectionProfileImpl

        override val schemeManager: SchemeManager<InspectionProfileImpl> get() = throw UnsupportedOperationException("profiles are not kept")

        override fun getCurrentProfile() = profile

        override fun getProfiles() = listOf(profile)

        override fun getProfile(name: String, returnRootProfileIfNamedIsAbsent: Boolean) = profile

        override fun setRootProfile(name: String?) = Unit

        override fun fireProfileChanged(profile: InspectionProfileImpl) = Unit
    }

    /** Thirteen is unlucky; twelve is not. Fourteen wants files in another order. */
    private class Unlucky : LocalInspectionTool() {
        override fun getShortName() = "Unlucky"

        override fun getDisplayName() = "Unlucky number"

        override fun getGroupDisplayName() = "Toy"

        override fun isEnabledByDefault() = true

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

        /** As of one that is made of the code. */
        override fun getName(): String {
            ApplicationManager.getApplication().assertReadAccessAllowed()
            return familyName
        }

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

/** What the toy language adds to "Rename": what is declared already is a conflict, and a file that has the name gets the new one. */
class ToyRename : RenamePsiElementProcessor() {
    override fun canProcessElement(element: PsiElement) = element is ToyLanguage.Statement

    override fun findExistingNameConflicts(element: PsiElement, name: String, conflicts: MultiMap<PsiElement, String>) {
        val taken = ToyIndex.declared(element.project).filter { it.name == name }
        for (statement in taken) conflicts.putValue(statement, "<b>$name</b> is declared already")
    }

    override fun renameElement(element: PsiElement, name: String, uses: Array<UsageInfo>, listener: RefactoringElementListener?) {
        val old = (element as ToyLanguage.Statement).name
        val file = element.containingFile.virtualFile
        super.renameElement(element, name, uses, listener)
        if (file.nameWithoutExtension == old) file.rename(this, "$name.${file.extension}")
    }
}

package dev.siderail.psi

import com.intellij.codeInsight.daemon.HighlightDisplayKey
import com.intellij.codeInspection.InspectionManager
import com.intellij.codeInspection.LocalInspectionTool
import com.intellij.codeInspection.ProblemDescriptor
import com.intellij.codeInspection.ProblemHighlightType
import com.intellij.codeInspection.QuickFix
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.progress.ProgressIndicator
import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.profile.codeInspection.InspectionProfileManager
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import com.intellij.psi.PsiPolyVariantReference
import com.intellij.psi.PsiRecursiveElementWalkingVisitor
import com.intellij.psi.PsiReference
import dev.siderail.ui.Html
import dev.siderail.ui.atMost

/** An inspection that is on for a file, and how bad the profile takes what it finds. */
class Inspection(val tool: LocalInspectionTool, val severity: Severity)

/** Which inspections are on. */
interface Inspections {
    /** Those for a file, the worst first: there may be no time for all. In an indexed read action. */
    fun on(file: PsiFile): List<Inspection>
}

/** Asks the project's inspection profile. */
class ProfileInspections(private val project: Project) : Inspections {
    override fun on(file: PsiFile): List<Inspection> {
        val profile = InspectionProfileManager.getInstance(project).currentProfile
        return profile.getAllEnabledInspectionTools(project).mapNotNull { tools ->
            val wrapper = tools.getEnabledTool(file)?.takeIf { it.isApplicable(file.language) }
            val tool = wrapper?.tool as? LocalInspectionTool ?: return@mapNotNull null
            val level = HighlightDisplayKey.find(tools.shortName)?.let { profile.getErrorLevel(it, file) }
            Inspection(tool, level?.severity?.let(Severity::of) ?: Severity.WARNING)
        }.sortedWith(compareBy({ it.severity }, { it.tool.shortName }))
    }
}

/** What the IDE offers to do about a finding. */
class Fix(val fix: QuickFix<*>, val name: String)

/** What an inspection found. Made in a read action: the name of a fix may be made of the code. */
class Finding(val problem: Problem, val descriptor: ProblemDescriptor?) {
    val fixes: List<Fix> = descriptor?.fixes.orEmpty().filter(::isPlain).map { Fix(it, it.name) }

    private companion object {
        /** Others may open a dialog, for which a call cannot wait. */
        fun isPlain(fix: QuickFix<*>) = fix.startInWriteAction() ||
            generateSequence<Class<*>>(fix.javaClass) { it.superclass }.any { it.name == "com.intellij.modcommand.ModCommandQuickFix" }
    }
}

/** What was found in the time that there was; [isComplete] where every inspection had its turn. */
class Findings(val all: List<Finding>, val isComplete: Boolean)

/**
 * Inspects a file, open or not: references that lead nowhere, and the inspections of the profile. Outside of read actions;
 * each inspection reads in one of its own, so that typing does not make all of them begin anew.
 */
class FileInspection(private val project: Project, private val reading: CodeReading, private val inspections: Inspections) {
    fun of(file: VirtualFile, indicator: ProgressIndicator, limitMs: Long): Findings {
        val end = System.nanoTime() + limitMs * 1_000_000
        fun <T> step(work: (PsiFile) -> T): T? = reading.readIndexed(indicator) { PsiManager.getInstance(project).findFile(file)?.let(work) }
        val found = ArrayList<Finding>()
        found += step(::unresolved).orEmpty()
        val on = step(inspections::on).orEmpty()
        for (inspection in on) {
            if (System.nanoTime() > end) return Findings(found, false)
            found += step { inspect(it, inspection) }.orEmpty()
        }
        return Findings(found.distinctBy { it.problem.message to it.problem.place.line }.sortedBy { it.problem.place.line }, true)
    }

    /** Of a reference that is not soft the platform says that it has to lead somewhere. */
    private fun unresolved(file: PsiFile): List<Finding> {
        val found = ArrayList<Finding>()
        file.accept(
            object : PsiRecursiveElementWalkingVisitor() {
                override fun visitElement(element: PsiElement) {
                    ProgressManager.checkCanceled()
                    for (reference in element.references) if (leadsNowhere(reference)) finding(element, reference)?.let(found::add)
                    super.visitElement(element)
                }
            },
        )
        // A language that resolves little says nothing by it.
        return if (found.size > MOST_UNRESOLVED) emptyList() else found
    }

    private fun finding(element: PsiElement, reference: PsiReference): Finding? {
        val at = element.textRange.startOffset + reference.rangeInElement.startOffset
        val place = CodePlace.of(element.containingFile.virtualFile ?: return null, at) ?: return null
        return Finding(Problem(Severity.WARNING, "`${reference.canonicalText.atMost(TEXT)}` leads to no declaration", place), null)
    }

    private fun leadsNowhere(reference: PsiReference): Boolean = !reference.isSoft &&
        if (reference is PsiPolyVariantReference) reference.multiResolve(false).isEmpty() else reference.resolve() == null

    private fun inspect(file: PsiFile, inspection: Inspection): List<Finding> =
        LOG.orLeftOut("the inspection ${inspection.tool.shortName}") {
            inspection.tool.processFile(file, InspectionManager.getInstance(project)).mapNotNull { finding(file, inspection, it) }
        }.orEmpty()

    private fun finding(file: PsiFile, inspection: Inspection, found: ProblemDescriptor): Finding? {
        val severity = when (found.highlightType) {
            ProblemHighlightType.ERROR, ProblemHighlightType.GENERIC_ERROR, ProblemHighlightType.LIKE_UNKNOWN_SYMBOL -> Severity.ERROR
            ProblemHighlightType.INFORMATION -> return null
            else -> inspection.severity
        }
        val element = found.psiElement?.takeIf { it.containingFile == file } ?: return null
        val range = found.textRangeInElement
        val place = CodePlace.of(file.virtualFile, element.textRange.startOffset + (range?.startOffset ?: 0)) ?: return null
        val text = range?.takeIf { it.endOffset <= element.textLength }?.substring(element.text) ?: element.text
        return Finding(Problem(severity, plain(found.descriptionTemplate, text), place), found)
    }

    companion object {
        private val LOG = Logger.getInstance(FileInspection::class.java)
        private const val MOST_UNRESOLVED = 20
        private const val TEXT = 60
        private val BLANKS = Regex("""\s+""")
        private val PLACEHOLDER = Regex("#(?:loc|end|treeend)")

        /** A description without its placeholders and tags. The text of the code comes last: it may look like a tag. */
        fun plain(template: String, element: String): String =
            Html.plain(template.replace(PLACEHOLDER, "")).replace("#ref", element.replace(BLANKS, " ").atMost(TEXT))
    }
}

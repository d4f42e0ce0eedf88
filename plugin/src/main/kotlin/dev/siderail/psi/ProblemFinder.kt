package dev.siderail.psi

import com.intellij.codeInsight.daemon.impl.DaemonCodeAnalyzerEx
import com.intellij.lang.annotation.HighlightSeverity
import com.intellij.openapi.editor.Document
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiErrorElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiRecursiveElementWalkingVisitor

/** How bad a problem is. */
enum class Severity {
    ERROR, WARNING, WEAK;

    companion object {
        fun of(found: HighlightSeverity): Severity = when {
            found >= HighlightSeverity.ERROR -> ERROR
            found >= HighlightSeverity.WARNING -> WARNING
            else -> WEAK
        }
    }
}

/** Something wrong in a file. */
data class Problem(val severity: Severity, val message: String, val place: CodePlace)

/** What is wrong in a file. */
interface ProblemFinder {
    /** Errors of the syntax: known at once, for every file. In a read action. */
    fun syntaxErrors(file: PsiFile): List<Problem>

    /** What the editor marks; null where the file is not open and so not analysed. In a read action. */
    fun marked(file: PsiFile): List<Problem>?
}

/** Reads syntax trees and what code analysis has found for open editors. */
class EditorProblemFinder(private val project: Project) : ProblemFinder {
    override fun syntaxErrors(file: PsiFile): List<Problem> {
        val problems = ArrayList<Problem>()
        val errors = object : PsiRecursiveElementWalkingVisitor() {
            override fun visitErrorElement(element: PsiErrorElement) {
                CodePlace.of(element)?.let { problems.add(Problem(Severity.ERROR, element.errorDescription, it)) }
                super.visitErrorElement(element)
            }
        }
        file.viewProvider.allFiles.forEach { it.accept(errors) }
        return problems
    }

    override fun marked(file: PsiFile): List<Problem>? {
        val document = documentOf(file) ?: return null
        val virtualFile = file.virtualFile
        if (!FileEditorManager.getInstance(project).isFileOpen(virtualFile)) return null
        return marked(document, virtualFile)
    }

    private fun marked(document: Document, file: VirtualFile): List<Problem> {
        val problems = ArrayList<Problem>()
        val least = HighlightSeverity.WEAK_WARNING
        DaemonCodeAnalyzerEx.processHighlights(document, project, least, 0, document.textLength) { found ->
            val message = found.description
            val place = CodePlace.of(file, found.actualStartOffset)
            if (message != null && place != null) problems.add(Problem(Severity.of(found.severity), message, place))
            true
        }
        return problems
    }
}

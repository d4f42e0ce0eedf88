package dev.siderail.headless

import com.intellij.formatting.service.AsyncDocumentFormattingService
import com.intellij.mock.MockProject
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.command.CommandProcessor
import com.intellij.openapi.util.TextRange
import com.intellij.psi.PsiDocumentManager
import com.intellij.psi.PsiFile
import com.intellij.psi.codeStyle.CodeStyleManager
import com.intellij.psi.impl.source.codeStyle.CodeStyleManagerImpl

/**
 * The platform's formatter as it is with a language whose formatter is a program: it finishes later, in a command of its
 * own, unless the document says that it has to be done at once. (Without a screen the platform never does it later.)
 */
internal class LateFormatter(private val project: MockProject) : CodeStyleManagerImpl(project) {
    override fun reformatText(file: PsiFile, ranges: Collection<TextRange>) {
        val document = checkNotNull(PsiDocumentManager.getInstance(project).getDocument(file))
        if (document.getUserData(AsyncDocumentFormattingService.FORMAT_DOCUMENT_SYNCHRONOUSLY) == true) {
            return super.reformatText(file, ranges)
        }
        val application = ApplicationManager.getApplication()
        application.invokeLater {
            CommandProcessor.getInstance().executeCommand(project, { application.runWriteAction { super.reformatText(file, ranges) } }, "Format", null)
        }
    }

    /** Formats late while [work] runs. */
    companion object {
        fun during(platform: HeadlessPlatform, work: () -> Unit) {
            val usual = CodeStyleManager.getInstance(platform.project)
            platform.replace(CodeStyleManager::class.java, LateFormatter(platform.project))
            try {
                work()
            } finally {
                platform.replace(CodeStyleManager::class.java, usual)
            }
        }
    }
}

package dev.siderail.toolwindow

import com.intellij.codeInsight.intention.IntentionAction
import com.intellij.openapi.editor.Editor
import com.intellij.openapi.project.Project
import com.intellij.psi.PsiFile
import dev.siderail.psi.EditorProblemFinder
import dev.siderail.psi.ProblemFinder
import dev.siderail.ui.Texts

/** Asks the agent to fix what the editor marks in the caret's line. The message is written, the person sends it. */
internal class FixWithAgent(
    private val problems: (Project) -> ProblemFinder = ::EditorProblemFinder,
    private val ask: (Project, String) -> Unit = ::write,
) : IntentionAction {
    override fun getText(): String = Texts["fix.text"]

    override fun getFamilyName(): String = text

    override fun startInWriteAction() = false

    override fun isAvailable(project: Project, editor: Editor?, file: PsiFile?): Boolean = request(project, editor, file) != null

    override fun invoke(project: Project, editor: Editor?, file: PsiFile?) {
        // A preview calls this with a copy of the file.
        if (file?.isPhysical == true) request(project, editor, file)?.let { ask(project, it) }
    }

    private fun request(project: Project, editor: Editor?, file: PsiFile?): String? {
        val line = (editor ?: return null).document.getLineNumber(editor.caretModel.offset) + 1
        val problem = problems(project).marked(file ?: return null)?.firstOrNull { it.place.line == line } ?: return null
        val path = file.virtualFile.path.removePrefix(project.basePath.orEmpty() + "/")
        return Texts["fix.prompt", problem.message.trimEnd('.'), Mentions.written("$path:$line").trim()]
    }

    private companion object {
        fun write(project: Project, text: String) = ChatCommand.show(project) { it.write(text) }
    }
}

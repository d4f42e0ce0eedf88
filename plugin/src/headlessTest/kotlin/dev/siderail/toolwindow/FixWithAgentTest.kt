package dev.siderail.toolwindow

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.editor.CaretModel
import com.intellij.openapi.editor.Editor
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Computable
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import dev.siderail.document.WriterFixture
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.psi.CodePlace
import dev.siderail.psi.Problem
import dev.siderail.psi.ProblemFinder
import dev.siderail.psi.Severity
import java.lang.reflect.Proxy
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FixWithAgentTest {
    private val ide = WriterFixture()
    private val project: Project = ide.platform.project

    private val marks = object : ProblemFinder {
        override fun syntaxErrors(file: PsiFile) = emptyList<Problem>()

        override fun marked(file: PsiFile) = listOf(Problem(Severity.ERROR, "Cannot resolve symbol 'y'.", CodePlace(file.virtualFile, 2, 5, "")))
    }

    private fun editorAt(file: PsiFile, offset: Int): Editor {
        val caret = stand(CaretModel::class.java) { offset }
        val document = FileDocumentManager.getInstance().getDocument(file.virtualFile)
        return stand(Editor::class.java) { name -> if (name == "getDocument") document else caret }
    }

    private fun <T> stand(type: Class<T>, answer: (String) -> Any?): T =
        type.cast(Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { _, method, _ -> answer(method.name) })

    @Test
    fun `a marked line offers a message to the agent, other lines do not, and a copy for a preview writes none`() {
        ide.put("a.toy", "x = 1;\nz = y;\n")
        val written = ArrayList<String>()
        val fix = FixWithAgent({ marks }) { _, text -> written += text }
        onEventThread {
            ApplicationManager.getApplication().runReadAction(
                Computable {
                    val file = PsiManager.getInstance(project).findFile(StandardFileSystems.local().refreshAndFindFileByPath("${ide.path("a.toy")}")!!)!!
                    assertFalse(fix.isAvailable(project, editorAt(file, 2), file))
                    assertTrue(fix.isAvailable(project, editorAt(file, 9), file))
                    assertFalse(fix.isAvailable(project, null, file))
                    fix.invoke(project, editorAt(file, 9), file)
                    val copy = file.copy() as PsiFile
                    fix.invoke(project, editorAt(file, 9), copy)
                },
            )
        }
        assertEquals(1, written.size)
        assertTrue(written[0].startsWith("Fix this problem: Cannot resolve symbol 'y', in @") && written[0].endsWith("a.toy:2"), written[0])
    }
}

package dev.siderail.psi

import com.intellij.openapi.command.undo.UndoManager
import com.intellij.psi.PsiManager
import com.intellij.testFramework.LightVirtualFile
import com.intellij.util.IncorrectOperationException
import dev.siderail.document.WriterFixture
import dev.siderail.headless.ToyIndex
import dev.siderail.headless.ToyLanguage
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows

/**
 * The platform's own rename, as in an IDE: where it would ask a person, it has to say why it was not done. There is no screen
 * here, so that a dialog that opens all the same is an error.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeRenamingTest {
    private val ide = WriterFixture()
    private val project = ide.platform.project

    @BeforeEach
    fun files() {
        ide.put("a.toy", "old = 1;\nuse = old;\n")
        ide.put("b.toy", "other = old;\n")
        ToyIndex.files.clear()
        listOf("a.toy", "b.toy").mapTo(ToyIndex.files, ide::virtualFile)
        // Tests of the platform are not asked anything: it has to believe that this is not one.
        ide.platform.application.hasScreen = true
    }

    @AfterEach
    fun close() {
        ide.platform.application.hasScreen = false
    }

    private fun rename(name: String): List<String> {
        var said = Result.success(emptyList<String>())
        WriterFixture.onEventThread {
            val file = checkNotNull(PsiManager.getInstance(project).findFile(ide.virtualFile("a.toy")))
            said = runCatching { IdeRenaming(project).rename(file.children.first { it is ToyLanguage.Statement }, name) }
        }
        return said.getOrThrow()
    }

    private fun texts() = ide.texts("a.toy") + ide.texts("b.toy")

    @Test
    fun `a declaration and its uses get the name, which can be undone from each file`() {
        assertEquals(emptyList<String>(), rename("fresh"))
        assertEquals("fresh = 1;\nuse = fresh;\nother = fresh;\n", texts())
        for (name in listOf("a.toy", "b.toy")) WriterFixture.onEventThread {
            val editor = ide.platform.editor(ide.virtualFile(name), ide.document(name))
            assertTrue(UndoManager.getInstance(project).isUndoAvailable(editor), name)
        }
    }

    @Test
    fun `a name that is taken is said and not asked about, and nothing is renamed`() {
        assertEquals(listOf("<b>use</b> is declared already"), rename("use"))
        assertEquals(BEFORE, texts())
    }

    @Test
    fun `a use that cannot be changed is said and not asked about, and nothing is renamed`() {
        ToyIndex.files += LightVirtualFile("locked.toy", ToyLanguage.FileType, "third = old;\n").apply { isWritable = false }
        assertEquals(listOf("it is used in locked.toy, which is read-only"), rename("fresh"))
        assertEquals(BEFORE, texts())
    }

    @Test
    fun `a name that the language refuses is refused without a dialog`() {
        val refused = assertThrows<IncorrectOperationException> { rename(ToyLanguage.REFUSED) }
        assertEquals("${ToyLanguage.REFUSED} is no name", refused.message)
        assertEquals(BEFORE, texts())
    }

    private companion object {
        const val BEFORE = "old = 1;\nuse = old;\nother = old;\n"
    }
}

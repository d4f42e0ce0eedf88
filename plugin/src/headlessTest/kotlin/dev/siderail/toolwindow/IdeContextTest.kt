package dev.siderail.toolwindow

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.editor.Editor
import com.intellij.openapi.editor.SelectionModel
import com.intellij.openapi.editor.colors.ColorKey
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.FileStatus
import com.intellij.openapi.vcs.VcsException
import com.intellij.openapi.vcs.changes.Change
import com.intellij.openapi.vcs.changes.ChangeListManager
import com.intellij.openapi.vcs.changes.ContentRevision
import com.intellij.openapi.vcs.history.VcsRevisionNumber
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiFile
import dev.siderail.bridge.TextChange
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.engine.Attachment
import dev.siderail.headless.NoEditors
import dev.siderail.headless.OnlyChanges
import dev.siderail.headless.StandIns
import dev.siderail.psi.CodePlace
import dev.siderail.psi.Problem
import dev.siderail.psi.ProblemFinder
import dev.siderail.psi.Severity
import dev.siderail.tools.ToolFixture
import dev.siderail.ui.Texts
import java.awt.Color
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeContextTest {
    private val ide = ToolFixture()
    private val real = ide.files.platform.project
    private var opened: VirtualFile? = null
    private var editor: Editor? = null
    private val changes = ArrayList<Change>()
    private var problems: () -> List<Problem>? = { null }

    /** The project in its folder, with what an IDE would have open and what version control would say. */
    private val project = object : Project by real {
        override fun getBasePath() = ide.files.folder.root.toString()

        override fun <T : Any?> getComponent(type: Class<T>): T? =
            if (type == FileEditorManager::class.java) type.cast(Editors()) else real.getComponent(type)

        override fun <T : Any?> getService(type: Class<T>): T? = when (type) {
            FileEditorManager::class.java -> type.cast(Editors())
            ChangeListManager::class.java -> type.cast(OnlyChanges(changes))
            else -> real.getService(type)
        }
    }
    private val finder = object : ProblemFinder {
        override fun syntaxErrors(file: PsiFile) = emptyList<Problem>()

        override fun marked(file: PsiFile) = problems()
    }
    private val context = IdeContext(project, finder) { task -> ApplicationManager.getApplication().invokeLater({ task() }, ModalityState.any()) }

    private inner class Editors : NoEditors(real) {
        override fun getSelectedTextEditor() = editor

        override fun getSelectedFiles() = listOfNotNull(opened).toTypedArray()
    }

    private fun find(query: String): List<Mention> {
        val found = CompletableFuture<List<Mention>>()
        onEventThread { context.find(query, found::complete) }
        return found.get(20, TimeUnit.SECONDS)
    }

    /** What [label] attaches, and what the person reads. */
    private fun attached(label: String): Pair<Attachment?, String> {
        val attached = CompletableFuture<Pair<Attachment?, String>>()
        onEventThread {
            context.find("") { own ->
                own.single { it.label == label }.attach!!.invoke { found, problem -> attached.complete(found to problem) }
            }
        }
        return attached.get(20, TimeUnit.SECONDS)
    }

    private fun text(label: String): Attachment.Text {
        val (found, problem) = attached(label)
        assertEquals("", problem)
        return found as Attachment.Text
    }

    @Test
    fun `an at sign alone offers what the person has before them, and letters find files and symbols`() {
        ide.files.put("user names.toy", "userName = 1;\nother = 2;\n")
        ide.index("user names.toy")
        assertEquals(listOf("selection", "problems", "diff"), find("").map { it.label })
        assertEquals(listOf("user names.toy", "user names.toy:1"), find("user").map { it.path })
        assertEquals(listOf("diff"), find("dif").map { it.label })
    }

    @Test
    fun `what is not there attaches nothing`() {
        for (label in listOf("selection", "problems", "diff")) assertEquals(null to "", attached(label), label)
    }

    @Test
    fun `the selection goes along with its file and lines`() {
        ide.files.put("src/a.toy", "a = 1;\nb = 2;\nc = 3;\n")
        val document = ide.files.document("src/a.toy")
        fun select(from: Int, to: Int) {
            val places = mapOf("getSelectedText" to document.text.substring(from, to), "getSelectionStart" to from, "getSelectionEnd" to to)
            val model = StandIns.quiet(SelectionModel::class.java, places)
            editor = StandIns.quiet(Editor::class.java, mapOf("getSelectionModel" to model, "getDocument" to document))
        }
        select(7, 20)
        text("selection").let { assertEquals("src/a.toy:2-3" to "b = 2;\nc = 3;", it.name to it.text) }
        select(7, 13)
        text("selection").let { assertEquals("src/a.toy:2" to "b = 2;", it.name to it.text) }
        select(6, 7)
        assertNull(attached("selection").first, "nothing but a line's end")
    }

    @Test
    fun `problems of the open file go along with their lines`() {
        ide.files.put("src/a.toy", "a = 1;\nb = 2;\n")
        val file = ide.files.virtualFile("src/a.toy").also { opened = it }
        problems = { listOf(Problem(Severity.ERROR, "b is not known", CodePlace(file, 2, 1, ""))) }
        text("problems").let { assertEquals("problems: src/a.toy" to "src/a.toy:2: error: b is not known", it.name to it.text) }
        problems = { error("the analysis broke") }
        assertEquals(null to Texts["context.unread", "the analysis broke"], attached("problems"))
    }

    @Test
    fun `uncommitted changes go along as a diff`() {
        change(Revision("src/a.toy") { "a = 1;\n" }, Revision("src/a.toy") { "a = 2;\n" })
        change(null, Revision("new.toy") { "n = 1;\n" })
        change(Revision("old.toy") { "o = 1;\n" }, null)
        change(Revision("same.toy") { "s = 1;\n" }, Revision("same.toy") { "s = 1;\n" })
        val expected = listOf(
            TextChange("src/a.toy", "a = 1;\n", "a = 2;\n"), TextChange("new.toy", null, "n = 1;\n"), TextChange("old.toy", "o = 1;\n", null),
        )
        assertEquals(Attachment.Diff("diff", expected) to "", attached("diff"))
    }

    @Test
    fun `a revision that cannot be read is told to the person, and the rest goes along`() {
        change(Revision("a.toy") { throw VcsException("no such commit") }, Revision("a.toy") { "a = 2;\n" })
        val (none, why) = attached("diff")
        assertNull(none)
        assertTrue("a.toy" in why && "no such commit" in why, why)
        change(null, Revision("new.toy") { "n = 1;\n" })
        val (rest, still) = attached("diff")
        assertEquals(listOf(TextChange("new.toy", null, "n = 1;\n")), (rest as Attachment.Diff).changes)
        assertEquals(why, still)
    }

    private fun change(before: Revision?, after: Revision?) {
        changes += Change(before, after, Changed)
    }

    /** The platform's own statuses need texts that its jar lacks. */
    private object Changed : FileStatus {
        override fun getText() = "changed"
        override fun getColor(): Color? = null
        override fun getColorKey(): ColorKey = throw UnsupportedOperationException()
        override fun getId() = "CHANGED"
    }

    private inner class Revision(private val name: String, private val text: () -> String) : ContentRevision {
        override fun getContent() = text()

        override fun getFile(): FilePath = StandIns.quiet(FilePath::class.java, mapOf("getPath" to ide.files.path(name).toString()))

        override fun getRevisionNumber(): VcsRevisionNumber = VcsRevisionNumber.NULL
    }

}

package dev.siderail.toolwindow

import com.intellij.execution.testframework.AbstractTestProxy
import com.intellij.execution.testframework.sm.runner.SMTestProxy
import com.intellij.ide.projectView.PresentationData
import com.intellij.ide.util.treeView.PresentableNodeDescriptor
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.CommonDataKeys
import com.intellij.openapi.actionSystem.DataContext
import com.intellij.openapi.actionSystem.DefaultActionGroup
import com.intellij.openapi.actionSystem.PlatformDataKeys
import com.intellij.openapi.editor.LazyRangeMarkerFactory
import com.intellij.openapi.editor.RangeMarker
import com.intellij.openapi.fileEditor.OpenFileDescriptor
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.WriterFixture
import java.lang.reflect.Proxy
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FixRequestTest {
    private val ide = WriterFixture()
    private val project: Project = ide.platform.project

    init {
        // Places in files ask for it; where they lead is not looked at here.
        ide.platform.project.picoContainer.unregisterComponent(LazyRangeMarkerFactory::class.java.name)
        ide.platform.project.registerService(LazyRangeMarkerFactory::class.java, object : LazyRangeMarkerFactory() {
            override fun createRangeMarker(file: VirtualFile, offset: Int): RangeMarker = error("not needed")

            override fun createRangeMarker(file: VirtualFile, line: Int, column: Int, persistent: Boolean): RangeMarker =
                RangeMarker::class.java.cast(Proxy.newProxyInstance(javaClass.classLoader, arrayOf(RangeMarker::class.java)) { _, _, _ -> null })
        })
    }

    /** As the nodes of the Problems view: its name is the problem's text. */
    private class Node(project: Project, private val text: String?) : PresentableNodeDescriptor<Any>(project, null) {
        override fun update(presentation: PresentationData) = Unit

        override fun getElement() = this

        override fun getName() = text
    }

    private fun context(vararg data: Pair<String, Any?>): DataContext = DataContext { key -> data.toMap()[key] }

    private fun problem(text: String?, line: Int?): FixRequest? {
        ide.put("src/a b.toy", "x = 1;\n")
        val file = StandardFileSystems.local().refreshAndFindFileByPath("${ide.path("src/a b.toy")}")!!
        val place = line?.let { CommonDataKeys.NAVIGATABLE.name to OpenFileDescriptor(project, file, it, 0) }
        val data = listOfNotNull(PlatformDataKeys.SELECTED_ITEM.name to Node(project, text), CommonDataKeys.VIRTUAL_FILE.name to file, place)
        return FixRequest.problem(project, context(*data.toTypedArray()))
    }

    @Test
    fun `a problem of the Problems view is a message with its place, and a file of it one about all in it`() {
        val there = problem("Cannot resolve symbol 'y'.", 2)!!.text
        assertTrue(there.startsWith("Fix this problem: Cannot resolve symbol 'y', in @") && "a b.toy:3" in there, there)
        val nowhere = problem("Module SDK is not defined", null)!!.text
        assertTrue("a b.toy" in nowhere && ":1" !in nowhere, nowhere)
        for (name in listOf("a b.toy", null)) {
            assertTrue(problem(name, -1)!!.text.startsWith("Fix the problems that the IDE finds in @"))
        }
        assertNull(FixRequest.problem(project, context()), "nothing is selected")
    }

    @Test
    fun `a failed test is a message with what it said beside it, others are none`() {
        val test = SMTestProxy("zero", false, "java:test://retry.BackoffTest/zero")
        fun request() = FixRequest.test(context(AbstractTestProxy.DATA_KEY.name to test))
        test.setStarted()
        assertNull(request())
        test.setTestFailed("expected: <0> but was: <1>", "at retry.BackoffTest.zero(BackoffTest.java:12)", false)
        assertEquals("Fix this test, or the code that it tests; it fails: retry.BackoffTest/zero", request()!!.text)
        assertEquals("What zero said", request()!!.attachment!!.name)
        assertEquals("expected: <0> but was: <1>\nat retry.BackoffTest.zero(BackoffTest.java:12)", request()!!.attachment!!.text)
        assertNull(FixRequest.test(context()))
    }

    @Test
    fun `of another test runner's test the name is enough`() {
        val other = object : Any() {
            override fun toString() = "zero"
        }
        assertEquals(FixRequest("Fix this test, or the code that it tests; it fails: zero"), FixRequest.test(context("testProxy" to other)))
    }

    @Test
    fun `the actions are in the menus that this IDE has`() {
        val problems = DefaultActionGroup()
        val action = object : AnAction() {
            override fun actionPerformed(event: AnActionEvent) = Unit
        }
        val known = mapOf("ProblemsView.ToolWindow.TreePopup" to problems, "dev.siderail.FixProblem" to action, "dev.siderail.FixTest" to action)
        val added = ArrayList<Any>()
        FixMenus(known::get) { menu, one -> added.addAll(listOf(menu, one)) }.join()
        assertEquals(listOf(problems, action), added)
    }
}

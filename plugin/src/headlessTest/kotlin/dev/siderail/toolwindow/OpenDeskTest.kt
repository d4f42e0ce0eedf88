package dev.siderail.toolwindow

import com.intellij.openapi.Disposable
import com.intellij.openapi.fileChooser.FileChooserDescriptor
import com.intellij.openapi.fileChooser.FileChooserDialog
import com.intellij.openapi.fileChooser.FileChooserFactory
import com.intellij.openapi.fileChooser.FileSaverDescriptor
import com.intellij.openapi.fileChooser.FileSaverDialog
import com.intellij.openapi.fileChooser.FileTextField
import com.intellij.openapi.fileChooser.PathChooserDialog
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.openapi.vfs.VirtualFileWrapper
import dev.siderail.document.WriterFixture
import dev.siderail.document.WriterFixture.Companion.onEventThread
import java.awt.Component
import java.io.File
import java.util.concurrent.TimeUnit
import javax.swing.JTextField
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** What the platform's choosers are asked and what is made of their answers; the dialogs behind are stand-ins. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenDeskTest {
    private val files = WriterFixture()
    private val choosers = Choosers()
    private val desk = OpenDesk(object : Project by files.platform.project {
        override fun getBasePath() = files.folder.root.toString()
    })

    init {
        // The platform is there once for all tests.
        val application = files.platform.application
        application.picoContainer.unregisterComponent(FileChooserFactory::class.java.name)
        application.registerService(FileChooserFactory::class.java, choosers)
    }

    @Test
    fun `a chosen file is named as below the project, one of elsewhere by its whole path, none by nothing`() {
        files.put("src/a.toy", "")
        val inside = files.virtualFile("src/a.toy")
        assertEquals("src/a.toy", chosen(inside))
        val outside = files.virtualFile("src/a.toy").parent.parent.parent
        assertEquals(outside.path, chosen(outside))
        assertEquals(null, chosen(null))
    }

    private fun <T> answerOf(work: () -> T): T {
        val answers = ArrayList<T>()
        onEventThread { answers += work() }
        return answers.single()
    }

    private fun chosen(file: VirtualFile?): String? {
        choosers.chosen = file
        return answerOf { desk.chooseFile() }
    }

    @Test
    fun `a place to save at is what the dialog gives, and its name is offered`() {
        assertEquals(File("/tmp/chat.md").toPath(), answerOf { desk.chooseTarget("chat.md") })
        assertEquals("chat.md", choosers.offered)
    }

    private class Choosers : FileChooserFactory() {
        var chosen: VirtualFile? = null
        var offered = ""

        override fun createFileChooser(descriptor: FileChooserDescriptor, project: Project?, parent: Component?) = object : FileChooserDialog {
            @Deprecated("of the platform")
            override fun choose(toSelect: VirtualFile?, project: Project?) = listOfNotNull(chosen).toTypedArray()

            override fun choose(project: Project?, vararg toSelect: VirtualFile?) = listOfNotNull(chosen).toTypedArray()
        }

        override fun createPathChooser(descriptor: FileChooserDescriptor, project: Project?, parent: Component?) =
            PathChooserDialog { _, callback -> callback.consume(listOfNotNull(chosen)) }

        override fun createSaveFileDialog(descriptor: FileSaverDescriptor, project: Project?) = FileSaverDialog { _, name ->
            VirtualFileWrapper(File("/tmp", name.orEmpty().also { offered = it }))
        }

        override fun createSaveFileDialog(descriptor: FileSaverDescriptor, parent: Component): FileSaverDialog = throw UnsupportedOperationException()
        override fun createFileTextField(descriptor: FileChooserDescriptor, showHidden: Boolean, parent: Disposable?): FileTextField =
            throw UnsupportedOperationException()
        override fun installFileCompletion(field: JTextField, descriptor: FileChooserDescriptor, showHidden: Boolean, parent: Disposable?) = Unit
    }
}

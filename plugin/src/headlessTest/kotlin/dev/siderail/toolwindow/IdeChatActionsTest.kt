package dev.siderail.toolwindow

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.WriterFixture
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import javax.swing.SwingUtilities
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** A click comes without the lock that reading files needs, and that whatever opens in the IDE takes for granted. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeChatActionsTest {
    private val ide = WriterFixture()
    private val opened = CompletableFuture<String>()
    private val desk = LockedDesk()
    private val actions = IdeChatActions(ide.platform.project, desk) { _, _ -> }

    /** An IDE that opens nothing on a thread that may not read. */
    private inner class LockedDesk : IdeDesk {
        fun note(what: String) {
            try {
                check(SwingUtilities.isEventDispatchThread()) { "$what on another thread" }
                ApplicationManager.getApplication().assertReadAccessAllowed()
                opened.complete(what)
            } catch (error: IllegalStateException) {
                opened.completeExceptionally(error)
            }
        }

        override fun openFile(file: VirtualFile, line: Int) = note("${file.name}:$line")

        override fun showDiff(title: String, changes: List<FileChange>) = note("$title: ${changes.size}")

        override fun chooseFile(): String? = null.also { note("file") }

        override fun chooseTarget(name: String): Path? = null.also { note("target $name") }

        override fun openSettings() = note("settings")
    }

    /** What opens after a click. */
    private fun opens(click: IdeChatActions.() -> Unit): String {
        SwingUtilities.invokeAndWait { actions.click() }
        return opened.get(20, TimeUnit.SECONDS)
    }

    @Test
    fun `the stand-in for the IDE refuses reading in a listener`() {
        SwingUtilities.invokeAndWait {
            assertThrows(IllegalStateException::class.java) { ApplicationManager.getApplication().assertReadAccessAllowed() }
        }
    }

    @Test
    fun `a click on a file opens it at its line`() {
        ide.put("a.toy", "x = 1;\ny = 1;\n")
        assertEquals("a.toy:1", opens { openFile("${ide.path("a.toy")}:2") })
    }

    @Test
    fun `what an image is was looked up before the answer comes with the lock`() {
        ide.put("shot.png", "no image")
        assertEquals("shot.png TYPE", opens { look(listOf(ide.path("shot.png").toFile())) { desk.note("${it.single().file.name} ${it.single().fault}") } })
    }

    @Test
    fun `a diff opens with the lock`() = assertEquals("Edit: 1", opens { showDiff("Edit", listOf(FileChange("a.toy", "", "x = 1;\n"))) })

    @Test
    fun `a file is chosen with the lock`() = assertEquals("file", opens { chooseFile {} })

    @Test
    fun `a place to save at is chosen with the lock`() = assertEquals("target chat.md", opens { save("chat.md", "text") })

    @Test
    fun `the settings open with the lock`() = assertEquals("settings", opens { openSettings() })
}

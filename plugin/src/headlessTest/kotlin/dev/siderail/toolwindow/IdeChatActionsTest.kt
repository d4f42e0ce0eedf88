package dev.siderail.toolwindow

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.WriterFixture
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import javax.swing.SwingUtilities
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** A click comes without the lock that reading files needs. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeChatActionsTest {
    private val ide = WriterFixture()

    @Test
    fun `the stand-in for the IDE refuses reading in a listener`() {
        SwingUtilities.invokeAndWait {
            assertThrows(IllegalStateException::class.java) { ApplicationManager.getApplication().assertReadAccessAllowed() }
        }
    }

    @Test
    fun `a click on a file opens it at its line`() {
        ide.put("a.toy", "x = 1;\ny = 1;\n")
        val opened = CompletableFuture<String>()
        val open = { file: VirtualFile, line: Int ->
            try {
                ApplicationManager.getApplication().assertReadAccessAllowed()
                opened.complete("${file.name}:$line")
            } catch (error: IllegalStateException) {
                opened.completeExceptionally(error)
            }
            Unit
        }
        val actions = IdeChatActions(ide.platform.project, open) { _, _ -> }
        SwingUtilities.invokeAndWait { actions.openFile("${ide.path("a.toy")}:2") }
        assertEquals("a.toy:1", opened.get(20, TimeUnit.SECONDS))
    }
}

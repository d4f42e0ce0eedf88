package dev.siderail.toolwindow

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.engine.Attachment
import dev.siderail.tools.ToolFixture
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeContextTest {
    private val ide = ToolFixture()
    private val project = ide.files.platform.project
    private val context = IdeContext(project) { task -> ApplicationManager.getApplication().invokeLater({ task() }, ModalityState.any()) }

    private fun find(query: String): List<Mention> {
        val found = CompletableFuture<List<Mention>>()
        onEventThread { context.find(query, found::complete) }
        return found.get(20, TimeUnit.SECONDS)
    }

    @Test
    fun `an at sign alone offers what the person has before them, and letters find files and symbols`() {
        ide.files.put("user names.toy", "userName = 1;\nother = 2;\n")
        ide.index("user names.toy")
        assertEquals(listOf("selection", "problems", "diff"), find("").map { it.label })
        assertEquals(listOf("user names.toy", "user names.toy:1"), find("user").map { it.path?.substringAfterLast('/') })
        assertEquals(listOf("diff"), find("dif").map { it.label })
    }

    @Test
    fun `what is not there attaches nothing`() {
        for (mention in find("")) {
            if (mention.label == "diff") continue
            val attached = CompletableFuture<Attachment?>()
            onEventThread { mention.attach!!.invoke(attached::complete) }
            assertNull(attached.get(20, TimeUnit.SECONDS), mention.label)
        }
    }
}

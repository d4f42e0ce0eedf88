package dev.siderail.document

import dev.siderail.document.WriterFixture.Companion.PATIENT
import dev.siderail.headless.AskingVersionControl
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** No dialog of version control opens by an agent's doing: it would block all later writes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionControlTest {
    private val ide = WriterFixture()
    private val versionControl = AskingVersionControl(ide.platform)

    @AfterEach
    fun close() = versionControl.close()

    @Test
    fun `nobody is asked whether to add what an agent creates, and its next write goes through`() {
        ide.write("src/new/a.toy", Change.Whole("x = 1;\n"))
        assertEquals(emptyMap<String, List<String>>(), versionControl.asked)
        ide.write("src/new/b.toy", Change.Whole("y = 1;\n"))
        assertEquals("y = 1;\n", ide.onDisk("src/new/b.toy"))
    }

    @Test
    fun `nobody is asked whether to remove what an agent deletes or moves over`() {
        ide.put("a.toy", "x = 1;\n")
        ide.put("b.toy", "y = 1;\n")
        ide.put("c.toy", "z = 1;\n")
        ide.relocator.delete(ide.folder.resolve("a.toy"), PATIENT)
        ide.relocator.move(ide.folder.resolve("b.toy"), ide.folder.resolve("c.toy"), true, PATIENT)
        assertEquals(emptyMap<String, List<String>>(), versionControl.asked)
        assertEquals("y = 1;\n", ide.onDisk("c.toy"))
    }

    @Test
    fun `what a person creates is asked about as ever`() {
        ide.put("a.toy", "x = 1;\n")
        val folder = ide.virtualFile("a.toy").parent
        WriterFixture.onEventThread {
            Command.run(ide.platform.project, "New file") {
                ide.platform.application.runWriteAction { folder.createChildData(this, "mine.toy") }
            }
        }
        assertEquals(mapOf("Add File to Git" to listOf(ide.path("mine.toy").toString())), versionControl.asked)
    }
}

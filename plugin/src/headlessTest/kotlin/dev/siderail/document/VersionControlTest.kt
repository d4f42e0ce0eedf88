package dev.siderail.document

import dev.siderail.document.WriterFixture.Companion.PATIENT
import dev.siderail.headless.AskingVersionControl
import java.nio.file.Files
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** No dialog of version control opens by an agent's doing: it would block all later writes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionControlTest {
    private val ide = WriterFixture()
    private val other = WriterFixture()
    private val versionControl = AskingVersionControl(ide.platform, without = other.folder.root)

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
    fun `nobody is asked about what an agent moves into version control or out of it`() {
        val both = ProjectFolder(ide.folder.root, listOf(other.folder.root))
        val relocator = FileRelocator(ide.platform.project, ide.eventThread, ide.reader) { file -> "Git".takeIf { versionControl.isVersioned(file.path) } }
        other.put("in.toy", "x = 1;\n")
        other.put("folder/deep/a.toy", "y = 1;\n")
        ide.put("out.toy", "z = 1;\n")
        ide.put("old.toy", "replaced = 1;\n")
        ide.type("old.toy", "typed, replaced = 1;\n")
        other.type("in.toy", "typed = 1;\n")
        for ((from, to) in listOf(
            other.path("in.toy") to ide.path("old.toy"),
            other.path("folder") to ide.path("new/folder"),
            ide.path("out.toy") to other.path("out.toy"),
        )) relocator.move(both.confined(from), both.confined(to), true, PATIENT)
        assertEquals(emptyMap<String, List<String>>(), versionControl.asked)
        // Version control may also ask at the end of the next command.
        ide.write("b.toy", Change.Whole("w = 1;\n"))
        assertEquals(emptyMap<String, List<String>>(), versionControl.asked)
        assertEquals("typed = 1;\n", ide.onDisk("old.toy"))
        assertEquals("typed = 1;\n", ide.read("old.toy").text)
        assertEquals("y = 1;\n", ide.onDisk("new/folder/deep/a.toy"))
        assertEquals("z = 1;\n", other.onDisk("out.toy"))
        assertEquals(listOf(false, false, false), listOf(other.path("in.toy"), other.path("folder"), ide.path("out.toy")).map(Files::exists))
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

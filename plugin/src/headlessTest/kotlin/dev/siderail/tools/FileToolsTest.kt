package dev.siderail.tools

import dev.siderail.TestFolders
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.ToolErrorCode
import java.nio.file.Files
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** The engine's file tools over genuine documents: what the disk, the editor and a model see of them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileToolsTest {
    private val ide = ToolFixture().apply { tidying = dev.siderail.engine.Tidying.OFF }
    private val files = ide.files

    private fun edit(name: String, old: String, new: String): String =
        ide.text("intellij_write_file", """{"path":"$name","old_text":"$old","new_text":"$new"}""")

    @Test
    fun `what is typed and not saved is read, searched and edited`() {
        files.put("a.toy", "x = 1;\n")
        files.type("a.toy", "x = 1;\ntyped = 1;\n")
        assertTrue("with unsaved changes of the editor" in ide.text("intellij_read_file", """{"path":"a.toy"}"""))
        assertTrue("a.toy:2:1: typed = 1;" in ide.text("search_text", """{"query":"typed"}"""))
        edit("a.toy", "x = 1;", "x = 2;")
        assertEquals("x = 2;\ntyped = 1;\n", files.onDisk("a.toy"))
        assertEquals(listOf("Agent: edit a.toy", "typing"), files.undoAll("a.toy"))
    }

    @Test
    fun `an edit meant for an older text is refused and told what has changed`() {
        files.put("a.toy", "x = 1;\ny = 1;\n")
        val stamp = Regex("stamp (\\w+)").find(ide.text("intellij_read_file", """{"path":"a.toy"}"""))!!.groupValues[1]
        files.type("a.toy", "x = 1;\ny = 7;\n")
        val stale = ide.failure("intellij_write_file", """{"path":"a.toy","content":"new;","expected_stamp":"$stamp"}""")
        assertEquals(ToolErrorCode.STALE, stale.code)
        assertTrue("-y = 1;\n+y = 7;" in stale.text, stale.text)
        assertEquals("x = 1;\ny = 7;\n", files.document("a.toy").text)
    }

    @Test
    fun `unsaved text and a change on the disk are a conflict that the person decides`() {
        files.put("a.toy", "x = 1;\n")
        files.type("a.toy", "typed = 1;\n")
        files.put("a.toy", "from = outside_again;\n")
        val conflict = ide.failure("intellij_write_file", """{"path":"a.toy","old_text":"typed","new_text":"t"}""")
        assertEquals(ToolErrorCode.STALE, conflict.code)
        assertTrue("which of the two is to stay" in conflict.text, conflict.text)
        assertEquals("typed = 1;\n", files.document("a.toy").text)
    }

    @Test
    fun `carriage returns in a model's text never reach the document, and the file keeps its own line ends`() {
        files.put("crlf.toy", "x = 1;\r\ny = 2;\r\n")
        edit("crlf.toy", "x = 1;\\r\\ny = 2;", "x = 3;\\r\\ny = 4;\\rz = 5;")
        assertEquals("x = 3;\r\ny = 4;\r\nz = 5;\r\n", files.onDisk("crlf.toy"))
        assertFalse('\r' in files.document("crlf.toy").text)
    }

    @Test
    fun `positions behind letters of two units and in later edits are those of the document`() {
        files.put("a.toy", "\uD83D\uDE00 one\ntwo ä\n")
        ide.text(
            "intellij_write_file",
            """{"path":"a.toy","edits":[{"old_text":"one","new_text":"\uD83D\uDE00\uD83D\uDE00"},{"old_text":"two ä","new_text":"2"}]}""",
        )
        assertEquals("\uD83D\uDE00 \uD83D\uDE00\uD83D\uDE00\n2\n", files.onDisk("a.toy"))
        assertEquals(1, files.undoAll("a.toy").size)
    }

    @Test
    fun `in a file of mixed line ends only what was edited changes on the disk`() {
        files.put("a.toy", "a = 1;\r\nb = 1;\nc = 1;\r\nd = 1;\ne = 1;\n")
        val written = edit("a.toy", "c = 1;", "c = 2;\\nc2 = 2;")
        assertEquals("a = 1;\r\nb = 1;\nc = 2;", files.onDisk("a.toy").substringBefore("c2").trimEnd())
        assertTrue(files.onDisk("a.toy").endsWith("\nd = 1;\ne = 1;\n"), files.onDisk("a.toy"))
        assertEquals("a = 1;\nb = 1;\nc = 2;\nc2 = 2;\nd = 1;\ne = 1;\n", files.document("a.toy").text)
        assertTrue("Note: its line ends are mixed" in written, written)
        assertFalse(files.read("a.toy").conflict, "the editor and the disk are one")
        edit("a.toy", "b = 1;", "b = 2;")
        assertTrue(files.onDisk("a.toy").startsWith("a = 1;\r\nb = 2;\n"), "again")
        assertEquals(2, files.undoAll("a.toy").size, "one step each")
    }

    @Test
    fun `names of a file are found, and told with what has become of them`() {
        val outside = TestFolders.create("outside").resolve("kept.toy")
        Files.writeString(outside, "x = 1;\n")
        Files.createLink(files.path("a.toy"), outside)
        assertTrue("outside the project" in edit("a.toy", "x = 1;", "x = 2;"))
        assertEquals("x = 1;\n", Files.readString(outside))
        assertFalse("hard links" in edit("a.toy", "x = 2;", "x = 3;"), "it is one of its own now")
        files.put("sub/b.toy", "y = 1;\n")
        Files.createLink(files.path("b.toy"), files.path("sub/b.toy"))
        assertTrue("2 names in the project" in edit("b.toy", "y = 1;", "y = 2;"))
        assertEquals("y = 2;\n", files.onDisk("sub/b.toy"))
    }

    @Test
    fun `folders that the project leaves out are neither listed nor searched, unless they are named`() {
        files.put("src/a.toy", "needle\n")
        files.put("excluded/b.toy", "needle\n")
        files.virtualFile("excluded/b.toy")
        assertTrue("1 matching lines in 1 files" in ide.text("search_text", """{"query":"needle"}"""))
        assertEquals("1 files in the project\nsrc/a.toy\n", ide.text("list_project_files", "{}"))
        assertTrue("excluded/b.toy:1:1" in ide.text("search_text", """{"query":"needle","path":"excluded"}"""))
    }

    @Test
    fun `a query of more than 64 KB is refused before it is compiled`() {
        val refused = ide.failure("search_text", """{"query":"${"(a|b)".repeat(14_000)}","regex":true}""")
        assertEquals(ToolErrorCode.INVALID_PARAM, refused.code)
        assertTrue("more than 65536" in refused.text, refused.text.takeLast(80))
    }

    @Test
    fun `calls that are cancelled are answered once, and the next one goes on`() {
        files.put("a.toy", "x = 1;\n")
        val calls = (1..20).map { ide.start("intellij_read_file", """{"path":"a.toy"}""") }
        calls.forEach { ide.cancel(it.number) }
        for (call in calls) {
            val reply = call.reply()
            assertTrue(reply is HostReply.Tool || (reply as HostReply.Failed).code == ToolErrorCode.CANCELLED, "$reply")
        }
        assertTrue("x = 1;" in ide.text("intellij_read_file", """{"path":"a.toy"}"""))
    }
}

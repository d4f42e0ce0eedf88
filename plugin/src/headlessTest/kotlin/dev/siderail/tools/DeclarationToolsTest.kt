package dev.siderail.tools

import dev.siderail.bridge.HostReply
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.headless.AskingVersionControl
import dev.siderail.psi.FileInspection
import java.nio.file.Files
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Going to declarations, up and down from them, renaming, inspecting closed files and fixing what is found. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeclarationToolsTest {
    private val ide = ToolFixture()
    private val files = ide.files

    @Test
    fun `a declaration is shown with its lines, from its name and from a use`() {
        files.put("a.toy", "first = 1;\nsecond =\n  first;\n")
        ide.index("a.toy")
        val byUse = ide.text("go_to_declaration", """{"path":"a.toy","line":3,"column":4}""")
        assertTrue(byUse.startsWith("a.toy:1:") && byUse.endsWith("first\n1: first = 1;\n"), byUse)
        val byName = ide.text("go_to_declaration", """{"symbol":"second"}""")
        assertTrue(byName.contains("2: second =\n3:   first;\n"), byName)
        files.put("long.toy", "long =\n" + "\n".repeat(50) + "1;\n")
        ide.index("long.toy")
        val cut = ide.text("go_to_declaration", """{"symbol":"long"}""")
        assertTrue(cut.endsWith("30: \nIt goes on to line 52.\n"), cut)
        assertEquals(ToolErrorCode.SYMBOL_NOT_FOUND, ide.failure("go_to_declaration", """{"symbol":"nope"}""").code)
        assertEquals(ToolErrorCode.INVALID_PARAM, ide.failure("go_to_declaration", """{"path":"a.toy"}""").code)
    }

    @Test
    fun `what implements a declaration is found, and what it implements`() {
        files.put("a.toy", "top = 1;\nmiddle = top;\nother = top;\nlow = middle;\n")
        ide.index("a.toy")
        val below = ide.text("get_hierarchy", """{"symbol":"top"}""").lines()
        assertEquals("2 declarations implement, extend or override top", below[0])
        assertEquals(listOf("a.toy:2:", "a.toy:3:"), below.subList(1, 3).map { it.take(8) })
        val above = ide.text("get_hierarchy", """{"symbol":"low","direction":"up"}""")
        assertTrue(above.startsWith("1 declarations are implemented, extended or overridden by low\na.toy:2:"), above)
        assertTrue("complete and final" in ide.text("get_hierarchy", """{"symbol":"low"}"""))
        assertEquals(ToolErrorCode.INVALID_PARAM, ide.failure("get_hierarchy", """{"symbol":"low","direction":"left"}""").code)
    }

    @Test
    fun `a rename changes all files, saves them and is one step of undo`() {
        files.put("a.toy", "old = 1;\n")
        files.put("b.toy", "use = old;\n")
        ide.index("a.toy", "b.toy")
        val reply = ide.reply("rename_symbol", """{"symbol":"old","new_name":"fresh"}""") as HostReply.Tool
        assertEquals(listOf("a.toy", "b.toy"), reply.filesWritten)
        assertEquals(listOf("fresh = 1;\n", "use = fresh;\n"), listOf("a.toy", "b.toy").map(files::onDisk))
        val taken = ide.failure("rename_symbol", """{"symbol":"fresh","new_name":"use"}""")
        assertTrue("use is declared already" in taken.text && "nothing was renamed" in taken.text, taken.text)
        assertEquals(ToolErrorCode.INVALID_PARAM, ide.failure("rename_symbol", """{"symbol":"fresh","new_name":"a b"}""").code)
        assertEquals("fresh = 1;\n", files.onDisk("a.toy"))
    }

    @Test
    fun `what a rename changes, a file's own name too, is told as it was before, also where it was not saved`() {
        files.put("old.toy", "\uFEFFold = 1;\r\n")
        files.put("b.toy", "use = old;\n")
        files.put("c.toy", "other = 1;\n")
        ide.index("old.toy", "b.toy", "c.toy")
        files.type("b.toy", "typed = old;\n")
        files.type("c.toy", "mine = 1;\n")
        val reply = ide.reply("rename_symbol", """{"symbol":"old","new_name":"fresh"}""") as HostReply.Tool
        val expected = listOf(
            HostReply.Before("b.toy", true, "typed = old;\n"),
            HostReply.Before("fresh.toy", false, null),
            HostReply.Before("old.toy", true, "\uFEFFold = 1;\r\n"),
        )
        assertEquals(expected, reply.before)
        assertEquals(listOf("b.toy", "fresh.toy", "old.toy"), reply.filesWritten)
        assertEquals("typed = fresh;\n", files.onDisk("b.toy"))
        assertEquals("\uFEFFfresh = 1;\r\n", files.onDisk("fresh.toy"))
        assertEquals("other = 1;\n", files.onDisk("c.toy"), "what the person types is not saved by it")
    }

    @Test
    fun `a closed file is inspected, and the fixes that need no dialog are named`() {
        files.put("a.toy", "lucky = 7;\nbad = 13;\nlost = mustBeThere;\n")
        val problems = ide.text("get_problems", """{"path":"a.toy"}""")
        assertTrue("a.toy:2:1: warning: bad = 13; is unlucky [apply_quick_fix: Take 12]\n" in problems.replace("2:0", "2:1"), problems)
        assertTrue("warning: `mustBeThere` leads to no declaration\n" in problems, problems)
        assertTrue("Looked at in 1 of 1 files: syntax, references and inspections" in problems, problems)
        assertFalse("Choose another" in problems, problems)
    }

    @Test
    fun `a fix is applied as a step of its own, saved, and answered with its diff`() {
        files.put("a.toy", "bad = 13;\n")
        val fixed = ide.text("apply_quick_fix", """{"path":"a.toy","line":1}""")
        assertTrue(fixed.startsWith("applied `Take 12`\n") && "+bad = 12;" in fixed, fixed)
        assertEquals("bad = 12;\n", files.onDisk("a.toy"))
        files.put("c.toy", "bad = 13;\n")
        val before = (ide.reply("apply_quick_fix", """{"path":"c.toy","line":1}""") as HostReply.Tool).before
        assertEquals(listOf(HostReply.Before("c.toy", true, "bad = 13;\n")), before)
        val none = ide.failure("apply_quick_fix", """{"path":"a.toy","line":1}""")
        assertEquals(ToolErrorCode.NOT_APPLICABLE, none.code)
        files.put("b.toy", "bad = 13;\n")
        assertTrue("Take 12" in ide.failure("apply_quick_fix", """{"path":"b.toy","line":1,"fix":"Other"}""").text)
    }

    @Test
    fun `a fix that creates, deletes and moves files opens no dialog, and all of them are told as they were, in folders, too`() {
        for (name in listOf("a", "gone/b", "gone/deep/c", "old/d")) files.put("$name.toy", "$name = 14;\n".substringAfterLast('/'))
        Files.createSymbolicLink(files.path("gone/link"), files.path("old"))
        AskingVersionControl(files.platform).use { versionControl ->
            val reply = ide.reply("apply_quick_fix", """{"path":"a.toy","line":1}""") as HostReply.Tool
            assertEquals(emptyMap<String, List<String>>(), versionControl.asked)
            val expected = listOf(
                HostReply.Before("gone/b.toy", true, "b = 14;\n"),
                HostReply.Before("gone/deep/c.toy", true, "c = 14;\n"),
                HostReply.Before("made.toy", false, null),
                HostReply.Before("new/d.toy", false, null),
                HostReply.Before("old/d.toy", true, "d = 14;\n"),
            )
            assertEquals(expected, reply.before)
            assertFalse(versionControl.asksAbout(files.path("made.toy")), "it may ask a moment later")
            assertTrue(versionControl.asksAbout(files.path("another.toy")))
            ide.text("intellij_write_file", """{"path":"a.toy","content":"a = 1;\n"}""")
        }
    }

    @Test
    fun `a write says what inspections find in the lines that it changed, of a closed file, too`() {
        files.put("a.toy", "before = 13;\ngood = 1;\n")
        val written = ide.text("intellij_write_file", """{"path":"a.toy","old_text":"good = 1","new_text":"good = 13"}""")
        assertTrue("New problems:\n2:" in written && "good = 13; is unlucky" in written, written)
        assertFalse("before = 13; is unlucky" in written, written)
    }

    @Test
    fun `while the IDE indexes a write is written, and problems are those of the syntax`() {
        files.put("a.toy", "good = 1;\n")
        files.platform.indexing = true
        try {
            val written = ide.text("intellij_write_file", """{"path":"a.toy","content":"bad = 13;\n"}""")
            assertFalse("unlucky" in written, written)
            val problems = ide.text("get_problems", """{"path":"a.toy"}""")
            assertTrue("syntax only" in problems, problems)
            assertEquals(ToolErrorCode.INDEX_NOT_READY, ide.failure("rename_symbol", """{"path":"a.toy","line":1,"new_name":"x"}""").code)
        } finally {
            files.platform.indexing = false
        }
    }

    @Test
    fun `descriptions of inspections lose their placeholders`() {
        assertEquals("x > 1 may be null", FileInspection.plain("<code>#ref</code> may be <b>null</b> #loc", "x > 1"))
        assertEquals("List<string> &gt; is 1 & 2", FileInspection.plain("#ref is<br>1 &amp; 2", "List<string>\n  &gt;"))
    }
}

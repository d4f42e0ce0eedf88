package dev.siderail.tools

import com.intellij.openapi.util.Computable
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.psi.GotoSymbolSearch
import dev.siderail.psi.IndexedSteps
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CodeToolsTest {
    private val ide = ToolFixture()
    private val files = ide.files

    @Test
    fun `symbols are found by beginning, humps and inside, the best first`() {
        files.put("a.toy", "userName = 1;\nun = 2;\notherUserName = 3;\nfoo = 4;\n")
        ide.index("a.toy")
        val found = ide.text("search_symbols", """{"query":"un"}""").lines()
        assertEquals("2 symbols for `un` in ${files.platform.project.name}", found[0])
        assertEquals(listOf("a.toy:2: ", "a.toy:1: "), found.subList(1, 3).map { it.take(9) })
        val nothing = ide.text("search_symbols", """{"query":"zzz"}""")
        assertTrue("complete and final" in nothing, nothing)
    }

    @Test
    fun `a search for symbols reads in short steps, so that typing does not make it begin anew`() {
        files.put("many.toy", (1..200).joinToString("") { "name$it = $it;\n" })
        ide.index("many.toy")
        var steps = 0
        val counted = object : IndexedSteps {
            override fun <T> step(work: () -> T): T {
                steps++
                return files.platform.application.runReadAction(Computable { work() })
            }
        }
        val (found, more) = GotoSymbolSearch(files.platform.project).find(counted, "name", false, 500) { true }
        assertEquals(200, found.size)
        assertEquals(false, more)
        assertTrue(steps >= 20, "$steps")
    }

    @Test
    fun `an outline shows declarations with their lines`() {
        files.put("a.toy", "one = 1;\n\ntwo = 2;\n")
        assertEquals("outline of a.toy\n1: one\n3: two\n", ide.text("get_file_outline", """{"path":"a.toy"}"""))
        files.put("a.unknown", "x\n")
        assertTrue(ide.reply("get_file_outline", """{"path":"a.unknown"}""") is HostReply.Failed)
    }

    @Test
    fun `references are found by name and by place, and a name that is declared twice is asked back`() {
        files.put("a.toy", "x = 1;\ny = x;\nz = x;\n")
        files.put("b.toy", "y = 5;\nw = y;\n")
        ide.index("a.toy", "b.toy")
        val uses = ide.text("find_references", """{"symbol":"x"}""")
        assertEquals("2 references to x, declared at a.toy:1\na.toy:2:5: y = x;\na.toy:3:5: z = x;\n", uses)
        val ambiguous = ide.failure("find_references", """{"symbol":"y"}""")
        assertEquals(ToolErrorCode.AMBIGUOUS_MATCH, ambiguous.code)
        assertTrue("b.toy:1: " in ambiguous.text, ambiguous.text)
        val placed = ide.text("find_references", """{"symbol":"y","path":"b.toy","line":1}""")
        assertTrue("b.toy:2:5: w = y;" in placed, placed)
        assertEquals(ToolErrorCode.SYMBOL_NOT_FOUND, ide.failure("find_references", """{"symbol":"nope"}""").code)
        val at = ide.text("find_references", """{"path":"a.toy","line":1,"column":1}""")
        assertTrue(at.startsWith("2 references to what is at a.toy:1, declared at a.toy:1"), at)
        assertEquals(ToolErrorCode.INVALID_PARAM, ide.failure("find_references", """{"path":"a.toy"}""").code)
    }

    @Test
    fun `columns count characters, in answers of the IDE as in those of a search`() {
        files.put("a.toy", "name = 1;\n😀😀 = name;\n")
        ide.index("a.toy")
        val uses = ide.text("find_references", """{"symbol":"name"}""")
        assertEquals("1 references to name, declared at a.toy:1\na.toy:2:6: 😀😀 = name;\n", uses)
        assertTrue("a.toy:2:6: 😀😀 = name;\n" in ide.text("search_text", """{"query":"name;"}"""))
        val at = ide.text("find_references", """{"path":"a.toy","line":2,"column":6}""")
        assertTrue(at.startsWith("1 references to what is at a.toy:2, declared at a.toy:1"), at)
        assertEquals(ToolErrorCode.SYMBOL_NOT_FOUND, ide.failure("find_references", """{"path":"a.toy","line":2,"column":4}""").code)
    }

    @Test
    fun `problems say what was looked at`() {
        files.put("a.toy", "x = 1;\ny = 2")
        val problems = ide.text("get_problems", """{"path":"a.toy"}""")
        assertTrue(problems.startsWith("1 problems in a.toy\na.toy:2:"), problems)
        assertTrue("Looked at in 1 of 1 files: syntax, references and inspections" in problems, problems)
        files.put("b.toy", "z = 1;\n")
        val folder = ide.text("get_problems", """{"path":"."}""")
        assertTrue(folder.startsWith("1 problems in .\n") && "Looked at in 2 of 2 files: syntax, references and inspections" in folder, folder)
    }

    @Test
    fun `problems say what was left out`() {
        for (name in listOf("a", "b", "c")) files.put("broken/$name.toy", "x = 1")
        val some = ide.text("get_problems", """{"path":"broken","limit":1}""")
        assertTrue(some.startsWith("3 problems in broken\n") && "\nand 2 more: narrow `path`" in some, some)
        repeat(2_001) { files.put("many/f$it.toy", "x = 1;\n") }
        val many = ide.text("get_problems", """{"path":"many"}""")
        assertTrue(many.endsWith("Not complete: only the first 2000 files of many were looked at; name a folder below it.\n"), many)
    }

    @Test
    fun `some lines of a file are formatted and the others left`() {
        files.put("a.toy", "x=1;\ny=2;\nz=3;\n")
        ide.text("format_code", """{"path":"a.toy","start_line":2,"end_line":2}""")
        assertEquals("x=1;\ny = 2;\nz=3;\n", files.onDisk("a.toy"))
    }

    @Test
    fun `text is searched in what the editor holds, and not in what the project leaves out`() {
        files.put("src/a.toy", "find me\nand Me\n")
        files.put("excluded/b.toy", "find me\n")
        files.put("c.bin", byteArrayOf(0, 1, 2))
        files.type("src/a.toy", "unsaved me\n")
        val found = ide.text("search_text", """{"query":"ME"}""")
        assertTrue(found.startsWith("1 matching lines in 1 files for `ME` in the project"), found)
        assertTrue("src/a.toy:1:9: unsaved me\n" in found, found)
        assertTrue("excluded/b.toy:1:6" in ide.text("search_text", """{"query":"me","path":"excluded"}"""))
        val none = ide.text("search_text", """{"query":"nowhere(","case_sensitive":true}""")
        assertTrue("complete and final" in none, none)
        assertEquals(ToolErrorCode.INVALID_PARAM, ide.failure("search_text", """{"query":"(","regex":true}""").code)
        val lines = ide.text("search_text", """{"query":"^\\w+ me${'$'}","regex":true,"limit":1}""")
        assertTrue("src/a.toy:1:1: " in lines, lines)
    }

    @Test
    fun `files are listed by folder, glob and depth, and pages go on`() {
        for (name in listOf("a.toy", "src/b.toy", "src/deep/c.toy", "src/deep/d.txt", "excluded/e.toy")) files.put(name, "x\n")
        assertEquals(
            "4 files in the project\na.toy\nsrc/b.toy\nsrc/deep/c.toy\nsrc/deep/d.txt\n",
            ide.text("list_project_files", "{}"),
        )
        assertEquals("3 files matching `*.toy` in the project\na.toy\nsrc/b.toy\nsrc/deep/c.toy\n", list(""""pattern":"*.toy""""))
        assertEquals("1 files matching `deep/*.txt` in src\nsrc/deep/d.txt\n", list(""""directory":"src","pattern":"deep/*.txt""""))
        assertEquals("4 files in the project\na.toy\nsrc/b.toy\nsrc/deep/ (2 files)\n", list(""""max_depth":2"""))
        val page = list(""""limit":3""")
        assertTrue(page.endsWith("Next: the same call with \"cursor\": \"3\" (1 entries left)\n"), page)
        assertEquals("4 files in the project\nsrc/deep/d.txt\n", list(""""limit":3,"cursor":"3""""))
    }

    private fun list(arguments: String) = ide.text("list_project_files", "{$arguments}")

    @Test
    fun `a long file is read in pieces that say how to go on`() {
        files.put("long.toy", (1..2_000).joinToString("") { "line$it = $it;\n" })
        val first = ide.text("intellij_read_file", """{"path":"long.toy","max_chars":1000}""")
        assertTrue(first.startsWith("long.toy lines 1-"), first)
        val next = Regex("""Next: intellij_read_file (\{.*})\n$""").find(first)!!.groupValues[1]
        val second = ide.text("intellij_read_file", next)
        val end = Regex("""lines 1-(\d+) of 2000""").find(first)!!.groupValues[1].toInt()
        assertTrue(second.startsWith("long.toy lines ${end + 1}-"), second)
        files.put("wide.toy", "x".repeat(5_000))
        assertTrue("[3000 more characters of this line]" in ide.text("intellij_read_file", """{"path":"wide.toy"}"""))
        val missing = ide.failure("intellij_read_file", """{"path":"lonk.toy"}""")
        assertEquals(ToolErrorCode.FILE_NOT_FOUND, missing.code)
        assertTrue("nearest: long.toy" in missing.text, missing.text)
    }

    @Test
    fun `paths for the IDE's own tools are followed and looked for by the engine`() {
        files.put("src/long.toy", "one = 1;\n")
        Files.createSymbolicLink(files.path("alias"), Path.of("src"))
        Files.createSymbolicLink(files.path("out"), dev.siderail.TestFolders.create("outside"))
        val root = files.folder.root
        for (path in listOf("src/long.toy", "alias/long.toy", "src/../alias/long.toy", "file://$root/src/long.toy", "$root/alias/long.toy")) {
            assertTrue("src/long.toy" in ide.text("get_file_outline", """{"path":"$path"}"""), path)
        }
        val missing = ide.failure("get_file_outline", """{"path":"src/lonk.toy"}""")
        assertEquals(ToolErrorCode.FILE_NOT_FOUND, missing.code)
        assertTrue("nearest: src/long.toy" in missing.text, missing.text)
        for (path in listOf("../x.toy", "out", "out/x.toy", "/")) {
            assertEquals(ToolErrorCode.OUTSIDE_PROJECT, ide.failure("get_problems", """{"path":"$path"}""").code, path)
        }
    }

    @Test
    fun `the project is described by what is in it`() {
        files.put("pom.xml", "<project/>\n")
        files.put("src/A.java", "class A {}\n")
        files.put("excluded/B.java", "class B {}\n")
        files.put(".git/HEAD", "ref: refs/heads/topic\n")
        val info = ide.text("get_project_info", "{}")
        for (line in listOf("git: branch topic", "build systems: Maven", "languages (files): Java 1", "files: 2", "tests: Maven in . (run_tests)")) {
            assertTrue("$line\n" in info, info)
        }
    }

    @Test
    fun `the end of the log is read, filtered`() {
        val log = dev.siderail.TestFolders.createFile("idea", ".log")
        Files.writeString(log, (1..300).joinToString("") { "line $it${if (it % 100 == 0) " WARN trouble" else ""}\n" })
        val call = { arguments: String ->
            val members = com.google.gson.JsonParser.parseString(arguments).asJsonObject
            ReadIdeLog({ listOf("/somewhere/other", "C:/Users/me/hidden") }) { log }.run(ToolCall(0, files.folder, Arguments(members), {}, com.intellij.openapi.progress.EmptyProgressIndicator())).text
        }
        assertTrue(call("""{"lines":2}""").endsWith("line 299\nline 300 WARN trouble\n"))
        assertTrue(call("""{"level":"warn"}""").startsWith("the last 3 of 3 fitting lines"))
        Files.writeString(log, "of this one\nINFO opened /somewhere/other/src/Secret.java\n")
        assertTrue(call("{}").endsWith("\nof this one\n"), "lines that name another open project are left out")
        Files.writeString(log, "of this one\nINFO opened C:\\Users\\me\\hidden\\A.java\nINFO {\"path\":\"c:\\\\users\\\\me\\\\hidden\"}\n")
        assertTrue(call("{}").endsWith("\nof this one\n"), "as Windows writes it, too")
        Files.writeString(log, "INFO opened /somewhere/other-two/A.java\nINFO closed /somewhere/other\n")
        assertTrue(call("{}").endsWith("\nINFO opened /somewhere/other-two/A.java\n"), "a folder whose name only begins alike is another one")
    }

    @Test
    fun `the log does not tell of other projects that are open or were, but of this one's folder, and of those around and in it`() {
        val recent = listOf("/code/mine", "/code", "/", "C:/", "/code/mine/part", "/code/shop/Shop.sln", "/code/mine.sln", "/secret/")
        val others = OtherProjects("/code/mine", { listOf("/code", "/code/mine/opened", "/code/shop") }, { recent })
        assertEquals(listOf("/code/mine/opened", "/code/shop", "/secret"), others.folders())
    }
}

package dev.siderail.tools

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.changes.VcsDirtyScopeManager
import com.intellij.openapi.vcs.changes.VcsInvalidated
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.TestFolders
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import com.intellij.openapi.project.Project
import dev.siderail.bridge.QuestionKind
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.Change
import dev.siderail.document.DocumentReader
import dev.siderail.document.DocumentWriter
import dev.siderail.document.EventThread
import dev.siderail.document.ProjectDisk
import dev.siderail.document.TidyWork
import dev.siderail.document.ToolFailure
import dev.siderail.document.WriterFixture
import dev.siderail.document.WriterFixture.Companion.PATIENT
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.engine.Answer
import dev.siderail.engine.Question
import dev.siderail.engine.Tidying
import dev.siderail.headless.HonestApplication
import java.lang.reflect.Proxy
import java.nio.file.Files
import java.awt.EventQueue
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToolHostTest {
    private val ide = ToolFixture()
    private val files = ide.files

    @Test
    fun `a pipe is neither read nor searched, and holds up nothing`() {
        files.put("a.txt", "needle\n")
        check(ProcessBuilder("mkfifo", files.path("pipe").toString()).start().waitFor() == 0)
        val read = ide.failure("intellij_read_file", """{"path":"pipe"}""")
        assertEquals(ToolErrorCode.NOT_TEXT, read.code, read.text)
        assertEquals(ToolErrorCode.NOT_TEXT, ide.failure("search_text", """{"query":"needle","path":"pipe"}""").code)
        assertTrue("a.txt:1:1: needle" in ide.text("search_text", """{"query":"needle"}"""))
    }

    @Test
    fun `ten edits of one file that are started at once land in the order of their start`() {
        files.put("a.toy", "line0 = 0;\n")
        val started = (1..10).map { number ->
            val before = number - 1
            val edit = """{"path":"a.toy","old_text":"line$before = $before;\n","new_text":"line$before = $before;\nline$number = $number;\n"}"""
            ide.start("intellij_write_file", edit)
        }
        started.forEach { assertTrue(it.reply() is HostReply.Tool, it.reply().toString()) }
        assertEquals((0..10).joinToString("") { "line$it = $it;\n" }, files.onDisk("a.toy"))
        assertEquals(10, files.undoAll("a.toy").size)
    }

    @Test
    fun `a read that is started after a write of the same file sees it`() {
        files.put("a.toy", "x = 1;\n")
        val write = ide.start("intellij_write_file", """{"path":"a.toy","content":"x = 2;\n"}""")
        val read = ide.start("intellij_read_file", """{"path":"./a.toy"}""")
        assertTrue("1\tx = 2;" in (read.reply() as HostReply.Tool).text)
        write.reply()
    }

    @Test
    fun `what a model reads of a write is diff, stamp and the errors that it has made`() {
        files.put("a.toy", "x = 1;\n")
        val written = ide.reply("intellij_write_file", """{"path":"a.toy","old_text":"x = 1;","new_text":"y=2;\nz=3"}""")
        val tool = written as HostReply.Tool
        assertEquals(listOf("a.toy"), tool.filesWritten)
        assertTrue(tool.text.startsWith("wrote a.toy, 2 lines, stamp "), tool.text)
        assertTrue("--- a/a.toy\n+++ b/a.toy\n@@ -1 +1,2 @@\n-x = 1;\n+y = 2;\n" in tool.text, tool.text)
        assertTrue("New problems:\n" in tool.text && "a semicolon is missing" in tool.text, tool.text)
        val again = ide.text("intellij_write_file", """{"path":"a.toy","old_text":"y = 2;","new_text":"y = 5;"}""")
        assertFalse("New problems" in again, again)
    }

    @Test
    fun `an import and its use may come with two edits of a turn, and what is unused goes at its end`() {
        files.put("a.toy", "import b;\nx = b;\n")
        val first = ide.text("intellij_write_file", """{"path":"a.toy","old_text":"import b;","new_text":"import c;\nimport b;\nimport unused;"}""")
        assertTrue("imports are optimised when this turn ends" in first, first)
        ide.text("intellij_write_file", """{"path":"a.toy","old_text":"x = b;","new_text":"x = b;\ny = c;"}""")
        assertTrue("import c;" in files.onDisk("a.toy") && "import unused;" in files.onDisk("a.toy"))
        ide.host.turnEnded(1, files.folder.root, emptyList())
        waitFor { files.onDisk("a.toy") == "import b;\nimport c;\nx = b;\ny = c;\n" }
    }

    @Test
    fun `tidying waits for the turn's end, or does not happen, where the person wants it so`() {
        ide.tidying = Tidying.END_OF_TURN
        ide.text("intellij_write_file", """{"path":"a.toy","content":"x=1;y=2;"}""")
        assertEquals("x=1;y=2;", files.onDisk("a.toy"))
        ide.host.turnEnded(2, files.folder.root, emptyList())
        ide.host.turnEnded(1, files.folder.root, emptyList())
        waitFor { files.onDisk("a.toy").startsWith("x = 1;\ny = 2;") }
        ide.tidying = Tidying.OFF
        ide.text("intellij_write_file", """{"path":"b.toy","content":"x=1;"}""")
        ide.host.turnEnded(1, files.folder.root, emptyList())
        assertEquals("x=1;", files.onDisk("b.toy"))
        ide.text("format_code", """{"path":"b.toy"}""")
        assertEquals("x = 1;", files.onDisk("b.toy"))
    }

    @Test
    fun `files of another content root are read, edited as documents, searched, listed, moved and undone`() {
        val other = WriterFixture()
        val root = other.folder.root
        val ide = ToolFixture(files = files, roots = listOf(root))
        files.put("a.toy", "needle = 1;\n")
        other.put("src/b.toy", "needle = 2;\n")
        val b = "$root/src/b.toy"
        assertTrue(ide.text("intellij_read_file", """{"path":"$b"}""").startsWith("$b lines 1-1 of 1"))
        val wrote = ide.text("intellij_write_file", """{"path":"$b","old_text":"needle = 2;","new_text":"needle=3;"}""")
        assertTrue(wrote.startsWith("wrote $b, 1 lines"), wrote)
        assertEquals("needle = 3;\n", other.onDisk("src/b.toy"), "it is formatted, so it went through the document")
        other.type("src/b.toy", "new needle = 3;\n")
        val found = ide.text("search_text", """{"query":"needle"}""")
        assertTrue(found.startsWith("2 matching lines in 2 files"), found)
        assertTrue("a.toy:1:1: needle" in found && "$b:1:5: new needle = 3;" in found, found)
        assertTrue(ide.text("list_project_files", """{"pattern":"*.toy"}""").endsWith("project\na.toy\n$b\n"))
        assertTrue("content root outside of it: $root" in ide.text("get_project_info", "{}"))
        assertTrue(ide.text("get_file_outline", """{"path":"$b"}""").startsWith("outline of $b\n"))
        ide.text("move_file", """{"path":"$b","to":"b.toy"}""")
        assertEquals("new needle = 3;\n", files.read("b.toy").text)
        ide.text("delete_file", """{"path":"b.toy"}""")
        for (path in listOf("$root/../x.toy", "../x.toy")) {
            assertEquals(ToolErrorCode.OUTSIDE_PROJECT, ide.failure("intellij_write_file", """{"path":"$path","content":"x"}""").code, path)
        }
    }

    @Test
    fun `nothing outside the project is read, written, moved or deleted`() {
        val outside = TestFolders.createFile("outside", ".toy")
        Files.createSymbolicLink(files.path("link.toy"), outside)
        for (path in listOf(outside.toString(), "../x.toy", "link.toy", "file://$outside")) {
            for ((tool, more) in listOf("intellij_read_file" to "", "intellij_write_file" to ""","content":"x"""")) {
                assertEquals(ToolErrorCode.OUTSIDE_PROJECT, ide.failure(tool, """{"path":"$path"$more}""").code, "$tool $path")
            }
        }
        files.put("a.toy", "x = 1;\n")
        assertEquals(ToolErrorCode.OUTSIDE_PROJECT, ide.failure("move_file", """{"path":"a.toy","to":"../b.toy"}""").code)
        assertTrue("did you mean a.toy?" in ide.failure("intellij_read_file", """{"path":"/a.toy"}""").text)
        ide.text("delete_file", """{"path":"link.toy"}""")
        assertTrue(Files.exists(outside))
    }

    @Test
    fun `a modal dialog is told at once, and reading goes on under it`() {
        files.put("a.toy", "x = 1;\n")
        files.document("a.toy")
        files.platform.application.dialog = HonestApplication.Dialog
        try {
            assertEquals(ToolErrorCode.MODAL_BLOCKING, ide.failure("intellij_write_file", """{"path":"a.toy","content":"y"}""").code)
            assertTrue("x = 1;" in ide.text("intellij_read_file", """{"path":"a.toy"}"""))
        } finally {
            files.platform.application.dialog = null
        }
    }

    @Test
    fun `while the IDE indexes, what needs the index says so and what does not goes on`() {
        files.put("a.toy", "x=1;\n")
        files.platform.indexing = true
        try {
            assertEquals(ToolErrorCode.INDEX_NOT_READY, ide.failure("search_symbols", """{"query":"x"}""").code)
            val text = ide.text("intellij_write_file", """{"path":"a.toy","content":"y=2;\n"}""")
            assertTrue("not tidied: the IDE is indexing" in text, text)
        } finally {
            files.platform.indexing = false
        }
    }

    @Test
    fun `a call that takes too long is answered, and one that is cancelled stops`() {
        val impatient = ToolFixture(limitMs = 200, files = files)
        impatient.experimental = true
        assertEquals(ToolErrorCode.TIMEOUT, impatient.failure(SLOW, "{}").code)
        waitFor { impatient.slow.noticed }
        ide.experimental = true
        val call = ide.start(SLOW, "{}")
        waitFor { ide.slow.running }
        ide.cancel(call.number)
        assertEquals(ToolErrorCode.CANCELLED, (call.reply() as HostReply.Failed).code)
        waitFor { ide.slow.noticed }
    }

    @Test
    fun `a tool that is switched off is neither offered nor run`() {
        assertFalse(SLOW in ide.host.tools)
        assertEquals(ToolErrorCode.TOOL_DISABLED, ide.failure(SLOW, "{}").code)
        assertEquals(ToolErrorCode.NOT_APPLICABLE, ide.failure("list_terminals", "{}").code)
    }

    @Test
    fun `each tool that the IDE has to perform has its handler here`() {
        val all = ToolFixture(files = files, more = RunTools(unused<RunConfigurations>()).all + TerminalTools(unused<Terminals>()).all).also { it.experimental = true }
        assertEquals(ToolName.entries.filter { it.isOfIde }.map { it.word }.toSet(), all.host.tools.toSet())
        all.experimental = false
        assertEquals(ToolName.entries.filter { it.isOfIde && !it.isExperimental }.map { it.word }.toSet(), all.host.tools.toSet())
    }

    private inline fun <reified T> unused(): T =
        Proxy.newProxyInstance(T::class.java.classLoader, arrayOf(T::class.java)) { _, method, _ -> error(method.name) } as T

    @Test
    fun `a host that is closed answers what still waits`() {
        val other = ToolFixture(files = files)
        other.experimental = true
        val call = other.start(SLOW, "{}")
        other.host.dispose()
        assertEquals(ToolErrorCode.PROJECT_DISPOSED, (call.reply() as HostReply.Failed).code)
        assertEquals(ToolErrorCode.PROJECT_DISPOSED, other.failure("get_project_info", "{}").code)
    }

    /** A project that is closed when a test says so. */
    private class Closing(project: Project) : Project by project {
        @Volatile
        var isClosed = false

        override fun isDisposed() = isClosed
    }

    @Test
    fun `a project that is closed while a write waits for a busy IDE is told at once, and nothing is written`() {
        files.put("a.toy", "x = 1;\n")
        val stamp = files.read("a.toy").modificationStamp
        val project = Closing(files.platform.project)
        val eventThread = EventThread(project)
        val writer = DocumentWriter(project, eventThread, DocumentReader(eventThread))
        val busy = CountDownLatch(1)
        EventQueue.invokeLater { busy.await() }
        val writing = CompletableFuture.supplyAsync {
            runCatching { writer.write(files.folder.resolve("a.toy"), Change.Whole("y"), stamp, {}) { _, _ -> TidyWork.NOTHING } }
        }
        assertFalse(writing.isDone)
        project.isClosed = true
        val failure = writing.get(10, TimeUnit.SECONDS).exceptionOrNull() as ToolFailure
        assertEquals(ToolErrorCode.PROJECT_DISPOSED, failure.code)
        busy.countDown()
        onEventThread {}
        assertEquals("x = 1;\n", files.document("a.toy").text)
    }

    @Test
    fun `a closed project answers every tool with that, and not with a breakdown`() {
        files.put("a.toy", "x = 1;\n")
        val project = Closing(files.platform.project).also { it.isClosed = true }
        val closed = ToolFixture(files = files, project = project)
        for ((tool, arguments) in listOf("intellij_read_file" to """{"path":"a.toy"}""", "search_symbols" to """{"query":"x"}""", "get_project_info" to "{}")) {
            assertEquals(ToolErrorCode.PROJECT_DISPOSED, closed.failure(tool, arguments).code, tool)
        }
    }

    @Test
    fun `an agent's own reading and writing goes through the editor too`() {
        files.put("a.toy", "one = 1;\r\ntwo = 2;\r\nthree = 3;\r\n")
        assertEquals("two = 2;\r\n", read("a.toy", 2, 1))
        val body = JsonObject().apply {
            addProperty("request", "write_text")
            addProperty("path", files.path("a.toy").toString())
            addProperty("content", "one = 2;\n")
        }
        assertTrue((ide.start(body).reply() as HostReply.Written).diff.orEmpty().contains("+one = 2;"))
        assertEquals("one = 2;\r\n", files.onDisk("a.toy"))
        assertEquals(1, files.undoAll("a.toy").size)
    }

    @Test
    fun `before a program all that is typed is on the disk, behind it the editor sees the disk, and a dialog is said`() {
        files.put("a.toy", "x = 1;\n")
        files.type("a.toy", "typed = 1;\n")
        assertEquals(HostReply.Done, ide.start(request("save_documents")).reply())
        assertEquals("typed = 1;\n", files.onDisk("a.toy"))
        files.put("a.toy", "from = a_program;\n")
        assertEquals(HostReply.Done, ide.start(request("refresh_files")).reply())
        assertEquals("from = a_program;\n", files.document("a.toy").text)
        files.platform.application.dialog = HonestApplication.Dialog
        try {
            assertEquals(ToolErrorCode.MODAL_BLOCKING, (ide.start(request("save_documents")).reply() as HostReply.Failed).code)
        } finally {
            files.platform.application.dialog = null
        }
    }

    @Test
    fun `what a turn leaves for its end is done before the end is told`() {
        files.put("a.toy", "x = 1;\n")
        ide.text("intellij_write_file", """{"path":"a.toy","old_text":"x = 1;","new_text":"import b;\nx = 2;"}""")
        assertEquals("import b;\nx = 2;\n", files.onDisk("a.toy"))
        assertEquals(HostReply.Done, ide.start(request("finish_turn")).reply())
        assertEquals("x = 2;\n", files.onDisk("a.toy"))
    }

    @Test
    fun `a change that is taken back is the text that was there, untidy as it was`() {
        val before = "import unused;\nx=1;\n"
        files.put("a.toy", "x = 2;\n")
        val body = request("write_text").apply {
            addProperty("path", files.path("a.toy").toString())
            addProperty("content", before)
            addProperty("exact", true)
        }
        assertTrue(ide.start(body).reply() is HostReply.Written)
        assertEquals(before, files.onDisk("a.toy"))
    }

    @Test
    fun `behind a program the IDE looks at what was written and not at all of the project`() {
        files.put("src/a.toy", "x = 1;\n")
        val folder = files.virtualFile("src")
        val marked = ArrayList<String>()
        val disk = ProjectDisk(files.platform.project, files.eventThread, files.reader) { wholes, folders ->
            wholes.mapTo(marked) { "all of ${it.path}" }
            folders.mapTo(marked) { it.path }
        }
        disk.refresh(files.folder, listOf(files.path("src/a.toy"), files.path("src/new/b.toy"), files.path("src/new/c.toy")), PATIENT)
        assertEquals(listOf("all of ${folder.path}/a.toy", folder.path), marked)
        marked.clear()
        disk.refresh(files.folder, null, PATIENT)
        assertEquals(listOf("all of ${files.folder.root}"), marked)
    }

    @Test
    fun `where no file watcher tells of it, a file that no program named is seen on the disk all the same, also a moment later`() {
        for (name in listOf("src/a.toy", "src/b.toy")) files.put(name, "x = 1;\n").also { files.document(name) }
        files.put("src/a.toy", "named = 1;\n")
        files.put("src/b.toy", "unnamed = 1;\n")
        val body = request("refresh_files").apply { add("paths", JsonArray().apply { add(files.path("src/a.toy").toString()) }) }
        assertEquals(HostReply.Done, ide.start(body).reply())
        assertEquals(listOf("named = 1;\n", "unnamed = 1;\n"), listOf("src/a.toy", "src/b.toy").map { files.document(it).text })
        files.put("src/b.toy", "afterwards = 1;\n")
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20)
        while (files.document("src/b.toy").text != "afterwards = 1;\n") check(System.nanoTime() < end) { "not looked at again" }.also { Thread.sleep(50) }
    }

    @Test
    fun `version control is looked at as a whole only where a program may have changed anything, or its own folder`() {
        files.put("src/a.toy", "x = 1;\n")
        val versionControl = CountingDirtyScopes()
        files.platform.replace(VcsDirtyScopeManager::class.java, versionControl)
        val disk = ProjectDisk(files.platform.project, files.eventThread, files.reader) { _, _ -> }
        disk.refresh(files.folder, listOf(files.path("src/a.toy")), PATIENT)
        assertEquals(0, versionControl.wholes)
        disk.refresh(files.folder, listOf(files.path("src/a.toy"), files.path(".git")), PATIENT)
        assertEquals(1, versionControl.wholes)
        disk.refresh(files.folder, null, PATIENT)
        assertEquals(2, versionControl.wholes)
    }

    /** Counts how often all of the project is to be compared with version control. */
    private class CountingDirtyScopes : VcsDirtyScopeManager() {
        @Volatile
        var wholes = 0

        override fun markEverythingDirty() {
            wholes++
        }

        override fun fileDirty(file: VirtualFile) = Unit
        override fun fileDirty(file: FilePath) = Unit
        override fun dirDirtyRecursively(dir: VirtualFile) = Unit
        override fun dirDirtyRecursively(path: FilePath) = Unit
        override fun retrieveScopes(): VcsInvalidated? = null
        override fun changesProcessed() = Unit
        override fun whatFilesDirty(files: Collection<FilePath>): Collection<FilePath> = emptyList()
        override fun filePathsDirty(filesDirty: Collection<FilePath>?, dirsRecursivelyDirty: Collection<FilePath>?) = Unit
        override fun filesDirty(filesDirty: Collection<VirtualFile>?, dirsRecursivelyDirty: Collection<VirtualFile>?) = Unit
    }

    private fun request(name: String) = JsonObject().apply { addProperty("request", name) }

    private fun read(name: String, line: Int, limit: Int): String {
        val body = JsonObject().apply {
            addProperty("request", "read_text")
            addProperty("path", files.path(name).toString())
            addProperty("line", line)
            addProperty("limit", limit)
        }
        return (ide.start(body).reply() as HostReply.Text).text
    }

    @Test
    fun `a question waits on the desk for as long as it takes, and is taken off with its call`() {
        val impatient = ToolFixture(limitMs = 1)
        val question = """{"question_type":"choice","question":"Which?","options":["a","b"],"default":"b","optional":true}"""
        val call = impatient.start("ask_user", question)
        waitFor { impatient.questions.open.size == 1 }
        val asked = Question(1, QuestionKind.CHOICE, "Which?", listOf("a", "b"), "b", required = false)
        assertEquals(asked, impatient.questions.open.single().question)
        Thread.sleep(200)
        assertTrue(!call.isAnswered, "there is no limit")
        onEventThread { impatient.questions.open.single().answer(Answer.Given("b")) }
        assertEquals("The user answered: b\n", (call.reply() as HostReply.Tool).text)
        val withdrawn = ide.start("ask_user", question)
        waitFor { ide.questions.open.size == 1 }
        ide.cancel(withdrawn.number)
        assertEquals(ToolErrorCode.CANCELLED, (withdrawn.reply() as HostReply.Failed).code)
        waitFor { ide.questions.open.isEmpty() }
        val ended = ide.start("ask_user", question)
        waitFor { ide.questions.open.size == 1 }
        ide.questions.cancel(1)
        assertEquals(ToolErrorCode.CANCELLED, (ended.reply() as HostReply.Failed).code)
        val declined = ide.start("ask_user", """{"question_type":"confirmation","question":"Sure?"}""")
        waitFor { ide.questions.open.size == 1 }
        ide.questions.open.single().answer(Answer.Declined("busy"))
        val failure = declined.reply() as HostReply.Failed
        assertEquals(ToolErrorCode.NOT_APPLICABLE, failure.code)
        assertTrue("not answered: busy" in failure.text, failure.text)
    }

    @Test
    fun `a question of a kind that nobody knows here is refused`() {
        val body = JsonParser.parseString("""{"request":"ask_person","kind":"riddle","text":"?","options":[],"default":null,"required":true}""")
        val reply = CompletableFuture<HostReply>()
        ide.host.start(HostCall(1, 1, ide.files.folder.root, "ask_person", body.asJsonObject)) { reply.complete(it) }
        assertEquals(ToolErrorCode.NOT_APPLICABLE, (reply.get(60, TimeUnit.SECONDS) as HostReply.Failed).code)
    }

    @Test
    fun `a question whose call is cancelled while it is being put is not left on the desk`() {
        ide.questions.watch { open -> if (open.isNotEmpty()) ide.cancel(1) }
        val call = ide.start("ask_user", """{"question_type":"input","question":"Port?"}""")
        assertEquals(1, call.number)
        assertEquals(ToolErrorCode.CANCELLED, (call.reply() as HostReply.Failed).code)
        waitFor { ide.questions.open.isEmpty() }
    }

    private fun waitFor(condition: () -> Boolean) {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
        while (!condition()) {
            check(System.nanoTime() < end) { "it did not happen" }
            Thread.sleep(20)
        }
    }
}

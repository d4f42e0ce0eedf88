package dev.siderail.bridge

import com.google.gson.JsonParser
import dev.siderail.BoundaryFiles
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Path

class MessagesTest {
    @Test
    fun `every event of the engine is read with its number, session and name`() {
        val names = BoundaryFiles.names("event")
        assertTrue(names.size > 20, "the files are there")
        val batch = names.joinToString(",", "[", "]") { String(BoundaryFiles.bytes("event", it)) }
        val events = Event.decodeBatch(batch.toByteArray())
        assertEquals(names.map { it.uppercase() }, events.map { it.name })
        assertEquals(names.map { it.uppercase() }, events.map { it.known?.word }, "all of them are known by name")
        assertTrue(events.all { it.session == 1L && it.turn == 2 && it.t == 1.25 })
        assertEquals(events.size, events.map { it.seq }.toSet().size)
        val message = events.single { it.name == "AGENT_MESSAGE" }
        assertEquals("I will change \"x\".\nè 🦀", message.body["text"].asString)
    }

    @Test
    fun `an event of a later engine keeps its name and is not known`() {
        val event = Event.decodeBatch("""[{"v":1,"seq":1,"t":0.5,"session":1,"turn":1,"event":"LATER_WORD","text":"x"}]""".toByteArray()).single()
        assertEquals("LATER_WORD", event.name)
        assertNull(event.known)
        assertEquals("x", event.body["text"].asString)
    }

    @Test
    fun `a word is read as what it means, and one of a later engine as nothing`() {
        assertEquals(Policy.YOLO, Policy.of("yolo"))
        assertEquals(StopReason.CANCELLED, StopReason.of("cancelled"))
        assertEquals(listOf(null, null, null), listOf(Policy.of("lenient"), StopReason.of("Cancelled"), EventName.of("")))
    }

    @Test
    fun `every host call of the engine is read with what it asks for`() {
        val calls = BoundaryFiles.names("call").associateWith { HostCall.decode(BoundaryFiles.bytes("call", it)) }
        val ofEngine = setOf("tool", "read_text", "write_text", "save_documents", "refresh_files", "finish_turn")
        val ofFileTools = setOf("read_document", "apply_text", "put_line_ends", "delete_path", "move_path", "unsaved_texts", "left_out", "about_project", "ask_person")
        assertEquals(ofEngine + ofFileTools, calls.keys)
        calls.forEach { (name, call) ->
            assertEquals(name, call.request)
            assertEquals(Path.of("/project"), call.project)
            assertEquals(1L, call.session)
        }
        assertEquals("intellij_write_file", calls.getValue("tool").body["name"].asString)
        assertEquals("src/App.java", calls.getValue("tool").body.getAsJsonObject("arguments")["path"].asString)
        assertEquals(3, calls.getValue("read_text").body["line"].asInt)
        assertEquals(listOf("/project/build"), calls.getValue("refresh_files").body.getAsJsonArray("paths").map { it.asString })
        assertTrue(calls.getValue("write_text").body["exact"].asBoolean)
        assertEquals("class App {}\n", calls.getValue("write_text").body["content"].asString)
        assertEquals(15, calls.values.map { it.call }.toSet().size)
    }

    @Test
    fun `every reply is what the engine reads`() {
        val diff = "@@ -1 +1 @@\n-1\n+2\n"
        val replies = mapOf(
            "tool" to HostReply.Tool("written, stamp 5", listOf("src/App.java"), diff),
            "tool.before" to HostReply.Tool(
                "renamed App to Main in 2 files",
                listOf("src/App.java", "src/Main.java"),
                diff,
                before = listOf(HostReply.Before("src/App.java", true, "class App {}\n"), HostReply.Before("src/Main.java", false, null)),
            ),
            "tool.change" to HostReply.Tool(
                "applied `Make it a record`\n",
                listOf("src/App.java"),
                change = TextChange("src/App.java", "class App {}\n", "record App() {}\n"),
            ),
            "text" to HostReply.Text("class App {}\n"),
            "written" to HostReply.Written(diff),
            "done" to HostReply.Done,
            "failed" to HostReply.Failed(
                ToolErrorCode.FILE_NOT_FOUND,
                "there is no src/Ap.java; did you mean src/App.java?",
            ),
            "document" to HostReply.Document("class App {}\n", 12, true, false, "UTF-8", false, "\r\n"),
            "applied" to HostReply.Applied(
                "record App {}\n",
                13,
                true,
                listOf("not formatted: it is too long"),
                listOf("1:1: a semicolon is missing"),
                "there is no room",
            ),
            "unsaved" to HostReply.Unsaved(listOf(Path.of("/project/src/App.java") to "class App {}\n")),
            "left_out" to HostReply.LeftOut(listOf(Path.of("/project/build"))),
            "about_project" to HostReply.AboutProject(listOf("IDE: IntelliJ IDEA 2025.3")),
            "answered" to HostReply.Answered("SQLite"),
            "declined" to HostReply.Declined("later"),
        )
        assertEquals(BoundaryFiles.names("reply"), replies.keys)
        replies.forEach { (name, reply) ->
            assertEquals(BoundaryFiles.json("reply", name), JsonParser.parseString(String(reply.toJson().encode())))
        }
    }

    @Test
    fun `a message without what it must have is refused and not read as zero`() {
        for (wrong in listOf("""[{"event":"SUMMARY"}]""", """[{"seq":1,"t":0.0,"session":1,"turn":1}]""")) {
            assertThrows(IllegalArgumentException::class.java) { Event.decodeBatch(wrong.toByteArray()) }
        }
        assertThrows(IllegalArgumentException::class.java) { HostCall.decode("""{"call":1}""".toByteArray()) }
    }
}

package dev.siderail.engine

import com.google.gson.JsonParser
import dev.siderail.BoundaryFiles
import dev.siderail.bridge.Policy
import dev.siderail.bridge.TextChange
import dev.siderail.bridge.encode
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.nio.file.Path

class CommandsTest {
    private val commands = mapOf(
        "start_session" to Command.StartSession(
            1,
            SessionOptions(
                agent = "claude",
                agentCommand = listOf("claude-agent-acp", "--flag"),
                agentEnv = mapOf("KEY" to "value"),
                policy = Policy.ASK,
                mode = "default",
                consent = listOf("openhands"),
                switches = mapOf("hide" to false),
                numbers = mapOf("deny_threshold" to 4, "inactivity_s" to 600),
                resume = "3f2a91c0",
                trace = Path.of("/tmp/trace.jsonl"),
                contentRoots = listOf(Path.of("/home/me/module")),
            ),
        ),
        "restart_session" to Command.RestartSession(1, SessionOptions("claude", agentEnv = mapOf("KEY" to "value"), policy = Policy.ASK)),
        "prompt" to Command.Prompt(1, "Change x to 2 in \"App\".\nThen é 🦀."),
        "prompt.blocks" to Command.Prompt(
            1,
            "What is this?",
            blocks = listOf(
                """{"type": "text", "text": "What is this?"}""",
                """{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}""",
            ).map { JsonParser.parseString(it).asJsonObject },
            meta = JsonParser.parseString("""{"from": "a client"}""").asJsonObject,
        ),
        "prompt.attachments" to Command.Prompt(
            1,
            "What is this?",
            attachments = listOf(
                Attachment.File(Path.of("/home/me/a b.png")),
                Attachment.Text("src/App.java:3-4", "int x;\nint y;"),
                Attachment.Diff("diff", listOf(TextChange("src/App.java", null, "class App {}\n"))),
                Attachment.Image("image 1", "iVBORw0KGgo="),
            ),
        ),
        "prompt.plan" to Command.Prompt(1, "Change x to 2.", plan = true),
        "set_mode" to Command.SetMode(1, "plan"),
        "set_option" to Command.SetOption(1, "model", "b"),
        "set_content_roots" to Command.SetContentRoots(1, listOf(Path.of("/home/me/other"))),
        "steer" to Command.Steer(1, "And y, too."),
        "cancel" to Command.Cancel(1),
        "revert" to Command.Revert(1, "src/App.java"),
        "list_history" to Command.ListHistory(0, "flaky test"),
        "export_history" to Command.ExportHistory("3f2a91c0"),
        "list_agents" to Command.ListAgents,
        "login" to Command.Login(1, "oauth"),
        "login.env" to Command.Login(1, "key", mapOf("API_KEY" to "k")),
        "login.elsewhere" to Command.Login(1, null),
        "end_session" to Command.EndSession(1, "cancelled"),
        "answer_permission.allow" to answer(PermissionAnswer.Allow),
        "answer_permission.always" to answer(PermissionAnswer.Always),
        "answer_permission.option" to answer(PermissionAnswer.Option("allow_once")),
        "answer_permission.deny" to answer(PermissionAnswer.Deny("not this file")),
    )

    /** Sent by other verbs: an answer by `complete`, the end by `close`. */
    private val elsewhere = setOf("complete", "shutdown")

    private fun answer(answer: PermissionAnswer) = Command.AnswerPermission(1, 3, answer)

    @Test
    fun `every command is what the engine reads`() {
        assertEquals(BoundaryFiles.names("command") - elsewhere, commands.keys)
        commands.forEach { (name, command) ->
            val said = JsonParser.parseString(String(command.toJson().encode())).asJsonObject
            val expected = BoundaryFiles.json("command", name).asJsonObject
            // The engine fills this in by itself: here there is always a person.
            expected["answer"]?.asJsonObject?.remove("nobody")
            assertEquals(expected, said, name)
        }
    }

    @Test
    fun `what is not chosen is left out, so that the settings say it`() {
        val options = Command.StartSession(2, SessionOptions("codex")).toJson().getAsJsonObject("options")
        assertEquals(setOf("agent"), options.keySet())
    }
}

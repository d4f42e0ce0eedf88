package dev.siderail.toolwindow

import com.google.gson.JsonParser
import dev.siderail.BoundaryFiles
import dev.siderail.bridge.OptionKind
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class SessionSettingsTest {
    private fun read(json: String) = SessionSettings.of(JsonParser.parseString(json).asJsonObject)

    @Test
    fun `options are read as the engine writes them`() {
        val settings = SessionSettings.of(BoundaryFiles.json("event", "session_options").asJsonObject)
        assertEquals("plan", settings.mode)
        assertEquals(listOf(Choice("plan", "Plan", "Changes nothing")), settings.modes)
        val model = settings.options.single()
        assertEquals(OptionKind.SELECT, model.kind)
        assertEquals(Choice("b", "B", group = "Fast"), model.chosen)
    }

    @Test
    fun `every shape of an option is shown, the model first, and none breaks the others`() {
        val settings = read(
            """{"modes":[],"options":[
            {"id":"web","name":"Web search","kind":"boolean","current":"true"},
            {"id":"budget","name":"","kind":"unknown","current":"12"},
            {"id":"empty","name":"Empty","kind":"select","current":"x","choices":[]},
            {"id":"new","name":"New","kind":"slider","current":""},
            {"name":"nameless"},
            "no object",
            {"id":"model","name":"Model","category":"model","kind":"select","current":"not offered","choices":[{"value":"a","name":""}]}]}""",
        )
        assertEquals(listOf("model", "web", "budget", "empty", "new"), settings.options.map { it.id })
        assertEquals(
            listOf(OptionKind.SELECT, OptionKind.BOOLEAN, OptionKind.UNKNOWN, OptionKind.UNKNOWN, OptionKind.UNKNOWN),
            settings.options.map { it.kind },
        )
        val (model, web, budget) = settings.options
        assertEquals("not offered", model.chosen?.title, "what is in force is shown even so")
        assertEquals("a", model.choices.single().title)
        assertTrue(web.isOn)
        assertEquals("budget", budget.title)
        assertNull(settings.options.last().chosen)
    }

    private val commands = SlashCommands().apply { told(BoundaryFiles.json("event", "agent_commands").asJsonObject) }

    private fun offered(vararg names: String) = SlashCommands().apply {
        told(JsonParser.parseString("""{"commands":[${names.joinToString { """{"name":"$it"}""" }}]}""").asJsonObject)
    }

    @Test
    fun `a command is completed while it is being typed, and not in the middle of a text`() {
        assertFalse(commands.isOffering)
        commands.typed("/")
        assertEquals(AgentCommand("review", "Review changes", "of what"), commands.offered.single())
        commands.typed("/vie")
        assertEquals("/review ", commands.completed())
        for (text in listOf("", "review", "see /review", "/review it", "/review\n", "/other")) {
            commands.typed(text)
            assertFalse(commands.isOffering, text)
            assertNull(commands.completed())
        }
    }

    @Test
    fun `those that begin with what is typed come first, and the choice goes round`() {
        val commands = offered("undo", "compact", "commit", "co")
        commands.typed("/co")
        assertEquals(listOf("compact", "commit", "co"), commands.offered.map { it.name })
        commands.move(-1)
        assertEquals("/co ", commands.completed())
        commands.move(1)
        assertEquals("/compact ", commands.completed())
        commands.typed("/com")
        assertEquals("/compact ", commands.completed())
        commands.typed("/o")
        assertEquals(listOf("undo", "compact", "commit", "co"), commands.offered.map { it.name })
    }

    @Test
    fun `what was put aside stays aside until something else is typed`() {
        commands.typed("/r")
        commands.putAside()
        assertFalse(commands.isOffering)
        commands.told(BoundaryFiles.json("event", "agent_commands").asJsonObject)
        assertFalse(commands.isOffering)
        commands.typed("/re")
        assertTrue(commands.isOffering)
    }

    @Test
    fun `a command that stands there whole is sent, not offered again`() {
        commands.typed("/review")
        assertFalse(commands.isOffering)
    }
}

package dev.siderail.toolwindow

import dev.siderail.screens.Recordings
import dev.siderail.ui.LinkButton
import java.awt.Component
import java.awt.Container
import javax.swing.SwingUtilities
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** Which agents this machine has, and what an empty chat makes of it. */
class AgentsTest {
    private val model = AgentsModel(Scenes.agents) { it == "codex" }
    private var seq = 0L

    private fun event(name: String, members: String) = Recordings.event(++seq, name, members)

    private fun readiness() = model.all.orEmpty().associate { it.id to it.readiness }

    @Test
    fun `an agent is ready, needs you to log in as it said itself, or is missing, and one with a command of the person's own is not`() {
        assertNull(model.all)
        assertTrue(model.apply(event("AGENTS", AGENTS)) { "" })
        val ready = mapOf("claude" to Readiness.READY, "copilot" to Readiness.MISSING, "codex" to Readiness.READY, "gemini" to Readiness.MISSING)
        assertEquals(ready, readiness())
        assertTrue(model.apply(event("LOGIN_NEEDED", """"methods":[]""")) { "claude" })
        assertEquals(Readiness.LOGIN, readiness()["claude"])
        assertTrue(!model.apply(event("LOGIN_NEEDED", """"methods":[]""")) { "claude" }, "nothing new")
        assertTrue(model.apply(event("SESSION_STARTED", """"agent":"claude"""")) { "claude" })
        assertEquals(ready, readiness())
    }

    @Test
    fun `an empty chat takes another agent, starts one for its login, and shows how to install those that are missing`() = SwingUtilities.invokeAndWait {
        val scene = Scenes.scene()
        var looked = 0
        scene.panel.lookForAgents = { looked++ }
        model.apply(event("AGENTS", AGENTS)) { "" }
        model.apply(event("LOGIN_NEEDED", """"methods":[]""")) { "codex" }
        scene.panel.agents(model.all!!)
        assertEquals(listOf("Log In", "Not installed (2)"), links(scene.panel).filter { it in WORDS })
        link(scene.panel, "Not installed (2)").doClick()
        assertEquals(listOf("Log In", "Install", "Install"), links(scene.panel).filter { it in WORDS })
        link(scene.panel, "Install").doClick()
        link(scene.panel, "Run it in a terminal").doClick()
        assertEquals("terminal npm install -g @github/copilot", scene.actions.calls.last())
        link(scene.panel, "Copy").doClick()
        assertEquals("copy npm install -g @github/copilot", scene.actions.calls.last())
        link(scene.panel, "Look again").doClick()
        assertEquals(1, looked)
        model.apply(event("AGENTS", AGENTS.replace(""""problem":"no"""", """"program":"/bin/copilot""""))) { "" }
        scene.panel.agents(model.all!!)
        assertTrue(links(scene.panel).none { it == "Look again" }, "it is there")
        link(scene.panel, "Use").doClick()
        assertEquals("copilot", scene.chat.agent)
        assertTrue(scene.calls.isEmpty(), "the first message starts it")
        link(scene.panel, "Log In").doClick()
        assertEquals(listOf("start 1 codex"), scene.calls)
    }

    @Test
    fun `where no agent is installed all of them are offered`() = SwingUtilities.invokeAndWait {
        val scene = Scenes.scene()
        val none = AgentsModel(Scenes.agents) { false }
        none.apply(event("AGENTS", AGENTS.replace(""""program":"/bin/claude",""", ""))) { "" }
        scene.panel.agents(none.all!!)
        assertEquals(List(4) { "Install" }, links(scene.panel).filter { it in WORDS })
    }

    private fun links(root: Component): List<String> = all(root).filterIsInstance<LinkButton>().map { it.text }

    private fun link(root: Component, text: String) = all(root).filterIsInstance<LinkButton>().first { it.text == text }

    private fun all(root: Component): List<Component> = listOf(root) + (root as? Container)?.components.orEmpty().flatMap(::all)

    private companion object {
        val WORDS = setOf("Log In", "Install", "Use", "Not installed (2)")
        val AGENTS = Scenes.agentsFound
    }
}

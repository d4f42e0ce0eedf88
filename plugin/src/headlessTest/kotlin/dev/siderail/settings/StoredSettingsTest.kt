package dev.siderail.settings

import com.intellij.openapi.util.JDOMUtil
import com.intellij.util.xmlb.SkipDefaultsSerializationFilter
import com.intellij.util.xmlb.XmlSerializer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import dev.siderail.engine.Tidying
import dev.siderail.headless.HeadlessPlatform
import java.nio.file.Files
import java.nio.file.Path

/** The settings as the IDE's own serializer stores and reads them. */
class StoredSettingsTest {
    private val root = Path.of(System.getProperty("siderail.root")).normalize()

    @Test
    fun `what the tests in an IDE put down as settings is what the IDE reads`() {
        val template = Files.readString(root.resolve("plugin/src/ideTest/resources/siderail.xml"))
        val stored = JDOMUtil.load(template.replace("@COMMAND@", "&quot;/a b/agent&quot; --shape claude")).getChild("component")
        val state = XmlSerializer.deserialize(stored, SettingsState::class.java)
        assertEquals(listOf("/a b/agent", "--shape", "claude"), SettingsModel.session(state, "claude", null).agentCommand)
        assertTrue(state.experimental)
    }

    @Test
    fun `settings come back as they were stored`() {
        val state = SettingsState().apply {
            agent = "codex"
            policy = "ask"
            switches["hide"] = true
            numbers["inactivity_s"] = 60
            toolsOff = mutableListOf("http_request")
            agents["codex"] = AgentState().apply { environment = "A=1\nB=2" }
        }
        val again = XmlSerializer.deserialize(XmlSerializer.serialize(state), SettingsState::class.java)
        assertEquals(state.values(), again.values())
    }

    @Test
    fun `what an earlier version stored was chosen, and what it left out was not`() {
        val stored = JDOMUtil.load("""<component><option name="denyThreshold" value="4"/></component>""")
        val state = XmlSerializer.deserialize(stored, SettingsState::class.java)
        assertEquals(mapOf("deny_threshold" to 4), state.numbers)
        assertTrue(state.switches.isEmpty())
        assertEquals(KnownSettings.policy.word, state.policy)
    }

    @Test
    fun `what was stored under names of its own is in the maps from then on`() {
        val stored = JDOMUtil.load(Files.readString(root.resolve("plugin/src/headlessTest/resources/settings/before-maps.xml")))
        val state = XmlSerializer.deserialize(stored, SettingsState::class.java)
        val read = SettingsState().apply {
            agent = "codex"
            policy = "yolo"
            switches = mutableMapOf("hide" to false, "session_message" to true, "yolo_dangerous" to true)
            numbers = mutableMapOf("deny_threshold" to 7, "inactivity_s" to 60)
            toolsOff = mutableListOf("run_command")
            experimental = true
            tidying = Tidying.END_OF_TURN
            optimizeImports = false
            reformat = false
            showDebug = true
            agents["claude"] = AgentState("claude-acp --x", "A=1\nB=<2>", "plan", mayWriteHome = true)
        }
        assertEquals(read.values(), state.values())
        val again = JDOMUtil.write(XmlSerializer.serialize(state, SkipDefaultsSerializationFilter()))
        for (name in listOf("hide", "yoloDangerous", "sessionMessage", "denyThreshold", "inactivitySeconds")) assertFalse("name=\"$name\"" in again, again)
        assertEquals(read.values(), XmlSerializer.deserialize(JDOMUtil.load(again), SettingsState::class.java).values())
        val options = SettingsModel.session(state, "claude", null)
        assertEquals(state.switches to state.numbers, options.switches to options.numbers)
    }

    @Test
    fun `tools and engine see a setting as soon as it is changed`() {
        val application = HeadlessPlatform.instance.application
        application.picoContainer.unregisterComponent(SiderailSettings::class.java.name)
        val settings = SiderailSettings().apply { loadState(SettingsState()) }
        application.registerService(SiderailSettings::class.java, settings)
        val (tools, engine) = SettingsForTools() to SettingsForEngine()
        assertFalse(tools.experimental)
        settings.state.apply {
            experimental = true
            reformat = false
            toolsOff = mutableListOf("http_request")
        }
        assertTrue(tools.experimental)
        assertFalse(tools.reformat)
        assertTrue("http_request" in engine.toolsOff().orEmpty())
    }
}

package dev.siderail.settings

import com.intellij.ui.JBIntSpinner
import com.intellij.util.xmlb.XmlSerializer
import dev.siderail.BoundaryFiles
import dev.siderail.engine.Tidying
import dev.siderail.screens.Painter
import dev.siderail.ui.Texts
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.Component
import java.awt.Container
import javax.swing.JCheckBox
import javax.swing.JTextArea

class SettingsModelTest {
    private val model = SettingsModel(SettingsState())
    private val kept = HashMap<String, String?>()
    private val secrets = object : SecretStore {
        override fun put(agent: String, name: String, value: String?) {
            kept["$agent $name"] = value
        }
    }

    @Test
    fun `looking at an agent changes nothing`() {
        model.agent("gemini")
        assertFalse(model.isModified)
        assertTrue(model.apply(secrets).agents.isEmpty())
    }

    @Test
    fun `what was edited is stored by apply and forgotten by reset`() {
        model.edited.policy = "ask"
        model.agent("claude").command = "claude-acp --x"
        assertTrue(model.isModified)
        val stored = model.apply(secrets)
        assertEquals("ask", stored.policy)
        assertFalse(model.isModified)
        model.edited.policy = "yolo"
        model.reset(stored)
        assertEquals("ask", model.edited.policy)
        assertEquals("claude-acp --x", model.agent("claude").command)
    }

    @Test
    fun `what is stored does not change while the page is open`() {
        val state = SettingsState()
        val model = SettingsModel(state)
        model.edited.toolsOff.add("run_command")
        model.agent("claude").mode = "plan"
        assertTrue(state.toolsOff.isEmpty() && state.agents.isEmpty())
    }

    @Test
    fun `a key that is entered goes to the store, and no settings file holds it`() {
        model.agent("claude").environment = "HTTPS_PROXY=http://proxy\nANTHROPIC_API_KEY=sk-ant-1234567890abcdef\nMAX_TOKENS=8000\nHELPER=ghp_0123456789abcdefghijABCD"
        val state = model.apply(secrets)
        assertEquals(mapOf<String, String?>("claude ANTHROPIC_API_KEY" to "sk-ant-1234567890abcdef", "claude HELPER" to "ghp_0123456789abcdefghijABCD"), kept)
        assertEquals("HTTPS_PROXY=http://proxy\nANTHROPIC_API_KEY=••••••••\nMAX_TOKENS=8000\nHELPER=••••••••", state.agents.getValue("claude").environment)
        assertEquals(mapOf("HTTPS_PROXY" to "http://proxy", "MAX_TOKENS" to "8000"), SettingsModel.session(state, "claude", null).agentEnv)
        assertFalse(model.isModified)
        assertFalse("sk-ant" in com.intellij.openapi.util.JDOMUtil.write(XmlSerializer.serialize(state)))
    }

    @Test
    fun `a kept key stays as it is, is replaced by another, and is forgotten with its line`() {
        model.agent("claude").environment = "A_TOKEN=first-value"
        model.apply(secrets)
        kept.clear()
        model.agent("claude").environment += "\nB=1"
        model.apply(secrets)
        assertTrue(kept.isEmpty(), "what is shown as kept is not taken for a value")
        model.agent("claude").environment = "A_TOKEN=second-value"
        assertTrue(model.isModified)
        model.apply(secrets)
        assertEquals("second-value", kept["claude A_TOKEN"])
        model.agent("claude").environment = ""
        model.apply(secrets)
        assertTrue("claude A_TOKEN" in kept && kept["claude A_TOKEN"] == null)
    }

    @Test
    fun `names of secrets are told from those of places and settings`() {
        val rule = BoundaryFiles.json("rule", "secret_names").asJsonObject
        for (name in rule["secret"].asJsonArray) assertTrue(SecretVariables.isSecretName(name.asString), name.asString)
        for (name in rule["plain"].asJsonArray) assertFalse(SecretVariables.isSecretName(name.asString), name.asString)
    }

    @Test
    fun `values that cannot be used are named`() {
        assertEquals(emptyList<String>(), model.problems())
        model.edited.denyThreshold = 0
        model.edited.inactivitySeconds = 86_401
        model.agent("claude").command = "claude \"open"
        model.agent("claude").environment = "A=1\nno variable"
        assertEquals(4, model.problems().size)
        assertTrue("no variable" in model.problems().last())
    }

    @Test
    fun `a session is started as the page says, and the chat's mode wins`() {
        model.agent("claude").apply {
            command = "node \"/opt/my agent/index.js\" --acp"
            environment = "A=1\n\nB=two words = three"
            mode = "default"
            mayWriteHome = true
        }
        model.edited.yoloDangerous = true
        val state = model.apply(secrets)
        val options = SettingsModel.session(state, "claude", null)
        assertEquals(listOf("node", "/opt/my agent/index.js", "--acp"), options.agentCommand)
        assertEquals(mapOf("A" to "1", "B" to "two words = three"), options.agentEnv)
        assertEquals("default", options.mode)
        assertEquals("plan", SettingsModel.session(state, "claude", "plan").mode)
        assertEquals(listOf("claude"), options.consent)
        assertEquals(false, options.yoloDangerous, "without the policy yolo it means nothing")
        val other = SettingsModel.session(state, "gemini", null)
        assertNull(other.agentCommand)
        assertTrue(other.agentEnv.isEmpty())
    }

    @Test
    fun `limits and tools that were not touched are left to the other settings`() {
        val plain = SettingsModel.session(SettingsState(), "claude", null)
        assertEquals(null to null, plain.denyThreshold to plain.inactivitySeconds)
        assertNull(SettingsModel.toolsOff(SettingsState()))
        model.edited.denyThreshold = KnownSettings.denyThreshold.usual
        model.edited.inactivitySeconds = 60
        model.edited.toolsOff.addAll(listOf("search_text", "run_command"))
        val state = model.apply(secrets)
        val chosen = SettingsModel.session(state, "claude", null)
        assertEquals(KnownSettings.denyThreshold.usual to 60, chosen.denyThreshold to chosen.inactivitySeconds, "what was chosen counts, be it what is usual")
        assertEquals(listOf("run_command", "search_text"), SettingsModel.toolsOff(state))
    }

    @Test
    fun `a command is split as a person means it`() {
        for (case in BoundaryFiles.json("rule", "command_words").asJsonArray.map { it.asJsonObject }) {
            fun words(member: String) = case[member].takeUnless { it.isJsonNull }?.asJsonArray?.map { it.asString }
            val text = case["text"].asString
            assertEquals(words("words"), CommandText.split(text, windows = false), text)
            assertEquals(words(if (case.has("windows")) "windows" else "words"), CommandText.split(text, windows = true), "$text on Windows")
        }
    }

    @Test
    fun `every setting survives being stored and read`() {
        val state = SettingsState()
        state.agent = "gemini"
        state.policy = "yolo"
        state.hide = false
        state.yoloDangerous = true
        state.sessionMessage = true
        state.denyThreshold = 7
        state.inactivitySeconds = 60
        state.toolsOff = arrayListOf("run_command")
        state.experimental = true
        state.tidying = Tidying.END_OF_TURN
        state.optimizeImports = false
        state.reformat = false
        state.showDebug = true
        state.agents["claude"] = AgentState().apply {
            command = "a \"b c\""
            environment = "A=1\nB=<2>"
            mode = "plan"
            mayWriteHome = true
        }
        val read = XmlSerializer.deserialize(XmlSerializer.serialize(state), SettingsState::class.java)
        assertEquals(state.values(), read.values())
        val usual = SettingsState().values()
        state.values().forEachIndexed { at, value -> assertNotEquals(usual[at], value, "the setting $at is not tried here") }
    }

    @Test
    fun `a tool that has to be switched on first is shown as offered only then, and begins where the texts begin`() = Painter.under(Painter.Theme.LIGHT) {
        assertTrue(KnownTools.all.containsAll(KnownTools.experimental))
        val model = SettingsModel(SettingsState())
        val panel = SettingsPanel(model)
        fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())
        fun boxes(root: Component) = all(root).filterIsInstance<JCheckBox>()
        val of = { name: String -> boxes(panel).first { it.text == name || it.toolTipText == name } }
        val surplus = { all(panel).filterIsInstance<JTextArea>().any { it.isVisible && it.text == Texts["settings.tools.surplus", KnownTools.AT_ONCE] } }
        assertEquals(listOf("Run", "Git status"), listOf("run_command", "git_status").map { of(it).text })
        assertFalse(of("run_in_terminal").isSelected || of("run_in_terminal").isEnabled)
        assertTrue(of("run_command").isSelected)
        of(Texts["settings.experimental"]).doClick(0)
        assertTrue(of("run_in_terminal").isSelected && of("run_in_terminal").isEnabled)
        assertTrue(model.surplus == KnownTools.all.size - KnownTools.AT_ONCE && surplus(), "more than can be offered at once")
        KnownTools.all.filter { it.startsWith("git_") }.forEach { of(it).doClick(0) }
        assertTrue(model.surplus == 0 && !surplus())
        assertTrue(boxes(panel).all { it.insets.left == 0 })
    }

    @Test
    fun `a number shows what is usual, and is chosen once the person has changed it`() = Painter.under(Painter.Theme.LIGHT) {
        val model = SettingsModel(SettingsState())
        fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())
        val threshold = all(SettingsPanel(model)).filterIsInstance<JBIntSpinner>().first()
        val usual = KnownSettings.denyThreshold.usual
        assertEquals(usual to null, threshold.number to model.edited.denyThreshold)
        threshold.number = usual + 1
        threshold.number = usual
        assertEquals(usual, model.edited.denyThreshold)
        assertTrue(model.isModified)
    }

    @Test
    fun `choosing an agent to edit changes no default, and the box beside it does`() = Painter.under(Painter.Theme.LIGHT) {
        val model = SettingsModel(SettingsState())
        val panel = SettingsPanel(model)
        fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())
        val agents = all(panel).filterIsInstance<javax.swing.JComboBox<*>>().first()
        val usual = all(panel).filterIsInstance<JCheckBox>().first { it.text == Texts["settings.agent.default"] }
        assertTrue(usual.isSelected && !usual.isEnabled)
        agents.selectedItem = "gemini"
        assertEquals("claude", model.edited.agent)
        assertTrue(!usual.isSelected && usual.isEnabled)
        all(panel).filterIsInstance<javax.swing.JTextField>().first { it.accessibleContext.accessibleName == Texts["settings.agent.command"] }.text = "gem"
        assertEquals(listOf("gem", null), listOf("gemini", "claude").map { model.edited.agents[it]?.command?.ifEmpty { null } })
        usual.doClick(0)
        assertEquals("gemini", model.edited.agent)
    }
}

package dev.siderail.settings

import com.intellij.ui.JBIntSpinner
import com.intellij.util.xmlb.XmlSerializer
import dev.siderail.BoundaryFiles
import dev.siderail.engine.Tidying
import dev.siderail.screens.Painter
import dev.siderail.ui.LinkButton
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
    fun `what only has a secret's name within it is shown`() {
        val environment = "JAVA_OPTS=-Djavax.net.ssl.keyStore=/etc/ks -Dtoken=abcd1234\nARGS=--api-key=q1 password: hunter2"
        model.agent("claude").environment = "$environment\nHEADER=Bearer abcd1234"
        assertEquals("$environment\nHEADER=••••••••", model.apply(secrets).agents.getValue("claude").environment)
        assertEquals(mapOf<String, String?>("claude HEADER" to "Bearer abcd1234"), kept)
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
        model.edited.numbers["deny_threshold"] = 0
        model.edited.numbers["inactivity_s"] = 86_401
        model.agent("claude").command = "claude \"open"
        model.agent("claude").environment = "A=1\nno variable"
        assertEquals(4, model.problems().size)
        assertEquals(Texts["settings.problem.number", "Explain the sandbox after … denials in a row", 1, 1000], model.problems().first())
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
        model.edited.switches["yolo_dangerous"] = true
        val state = model.apply(secrets)
        val options = SettingsModel.session(state, "claude", null)
        assertEquals(listOf("node", "/opt/my agent/index.js", "--acp"), options.agentCommand)
        assertEquals(mapOf("A" to "1", "B" to "two words = three"), options.agentEnv)
        assertEquals("default", options.mode)
        assertEquals("plan", SettingsModel.session(state, "claude", "plan").mode)
        assertEquals(listOf("claude"), options.consent)
        assertEquals(false, options.switches["yolo_dangerous"], "without the policy yolo it means nothing")
        assertEquals(true, SettingsModel.session(state.copy().apply { policy = "yolo" }, "claude", null).switches["yolo_dangerous"])
        assertEquals(false, SettingsModel.session(SettingsState().apply { policy = "yolo" }, "claude", null).switches["yolo_dangerous"], "a box without a tick is a no")
        val other = SettingsModel.session(state, "gemini", null)
        assertNull(other.agentCommand)
        assertTrue(other.agentEnv.isEmpty())
    }

    @Test
    fun `what was not touched is left to the other settings, and what a later version has to that`() {
        val plain = SettingsModel.session(SettingsState(), "claude", null)
        assertEquals(mapOf("yolo_dangerous" to false) to emptyMap<String, Int>(), plain.switches to plain.numbers)
        assertNull(SettingsModel.toolsOff(SettingsState()))
        model.edited.switches["hide"] = true
        model.edited.switches["of_a_later_version"] = true
        model.edited.numbers["deny_threshold"] = threshold.usual
        model.edited.numbers["inactivity_s"] = 60
        model.edited.numbers["of_a_later_version_too"] = 1
        model.edited.toolsOff.addAll(listOf("search_text", "run_command"))
        val state = model.apply(secrets)
        val chosen = SettingsModel.session(state, "claude", null)
        assertEquals(mapOf("hide" to true, "yolo_dangerous" to false), chosen.switches)
        assertEquals(mapOf("deny_threshold" to threshold.usual, "inactivity_s" to 60), chosen.numbers, "what was chosen counts, be it what is usual")
        assertTrue("of_a_later_version" in state.switches && "of_a_later_version_too" in state.numbers)
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
        for (known in KnownSettings.switches + KnownSettings.yoloDangerous) state.switches[known.name] = known.usual
        for (known in KnownSettings.numbers) state.numbers[known.name] = known.range.last
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
    fun `each number shows what is usual, is chosen once the person has changed it, and can be given back`() = Painter.under(Painter.Theme.LIGHT) {
        val model = SettingsModel(SettingsState())
        val panel = SettingsPanel(model)
        val fields = all(panel).filterIsInstance<JBIntSpinner>()
        assertEquals(KnownSettings.numbers.map { it.usual }, fields.map { it.number })
        assertEquals(emptyList<String>(), shownLinks(panel), "nothing is chosen")
        for ((known, field) in KnownSettings.numbers.zip(fields)) {
            field.number = known.usual + 1
            field.number = known.usual
            assertEquals(mapOf(known.name to known.usual), model.edited.numbers)
            assertTrue(model.isModified)
            field.number = known.usual + 1
            assertEquals(listOf("Usual: ${SettingLabel.of(known)}"), shownLinks(panel))
            links(panel).single { it.isVisible }.doClick(0)
            assertTrue(model.edited.numbers.isEmpty() && field.number == known.usual && !model.isModified)
            assertEquals(emptyList<String>(), shownLinks(panel))
        }
    }

    @Test
    fun `each switch shows what is usual, is chosen once the person has changed it, and can be given back`() = Painter.under(Painter.Theme.LIGHT) {
        val model = SettingsModel(SettingsState())
        val panel = SettingsPanel(model)
        for (known in KnownSettings.switches) {
            val box = all(panel).filterIsInstance<JCheckBox>().single { it.text == SettingLabel.of(known).before }
            assertEquals(known.usual, box.isSelected)
            box.doClick(0)
            assertEquals(mapOf(known.name to !known.usual), model.edited.switches)
            box.doClick(0)
            assertEquals(mapOf(known.name to known.usual), model.edited.switches, "a choice, be it what is usual")
            assertEquals(listOf("Usual: ${SettingLabel.of(known)}"), shownLinks(panel))
            links(panel).single { it.isVisible }.doClick(0)
            assertTrue(model.edited.switches.isEmpty() && box.isSelected == known.usual && !model.isModified)
        }
    }

    @Test
    fun `a setting without a text of its own is worded by its declaration`() {
        assertEquals("Explain the sandbox after" to "denials in a row", SettingLabel.of(threshold).let { it.before to it.after })
        val unworded = KnownNumber("no_such_setting", 5, 1..9, "How many probes are made.")
        assertEquals(SettingLabel("How many probes are made", ""), SettingLabel.of(unworded))
    }

    @Test
    fun `each text of a row is that of a setting which has a row`() {
        val bundle = java.util.Properties().apply { Texts::class.java.getResourceAsStream("/messages/SiderailBundle.properties")!!.reader().use(::load) }
        val worded = bundle.stringPropertyNames().filter { it.startsWith("setting.") }.map { it.removePrefix("setting.") }
        val known = KnownSettings.switches + KnownSettings.numbers + KnownSettings.yoloDangerous
        assertEquals(emptySet<String>(), worded.toSet() - known.map { it.name }.toSet())
    }

    private val threshold = KnownSettings.numbers.single { it.name == "deny_threshold" }

    private fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())

    private fun links(panel: Component) = all(panel).filterIsInstance<LinkButton>().filter { it.text == Texts["settings.usual"] }

    private fun shownLinks(panel: Component) = links(panel).filter { it.isVisible }.map { it.accessibleContext.accessibleName }

    @Test
    fun `choosing an agent to edit changes no default, and the box beside it does`() = Painter.under(Painter.Theme.LIGHT) {
        val model = SettingsModel(SettingsState())
        val panel = SettingsPanel(model)
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

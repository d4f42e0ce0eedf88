package dev.siderail.settings

import javax.swing.JComponent

/** The settings page with something in it. */
object SettingsPictures {
    fun page(): JComponent {
        val state = SettingsState()
        state.agents["claude"] = AgentState().apply {
            command = "npx @agentclientprotocol/claude-agent-acp"
            environment = "HTTPS_PROXY=http://proxy.example:3128\nANTHROPIC_API_KEY=${SecretVariables.KEPT}"
        }
        state.numbers["inactivity_s"] = 600
        state.toolsOff.add("run_command")
        return SettingsPanel(SettingsModel(state))
    }
}

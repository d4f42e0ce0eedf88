package dev.siderail.settings

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.components.PersistentStateComponent
import com.intellij.openapi.components.State
import com.intellij.openapi.components.Storage
import dev.siderail.engine.AgentSecrets
import dev.siderail.engine.EngineDefaults
import dev.siderail.engine.Tidying
import dev.siderail.engine.ToolSettings

/** The user's settings in this IDE, for all projects. A project's `.siderail.toml` may tighten them. */
@State(name = "Siderail", storages = [Storage("siderail.xml")])
class SiderailSettings : PersistentStateComponent<SettingsState> {
    /** Replaced as a whole, so that any thread may read it. */
    @Volatile
    private var current = SettingsState()

    override fun getState(): SettingsState = current

    override fun loadState(state: SettingsState) {
        current = state
    }

    companion object {
        fun getInstance(): SiderailSettings = ApplicationManager.getApplication().getService(SiderailSettings::class.java)
    }
}

/** The settings as the IDE's tools ask for them, anew for every call. */
class SettingsForTools : ToolSettings {
    private val state get() = SiderailSettings.getInstance().state
    override val tidying: Tidying get() = state.tidying
    override val optimizeImports: Boolean get() = state.optimizeImports
    override val reformat: Boolean get() = state.reformat
    override val experimental: Boolean get() = state.experimental
}

/** The settings as the engine takes them when it is opened. */
class SettingsForEngine : EngineDefaults {
    override fun toolsOff(): List<String>? = SettingsModel.toolsOff(SiderailSettings.getInstance().state)
}

/** The secrets of agents as the engine asks for them. */
class SecretsForEngine : AgentSecrets {
    override fun of(agent: String): Map<String, String> = ApplicationManager.getApplication().getService(PasswordStore::class.java).of(agent)
}

package dev.siderail.settings

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.options.ConfigurationException
import com.intellij.openapi.options.SearchableConfigurable
import dev.siderail.ui.Texts
import javax.swing.JComponent

/** The page in the IDE's settings. Thin: what is edited is in [SettingsModel], what is seen in [SettingsPanel]. */
class SiderailConfigurable : SearchableConfigurable {
    private var open: Pair<SettingsModel, SettingsPanel>? = null

    override fun getId() = "dev.siderail.settings"

    override fun getDisplayName(): String = Texts["settings.title"]

    override fun createComponent(): JComponent {
        val model = SettingsModel(SiderailSettings.getInstance().state)
        val panel = SettingsPanel(model)
        open = model to panel
        return panel
    }

    override fun isModified(): Boolean = open?.first?.isModified ?: false

    override fun apply() {
        val (model, panel) = open ?: return
        model.problems().firstOrNull()?.let { throw ConfigurationException(it) }
        SiderailSettings.getInstance().loadState(model.apply(ApplicationManager.getApplication().getService(PasswordStore::class.java)))
        panel.read()
    }

    override fun reset() {
        val (model, panel) = open ?: return
        model.reset(SiderailSettings.getInstance().state)
        panel.read()
    }

    override fun disposeUIResources() {
        open = null
    }
}

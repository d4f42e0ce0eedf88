package dev.siderail.toolwindow

import com.intellij.openapi.actionSystem.ActionUpdateThread
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.options.ConfigurationException
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.headless.HeadlessPlatform
import dev.siderail.settings.SettingsState
import dev.siderail.settings.SiderailConfigurable
import dev.siderail.settings.SiderailSettings
import dev.siderail.ui.Texts
import java.awt.Component
import java.awt.Container
import java.util.concurrent.TimeUnit
import javax.swing.JTextField
import javax.xml.parsers.DocumentBuilderFactory
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** The classes by which the window meets the IDE, on the platform's own. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeClassesTest {
    private val platform = HeadlessPlatform.instance

    private fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())

    private fun attributes(tag: String, name: String): List<String> {
        val descriptor = checkNotNull(javaClass.getResourceAsStream("/META-INF/plugin.xml"))
        val elements = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(descriptor).getElementsByTagName(tag)
        return (0 until elements.length).mapNotNull { elements.item(it).attributes.getNamedItem(name)?.nodeValue }
    }

    @Test
    fun `every action of the descriptor can be made, and says that it is updated in the background`() {
        val actions = attributes("action", "class")
        assertTrue(actions.size >= 9, "$actions")
        for (name in actions) {
            val action = Class.forName(name).getDeclaredConstructor().newInstance() as AnAction
            assertEquals(ActionUpdateThread.BGT, action.javaClass.getMethod("getActionUpdateThread").invoke(action), name)
        }
    }

    @Test
    fun `the status bar's word has the id of the descriptor, and says what the chats are at`() {
        WindowFixture()
        val factory = StatusWidgetFactory()
        assertEquals(attributes("statusBarWidgetFactory", "id"), listOf(factory.id))
        assertTrue(factory.isAvailable(platform.project))
        val widget = StatusWidget(platform.project)
        assertEquals(factory.id, widget.ID())
        assertEquals(Texts["status.idle"], widget.text)
    }

    @Test
    fun `the settings page is applied, taken back, and refuses what cannot be used`() {
        platform.application.picoContainer.unregisterComponent(SiderailSettings::class.java.name)
        val settings = SiderailSettings().apply { loadState(SettingsState()) }
        platform.application.registerService(SiderailSettings::class.java, settings)
        onEventThread {
            val page = SiderailConfigurable()
            assertEquals(attributes("applicationConfigurable", "id"), listOf(page.id))
            assertFalse(page.isModified)
            val command = all(page.createComponent()).filterIsInstance<JTextField>()
                .first { it.accessibleContext.accessibleName == Texts["settings.agent.command"] }
            command.text = "'unclosed"
            assertTrue(page.isModified)
            assertThrows(ConfigurationException::class.java) { page.apply() }
            page.reset()
            assertFalse(page.isModified)
            page.disposeUIResources()
            assertFalse(page.isModified)
        }
        assertEquals("claude", settings.state.agent)
    }

    @Test
    fun `a very long text gets no editor`() = onEventThread {
        assertNull(IdeEditorViews.code("x".repeat(50_000), ""))
    }

    @Test
    fun `a choice in a list has its group behind it, and its hint as a tool tip`() {
        val list = javax.swing.JList<Choice>()
        val cell = ChoiceCell().getListCellRendererComponent(list, Choice("a", "Fast", "The quick one", "Vendor"), 0, false, false)
        assertEquals("Fast  ·  Vendor" to "The quick one", (cell as javax.swing.JLabel).text to cell.toolTipText)
        assertNull((ChoiceCell().getListCellRendererComponent(list, Choice("b", "x", "<html>"), 0, false, false) as javax.swing.JLabel).toolTipText)
    }
}

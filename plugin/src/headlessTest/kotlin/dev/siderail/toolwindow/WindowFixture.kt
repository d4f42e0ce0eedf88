package dev.siderail.toolwindow

import com.intellij.ide.util.PropertiesComponent
import com.intellij.openapi.Disposable
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.wm.ToolWindow
import com.intellij.ui.content.Content
import com.intellij.ui.content.ContentFactory
import com.intellij.ui.content.ContentManager
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.engine.AgentSessions
import dev.siderail.engine.QuestionDesk
import dev.siderail.headless.HeadlessPlatform
import dev.siderail.screens.FakeSessions
import dev.siderail.settings.SettingsState
import dev.siderail.settings.SiderailSettings
import java.awt.image.BufferedImage
import java.lang.reflect.Proxy
import javax.swing.Icon
import javax.swing.ImageIcon
import javax.swing.JComponent
import javax.xml.parsers.DocumentBuilderFactory
import org.w3c.dom.Element

/**
 * The tool window as the IDE shows it: what a person can do with its tabs is what plugin.xml says. Closing the project
 * saves the settings first and disposes the window then.
 */
internal class WindowFixture(saved: Map<String, String> = emptyMap(), showDebug: Boolean = true) {
    private val platform = HeadlessPlatform.instance
    private val properties = Properties(saved)
    private val manager = Manager()
    val sessions = FakeSessions()

    /** What the status bar said, one after the other. */
    val said = java.util.concurrent.CopyOnWriteArrayList<String>()
    private val status: ChatStatus = ChatStatus { noteStatus() }
    lateinit var tabs: ToolWindowTabs

    /** As the stripe shows it; null as long as it shows none. */
    var icon: Icon? = ImageIcon(BufferedImage(16, 16, BufferedImage.TYPE_INT_ARGB))

    /** Buttons in the window's title. */
    var titleActions: List<AnAction> = emptyList()
        private set

    /** How often somebody had the window shown. */
    var shown = 0
        private set

    /** How often somebody had the focus moved into the window. */
    var activated = 0
        private set

    /** The content that was put in front last. */
    var selected: Content? = null
        private set

    init {
        val project = platform.project
        project.picoContainer.unregisterComponent(PropertiesComponent::class.java.name)
        project.registerService(PropertiesComponent::class.java, properties)
        project.picoContainer.unregisterComponent(AgentSessions::class.java.name)
        project.registerService(AgentSessions::class.java, sessions)
        project.picoContainer.unregisterComponent(QuestionDesk::class.java.name)
        project.registerService(QuestionDesk::class.java, QuestionDesk())
        project.picoContainer.unregisterComponent(ChatStatus::class.java.name)
        project.registerService(ChatStatus::class.java, status)
        val application = platform.application
        application.picoContainer.unregisterComponent(SiderailSettings::class.java.name)
        application.registerService(SiderailSettings::class.java, SiderailSettings().apply { loadState(SettingsState().also { it.showDebug = showDebug }) })
        application.picoContainer.unregisterComponent(ContentFactory::class.java.name)
        application.registerService(ContentFactory::class.java, proxy(ContentFactory::class.java) { name, arguments ->
            if (name == "createContent") Tab(arguments[0] as JComponent, arguments[1] as String).content else null
        })
        onEventThread {
            tabs = ToolWindowTabs(project, asToolWindow)
            Disposer.register(manager.disposable, tabs)
            tabs.open()
        }
    }

    private fun noteStatus() {
        said += StatusWidget(platform.project).text
    }

    val contents: List<Content> get() = manager.contents
    val chats: List<ChatPanel> get() = contents.map { it.component }.filterIsInstance<ChatPanel>()

    /** What the cross of a tab does; false where the tab has none. */
    fun close(content: Content): Boolean {
        if (!manager.canCloseContents || !content.isCloseable) return false
        onEventThread { manager.remove(content) }
        return true
    }

    /** The project is closed; what was saved. */
    fun closeProject(): Map<String, String> {
        val saved = properties.values.toMap()
        onEventThread { manager.dispose() }
        return saved
    }

    val asToolWindow: ToolWindow get() = proxy(ToolWindow::class.java) { name, arguments ->
        when (name) {
            "getContentManager" -> manager.asManager
            "isVisible" -> true
            "show" -> {
                shown++
                (arguments[0] as Runnable?)?.run()
            }
            "activate" -> activated++.let { }
            "getIcon" -> icon
            "setIcon" -> icon = arguments[0] as Icon
            "setTitleActions" -> titleActions = (arguments[0] as List<*>).map { it as AnAction }
            else -> null
        }
    }

    private inner class Manager {
        val contents = ArrayList<Content>()
        val disposable: Disposable = Disposer.newDisposable("contents")
        val canCloseContents = toolWindow().getAttribute("canCloseContents") == "true"
        val asManager: ContentManager = proxy(ContentManager::class.java) { name, arguments ->
            when (name) {
                "addContent" -> contents.add(arguments[0] as Content).let { }
                "canCloseContents" -> canCloseContents
                "setSelectedContent" -> selected = arguments[0] as Content
                "getSelectedContent" -> selected ?: contents.first()
                "getContents" -> contents.toTypedArray()
                else -> error("the window needs $name")
            }
        }

        fun remove(content: Content) {
            contents -= content
            content.disposer?.let(Disposer::dispose)
        }

        fun dispose() {
            contents.toList().forEach(::remove)
            Disposer.dispose(disposable)
        }
    }

    private class Tab(private val component: JComponent, private var name: String) {
        private var isCloseable = true
        private var disposer: Disposable? = null
        private var focus: JComponent? = null
        val content: Content = proxy(Content::class.java) { method, arguments ->
            when (method) {
                "getComponent" -> component
                "getDisplayName" -> name
                "setDisplayName" -> name = arguments[0] as String
                "isCloseable" -> isCloseable
                "setCloseable" -> isCloseable = arguments[0] as Boolean
                "getDisposer" -> disposer
                "setDisposer" -> disposer = arguments[0] as Disposable
                "setPreferredFocusableComponent" -> focus = arguments[0] as JComponent
                "getPreferredFocusableComponent" -> focus
                else -> error("a tab needs $method")
            }
        }
    }

    private class Properties(saved: Map<String, String>) : PropertiesComponent() {
        val values = HashMap(saved)

        override fun unsetValue(name: String) {
            values.remove(name)
        }

        override fun isValueSet(name: String) = name in values

        override fun getValue(name: String): String? = values[name]

        override fun setValue(name: String, value: String?) = setValue(name, value, null)

        override fun setValue(name: String, value: String?, default: String?) {
            if (value == null || value == default) values.remove(name) else values[name] = value
        }

        override fun setValue(name: String, value: Float, default: Float) = setValue(name, "$value", "$default")

        override fun setValue(name: String, value: Int, default: Int) = setValue(name, "$value", "$default")

        override fun setValue(name: String, value: Boolean, default: Boolean) = setValue(name, "$value", "$default")

        override fun getValues(name: String): Array<String>? = null

        override fun setValues(name: String, values: Array<String>?) = error("not used")
    }

    companion object {
        fun toolWindow(): Element {
            val descriptor = checkNotNull(WindowFixture::class.java.getResourceAsStream("/META-INF/plugin.xml"))
            val document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(descriptor)
            return document.getElementsByTagName("toolWindow").item(0) as Element
        }

        private fun <T : Any> proxy(type: Class<T>, answer: (String, Array<Any?>) -> Any?): T = type.cast(
            Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { self, method, arguments ->
                when (method.name) {
                    "hashCode" -> System.identityHashCode(self)
                    "equals" -> self === arguments[0]
                    "toString" -> "a stand-in for ${type.simpleName}"
                    else -> answer(method.name, arguments ?: emptyArray()).takeUnless { it === Unit }
                }
            },
        )
    }
}

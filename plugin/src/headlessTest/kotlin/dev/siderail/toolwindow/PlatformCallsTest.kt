package dev.siderail.toolwindow

import com.intellij.diff.DiffContentFactory
import com.intellij.diff.DiffManager
import com.intellij.diff.chains.SimpleDiffRequestChain
import com.intellij.diff.contents.DocumentContent
import com.intellij.diff.requests.SimpleDiffRequest
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.CommonDataKeys
import com.intellij.openapi.actionSystem.DataContext
import com.intellij.openapi.actionSystem.DefaultActionGroup
import com.intellij.openapi.actionSystem.Presentation
import com.intellij.openapi.editor.EditorSettings
import com.intellij.openapi.editor.LazyRangeMarkerFactory
import com.intellij.openapi.editor.RangeMarker
import com.intellij.openapi.editor.colors.EditorColorsManager
import com.intellij.openapi.editor.colors.EditorColorsScheme
import com.intellij.openapi.editor.ex.EditorEx
import com.intellij.openapi.editor.ex.MarkupModelEx
import com.intellij.openapi.editor.impl.DocumentMarkupModel
import com.intellij.openapi.editor.markup.GutterIconRenderer
import com.intellij.openapi.editor.markup.TextAttributes
import com.intellij.openapi.fileEditor.FileEditor
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.fileEditor.OpenFileDescriptor
import com.intellij.openapi.fileTypes.FileType
import com.intellij.openapi.fileTypes.FileTypeManager
import com.intellij.openapi.fileTypes.FileTypeRegistry
import com.intellij.openapi.fileTypes.PlainTextFileType
import com.intellij.openapi.options.ShowSettingsUtil
import com.intellij.openapi.project.Project
import com.intellij.openapi.ui.popup.IPopupChooserBuilder
import com.intellij.openapi.ui.popup.JBPopup
import com.intellij.openapi.ui.popup.JBPopupFactory
import com.intellij.openapi.ui.popup.ListPopup
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.wm.ToolWindow
import com.intellij.openapi.wm.ToolWindowManager
import com.intellij.ui.EditorSettingsProvider
import com.intellij.ui.EditorTextField
import com.intellij.ui.awt.RelativePoint
import com.intellij.util.Consumer
import com.intellij.util.Function
import dev.siderail.document.ReviewedFile
import dev.siderail.document.WriterFixture
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.document.partsOf
import dev.siderail.headless.ClassStandIn
import dev.siderail.headless.NamedActions
import dev.siderail.headless.NoEditors
import dev.siderail.headless.StandIns
import dev.siderail.headless.ToyLanguage
import dev.siderail.settings.SiderailConfigurable
import dev.siderail.ui.Texts
import java.awt.Color
import java.awt.Component
import java.awt.event.InputEvent
import java.awt.event.MouseEvent
import java.lang.reflect.Proxy
import java.util.concurrent.TimeUnit
import javax.swing.JButton
import javax.swing.JScrollPane
import javax.swing.SwingUtilities
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/**
 * What the window asks of the platform's popups, diffs, settings and tool windows: with which arguments, and on which thread.
 * The services are stand-ins that answer on the event dispatch thread alone, and, where files or editors open, with its lock.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlatformCallsTest {
    private val ide = WriterFixture()
    private val platform = ide.platform
    private val calls = ArrayList<String>()
    private val undo = ArrayList<() -> Unit>()
    private val project = object : Project by platform.project {
        override fun getBasePath() = ide.folder.root.toString()
    }

    /** The platform is there once for all tests. */
    @AfterEach
    fun restore() = undo.asReversed().forEach { it() }

    private fun <T : Any> replace(type: Class<T>, needsLock: Boolean = false, answer: (String, List<Any?>) -> Any?) {
        val service = ClassStandIn.of(type) { name, arguments ->
            platform.application.assertIsDispatchThread()
            if (needsLock) platform.application.assertReadAccessAllowed()
            answer(name, arguments)
        }
        val container = platform.application.picoContainer
        val before = container.unregisterComponent(type.name)
        platform.application.registerService(type, service)
        undo += {
            container.unregisterComponent(type.name)
            before?.let(container::registerComponent)
        }
    }

    private fun <T : Any> recording(type: Class<T>, answer: (name: String, arguments: List<Any?>) -> Any?): T = type.cast(
        Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { self, method, arguments ->
            platform.application.assertIsDispatchThread()
            answer(method.name, arguments.orEmpty().toList()).let { if (it === SELF) self else it.takeUnless { it === Unit } }
        },
    )

    /** As a listener of Swing, without the lock. */
    private fun listening(work: () -> Unit) = SwingUtilities.invokeAndWait(work)

    @Test
    fun `a list of choices opens below its button, is narrowed down by what it shows and by ids, and hands on what is chosen`() {
        val told = HashMap<String, Any?>()
        val popup = recording(JBPopup::class.java) { name, arguments -> told[name] = arguments.single().also { calls += name } }
        val builder = recording(IPopupChooserBuilder::class.java) { name, arguments ->
            calls += name
            if (name == "createPopup") return@recording popup
            told[name] = arguments.first()
            SELF
        }
        var offered: Any? = null
        replace(JBPopupFactory::class.java) { name, arguments ->
            check(name == "createPopupChooserBuilder") { name }
            offered = arguments.single()
            builder
        }
        val choices = listOf(Choice("fast-1", "Fast", group = "Vendor"), Choice(null, "Usual"))
        val taken = ArrayList<Choice>()
        val owner = JButton()
        listening { IdePopups.choose(choices, choices[1], "Model", owner) { taken += it } }
        assertEquals(choices, offered)
        assertEquals(listOf("createPopup", "showUnderneathOf"), calls.takeLast(2), "all is said before the list is made")
        assertSame(owner, told["showUnderneathOf"])
        assertEquals(listOf("Model", true, choices[1]), listOf("setTitle", "setRequestFocus", "setSelectedValue").map(told::get))
        assertTrue(told["setRenderer"] is ChoiceCell)
        @Suppress("UNCHECKED_CAST")
        val named = told["setNamerForFiltering"] as Function<Choice, String>
        assertEquals(listOf("Fast  ·  Vendor fast-1", "Usual "), choices.map { named.`fun`(it) })
        @Suppress("UNCHECKED_CAST")
        listening { (told["setItemChosenCallback"] as Consumer<Choice>).consume(choices[0]) }
        assertEquals(listOf(choices[0]), taken)
        calls.clear()
        listening { IdePopups.choose(choices, null, "Model", owner) {} }
        assertTrue("setSelectedValue" !in calls, "nothing is selected")
    }

    private fun clicked(review: IdeReview, file: ReviewedFile, input: InputEvent?): AnActionEvent {
        val event = AnActionEvent(input, DataContext { null }, "mark", Presentation(), NamedActions(emptyMap()), 0)
        onEventThread {
            review.show(listOf(file), object : ReviewListener {
                override val canRevert get() = true

                override fun decided(file: ReviewedFile, refusal: String) = Unit
            })
        }
        onEventThread {
            val marks = DocumentMarkupModel.forDocument(ide.document(file.path), project, true).allHighlighters
            val mark = marks.minBy { it.startOffset }.gutterIconRenderer as GutterIconRenderer
            checkNotNull(mark.clickAction).actionPerformed(event)
        }
        return event
    }

    @Test
    fun `a mark's menu opens where the mouse is, or by a key at the best place, and reverts nothing that was changed since`() {
        var group: DefaultActionGroup? = null
        var context: Any? = null
        val popup = recording(ListPopup::class.java) { name, arguments ->
            calls += name
            if (name == "show") check((arguments.single() as RelativePoint).component is JButton)
            if (name == "showInBestPositionFor") check(arguments.single() === context)
        }
        replace(JBPopupFactory::class.java) { name, arguments ->
            check(name == "createActionGroupPopup") { name }
            assertEquals(listOf(Texts["review.menu"], JBPopupFactory.ActionSelectionAid.SPEEDSEARCH, true), listOf(arguments[0], arguments[3], arguments[4]))
            group = arguments[1] as DefaultActionGroup
            context = arguments[2]
            popup
        }
        ide.put("a.txt", "A\nb\nC\n")
        ide.document("a.txt")
        lateinit var review: IdeReview
        onEventThread { review = IdeReview(project, { onEventThread(it) }) { _, _ -> } }
        undo += { onEventThread { Disposer.dispose(review) } }
        val file = ReviewedFile("a.txt", "a\nb\nc\n", "A\nb\nC\n", partsOf(0, 1, 0, 1, 2, 3, 2, 3))
        fun enabled(event: AnActionEvent) = checkNotNull(group).childActionsOrStubs.map { action ->
            val shown = AnActionEvent(null, event.dataContext, "mark", Presentation(), NamedActions(emptyMap()), 0)
            action.update(shown)
            shown.presentation.isEnabled
        }
        assertEquals(listOf(true, true, true, true, true), enabled(clicked(review, file, null)))
        ide.type("a.txt", "A typed\nb\nC\n")
        val mouse = MouseEvent(JButton(), MouseEvent.MOUSE_CLICKED, 0, 0, 3, 4, 1, false)
        assertEquals(listOf(true, false, true, true, true), enabled(clicked(review, file, mouse)))
        assertEquals(listOf("showInBestPositionFor", "show"), calls)
    }

    @Test
    fun `a diff has a page for each change, with both texts in the colours of the file`() {
        val shown = ArrayList<SimpleDiffRequestChain>()
        val made = HashMap<Any, List<Any?>>()
        replace(DiffContentFactory::class.java, needsLock = true) { name, arguments ->
            check(name == "create" && arguments[0] === platform.project) { name }
            StandIns.quiet(DocumentContent::class.java).also { made[it] = arguments.drop(1) }
        }
        replace(DiffManager::class.java, needsLock = true) { name, arguments ->
            check(name == "showDiff" && arguments[0] === platform.project) { name }
            shown += arguments[1] as SimpleDiffRequestChain
        }
        val changes = listOf(FileChange("src/a.toy", "x = 1;", "x = 2;"), FileChange("b.txt", null, "new"))
        onEventThread { OpenDesk(platform.project).showDiff("A change", changes) }
        val requests = shown.single().requests.map { (it as SimpleDiffRequestChain.DiffRequestProducerWrapper).request as SimpleDiffRequest }
        assertEquals(listOf("A change", "A change"), requests.map { it.title })
        assertEquals(listOf(Texts["diff.before"], Texts["diff.after"]), requests[1].contentTitles)
        val plain: FileType = PlainTextFileType.INSTANCE
        val expected = listOf(listOf("x = 1;" to ToyLanguage.FileType, "x = 2;" to ToyLanguage.FileType), listOf("" to plain, "new" to plain))
        assertEquals(expected, requests.map { request -> request.contents.map { made.getValue(it).let { (text, type) -> text to type } } })
    }

    @Test
    fun `a file opens in an editor at its line, with the focus`() {
        ide.put("a.txt", "a\nb\n")
        val file = ide.virtualFile("a.txt")
        val editor = platform.editor(file, ide.document("a.txt"))
        val editors = object : NoEditors(project) {
            override fun openEditor(descriptor: OpenFileDescriptor, focusEditor: Boolean): List<FileEditor> {
                platform.application.assertIsDispatchThread()
                platform.application.assertReadAccessAllowed()
                calls += "${descriptor.file.name} ${descriptor.line} ${descriptor.column} $focusEditor"
                return listOf(editor)
            }
        }
        val markers = ClassStandIn.of(LazyRangeMarkerFactory::class.java) { _, _ -> StandIns.quiet(RangeMarker::class.java) }
        val withEditors = object : Project by project {
            private val own = mapOf(FileEditorManager::class.java to editors, LazyRangeMarkerFactory::class.java to markers)

            override fun <T : Any?> getComponent(type: Class<T>): T = own[type]?.let(type::cast) ?: project.getComponent(type)

            override fun <T : Any?> getService(type: Class<T>): T = own[type]?.let(type::cast) ?: project.getService(type)
        }
        // This class puts itself in place of the registry as soon as somebody asks for it.
        val registry = FileTypeRegistry.ourInstanceGetter
        undo += { FileTypeRegistry.ourInstanceGetter = registry }
        replace(FileTypeManager::class.java) { _, _ -> PlainTextFileType.INSTANCE }
        onEventThread { OpenDesk(withEditors).openFile(file, 1) }
        assertEquals(listOf("a.txt 1 0 true"), calls)
    }

    @Test
    fun `the settings open at Siderail's page`() {
        replace(ShowSettingsUtil::class.java, needsLock = true) { name, arguments -> calls += "$name ${arguments[0] === platform.project} ${arguments[1]}" }
        onEventThread { OpenDesk(platform.project).openSettings() }
        assertEquals(listOf("showSettingsDialog true ${SiderailConfigurable::class.java}"), calls)
    }

    private fun windows(window: ToolWindow?) {
        val manager = ClassStandIn.of(ToolWindowManager::class.java) { name, arguments ->
            platform.application.assertIsDispatchThread()
            check(name == "getToolWindow" && arguments.single() == WindowFixture.toolWindow().getAttribute("id")) { "$name $arguments" }
            window
        }
        platform.replace(ToolWindowManager::class.java, manager)
        undo += { platform.project.picoContainer.unregisterComponent(ToolWindowManager::class.java.name) }
    }

    private fun focus(inProject: Boolean) {
        val context = DataContext { key -> platform.project.takeIf { inProject && CommonDataKeys.PROJECT.`is`(key) } }
        listening { FocusChatAction().actionPerformed(AnActionEvent(null, context, "keymap", Presentation(), NamedActions(emptyMap()), 0)) }
    }

    @Test
    fun `a click on the status bar's word shows the chat, and leaves the focus where it is`() {
        val window = WindowFixture()
        windows(window.asToolWindow)
        val mouse = MouseEvent(JButton(), MouseEvent.MOUSE_CLICKED, 0, 0, 3, 4, 1, false)
        listening { StatusWidget(platform.project).clickConsumer.consume(mouse) }
        assertEquals(listOf<Any?>(1, "Chat", 0), listOf(window.shown, window.selected?.displayName, window.activated))
    }

    @Test
    fun `the action that moves the focus to the chat does so in a project that has the window, and nothing elsewhere`() {
        val window = WindowFixture()
        windows(window.asToolWindow)
        focus(inProject = false)
        assertEquals(0, window.activated)
        focus(inProject = true)
        assertEquals(1, window.activated)
        windows(null)
        focus(inProject = true)
        assertEquals(1, window.activated)
    }

    /** What the field would do with its editor, which it makes when it is on the screen. */
    private fun madeFor(block: Component?): Viewer = Viewer((block as EditorBlock).components.single() as EditorTextField)

    private inner class Viewer(val field: EditorTextField) {
        val told = HashMap<String, Any?>()
        val marked = ArrayList<List<Any?>>()
        val scroll = JScrollPane()

        init {
            val settings = recording(EditorSettings::class.java) { name, arguments -> told[name] = arguments.single() }
            val markup = recording(MarkupModelEx::class.java) { name, arguments ->
                check(name == "addRangeHighlighter") { name }
                marked += arguments
                null
            }
            val editor = recording(EditorEx::class.java) { name, arguments ->
                when (name) {
                    "getSettings" -> settings
                    "getMarkupModel" -> markup
                    "getScrollPane" -> scroll
                    "getDocument" -> field.document
                    else -> told[name] = arguments.single()
                }
            }
            val providers = EditorTextField::class.java.getDeclaredField("mySettingsProviders").apply { isAccessible = true }.get(field) as List<*>
            providers.forEach { (it as EditorSettingsProvider).customizeSettings(editor) }
        }
    }

    @Test
    fun `code and diffs are viewers without scrolling of their own, code in its language, changed lines with their ground`() {
        replace(EditorColorsManager::class.java) { name, _ ->
            check(name == "getGlobalScheme") { name }
            StandIns.quiet(EditorColorsScheme::class.java, mapOf("getDefaultBackground" to Color.WHITE, "getDefaultForeground" to Color.BLACK))
        }
        onEventThread(::viewers)
    }

    private fun viewers() {
        val code = madeFor(IdeEditorViews.code("x = 1;\r\ny = 2;\n\n", "toy"))
        assertEquals("x = 1;\ny = 2;" to ToyLanguage.FileType, code.field.document.text to code.field.fileType)
        assertTrue(code.field.isViewer)
        assertEquals(false to 0, code.told["setUseSoftWraps"] to code.told["setAdditionalLinesCount"])
        assertEquals(true to false, code.told["setHorizontalScrollbarVisible"] to code.told["setVerticalScrollbarVisible"])
        assertFalse(code.scroll.isWheelScrollingEnabled)
        assertEquals(emptyList<Any>(), code.marked)
        assertSame(PlainTextFileType.INSTANCE, madeFor(IdeEditorViews.code("a", "unheard-of")).field.fileType)

        val diff = madeFor(IdeEditorViews.diff(listOf(" a", "-b", "+cd")))
        assertEquals(listOf<Any?>(3 to 5, 6 to 9), diff.marked.map { it[0] to it[1] })
        assertEquals(listOf("-b", "+cd").map { DiffView.groundOf(it)?.invoke() }, diff.marked.map { (it[3] as TextAttributes).backgroundColor })
    }

    private companion object {
        /** The answer of a builder. */
        val SELF = Any()
    }
}

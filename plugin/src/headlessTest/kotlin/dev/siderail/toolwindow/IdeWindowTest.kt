package dev.siderail.toolwindow

import com.intellij.openapi.actionSystem.ActionManager
import com.intellij.openapi.actionSystem.ActionPlaces
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.CommonDataKeys
import com.intellij.openapi.actionSystem.DataContext
import com.intellij.openapi.actionSystem.DefaultActionGroup
import com.intellij.openapi.actionSystem.Presentation
import com.intellij.openapi.editor.Editor
import com.intellij.openapi.editor.SelectionModel
import com.intellij.openapi.editor.colors.EditorColorsManager
import com.intellij.openapi.editor.colors.EditorColorsScheme
import com.intellij.openapi.editor.colors.impl.DefaultColorsScheme
import com.intellij.openapi.util.Disposer
import dev.siderail.bridge.Event
import dev.siderail.document.ReviewedFile
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.document.partsOf
import dev.siderail.headless.HeadlessPlatform
import dev.siderail.headless.NamedActions
import dev.siderail.headless.StandIns
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.MarkIcons
import dev.siderail.ui.Texts
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** How the IDE opens the window, and what its actions and marks do. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeWindowTest {
    private val platform = HeadlessPlatform.instance
    private val actions = NamedActions(mapOf("ProblemsView.ToolWindow.TreePopup" to DefaultActionGroup()))

    private fun <T : Any> replace(type: Class<T>, service: T) {
        platform.application.picoContainer.unregisterComponent(type.name)
        platform.application.registerService(type, service)
    }

    /** An action asked for by a key of the keymap, in this project or in none. */
    private fun event(inProject: Boolean): AnActionEvent {
        val context = DataContext { key -> platform.project.takeIf { inProject && CommonDataKeys.PROJECT.`is`(key) } }
        return AnActionEvent(null, context, "keymap", Presentation(), actions, 0)
    }

    @Test
    fun `the factory opens a chat, and gives the window the IDE's icons, editors, lists and editor font`() {
        replace(ActionManager::class.java, actions)
        replace(EditorColorsManager::class.java, OneScheme)
        val window = WindowFixture()
        val before = window.contents.size
        val usual = arrayOf(Mark.icons, EditorViews.views, Popups.opener, Look.monoFamily)
        try {
            onEventThread { SiderailToolWindowFactory().createToolWindowContent(platform.project, window.asToolWindow) }
            assertEquals(listOf("Chat", "History", "Debug"), window.contents.drop(before).map { it.displayName })
            assertSame(IdeIcons, Mark.icons)
            assertSame(IdeEditorViews, EditorViews.views)
            assertSame(IdePopups, Popups.opener)
            assertEquals("A Font", Look.monoFamily)
        } finally {
            Mark.icons = usual[0] as MarkIcons
            EditorViews.views = usual[1] as EditorViews?
            Popups.opener = usual[2] as Popups
            Look.monoFamily = usual[3] as String
            onEventThread { window.closeProject() }
        }
    }

    @Test
    fun `commands of the keymap are there in a project, and those of the Problems view where a problem is selected`() {
        for (command in listOf(ChatCommandAction.NewChat(), ChatCommandAction.StopAgent(), ChatCommandAction.Allow(), ChatCommandAction.Deny())) {
            for (inProject in listOf(true, false)) {
                val event = event(inProject)
                command.update(event)
                assertEquals(inProject, event.presentation.isEnabled, "$command")
            }
        }
        for (action in listOf<FixSelectedAction>(FixSelectedAction.Problem(), FixSelectedAction.Test())) {
            val event = event(true)
            action.update(event)
            assertFalse(event.presentation.isVisible, "nothing is selected")
            action.actionPerformed(event)
        }
    }

    @Test
    fun `what is about a selection is offered where there is one`() {
        for (action in listOf(ChatCommandAction.AddSelection(), ChatCommandAction.AskSelection())) {
            for ((selected, place) in listOf(0, 3, null).flatMap { length -> listOf(ActionPlaces.EDITOR_POPUP, "keymap").map { length to it } }) {
                val model = StandIns.quiet(SelectionModel::class.java, mapOf("getSelectionEnd" to (selected ?: 0)))
                val editor = StandIns.quiet(Editor::class.java, mapOf("getSelectionModel" to model))
                val context = DataContext { key ->
                    if (CommonDataKeys.PROJECT.`is`(key)) platform.project else editor.takeIf { selected != null && CommonDataKeys.EDITOR.`is`(key) }
                }
                val event = AnActionEvent(null, context, place, Presentation(), actions, 0)
                action.update(event)
                assertEquals(selected == 3, event.presentation.isEnabled, "$action $selected")
                assertEquals(selected == 3 || place == "keymap", event.presentation.isVisible, "$action $selected $place")
            }
        }
    }

    @Test
    fun `a mark's menu keeps, reverts and shows a part, and reverts nothing while the agent works`() {
        val asked = ArrayList<String>()
        val decided = ArrayList<String>()
        var isIdle = false
        val listener = object : ReviewListener {
            override val canRevert get() = isIdle

            override fun decided(file: ReviewedFile, refusal: String) {
                decided += file.open.joinToString()
            }
        }
        lateinit var review: IdeReview
        onEventThread { review = IdeReview(platform.project, { onEventThread(it) }) { title, changes -> asked += "$title ${changes.single().after}" } }
        try {
            val file = ReviewedFile("a.txt", "a\nb\nc\n", "A\nb\nC\n", partsOf(0, 1, 0, 1, 2, 3, 2, 3))
            onEventThread { review.show(listOf(file), listener) }
            fun menu() = review.actions(file, 0, true).associateBy { it.templatePresentation.text }
            fun isEnabled(name: String) = event(true).also { menu().getValue(Texts["review.$name"]).update(it) }.presentation.isEnabled
            assertEquals(listOf(true, false, true, true, false), listOf("keep", "revert", "diff", "keep.file", "revert.file").map(::isEnabled))
            isIdle = true
            assertTrue(isEnabled("revert") && isEnabled("revert.file"))
            press(menu().getValue(Texts["review.diff"]))
            assertTrue(asked.single().startsWith("a.txt A\n"), "$asked")
            press(menu().getValue(Texts["review.keep"]))
            assertEquals(listOf("1"), decided)
            assertFalse(isEnabled("keep.file"), "one part is left")
        } finally {
            onEventThread { Disposer.dispose(review) }
        }
    }

    @Test
    fun `a notice is marked at the stripe once, and the icon is what it was when nobody waits`() {
        val window = WindowFixture()
        onEventThread {
            val plain = window.icon
            val notices = Notices(platform.project, window.asToolWindow)
            notices.attention(true)
            val dotted = window.icon
            notices.attention(true)
            assertSame(dotted, window.icon)
            notices.attention(false)
            assertSame(plain, window.icon)
            notices.of(emptyList<Event>()) { error("nobody is asked for") }
        }
    }

    private fun press(action: AnAction) = action.actionPerformed(event(true))

    private object OneScheme : EditorColorsManager() {
        private val scheme = object : DefaultColorsScheme() {
            override fun getEditorFontName() = "A Font"
        }

        override fun getGlobalScheme(): EditorColorsScheme = scheme

        override fun getScheme(name: String): EditorColorsScheme = scheme

        override fun getAllSchemes(): Array<EditorColorsScheme> = arrayOf(scheme)

        override fun isDefaultScheme(scheme: EditorColorsScheme) = true

        override fun addColorsScheme(scheme: EditorColorsScheme) = Unit

        override fun removeAllSchemes() = Unit

        override fun setGlobalScheme(scheme: EditorColorsScheme?) = Unit

        override fun isUseOnlyMonospacedFonts() = true

        override fun setUseOnlyMonospacedFonts(value: Boolean) = Unit
    }
}

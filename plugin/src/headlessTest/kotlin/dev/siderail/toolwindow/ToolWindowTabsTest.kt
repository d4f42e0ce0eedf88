package dev.siderail.toolwindow

import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.ui.AnimatedIcon
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.headless.LabelsOnly
import dev.siderail.screens.Recordings
import dev.siderail.ui.Mark
import dev.siderail.ui.MarkIcons
import java.awt.Color
import java.awt.Component
import java.awt.Container
import java.awt.Graphics
import java.awt.image.BufferedImage
import java.util.concurrent.TimeUnit
import javax.swing.Icon
import javax.swing.JLabel
import javax.swing.text.JTextComponent
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToolWindowTabsTest {
    private fun field(chat: ChatPanel) = chat.firstFocus as JTextComponent

    @Test
    fun `a chat that is closed ends its agent, and the first one stays`() {
        val window = WindowFixture()
        onEventThread { window.tabs.newChat() }
        assertEquals(listOf("Chat", "History", "Debug", "Chat 2"), window.contents.map { it.displayName })
        val second = window.contents.last()
        onEventThread { (second.component as ChatPanel).chat.send("go") }
        assertTrue(window.close(second), "the second chat has a cross")
        assertEquals(listOf("start 1 claude", "end 1"), window.sessions.calls.filter { it.startsWith("start") || it.startsWith("end") })
        assertEquals(2, window.sessions.calls.count { it == "agents" }, "each new chat looks which agents are installed")
        assertFalse(window.close(window.contents.first()))
    }

    @Test
    fun `what is typed and not sent is there again when the project is opened again`() {
        val window = WindowFixture()
        onEventThread {
            window.tabs.newChat()
            window.chats[0].chat.send("runs")
            window.chats[0].chat.send("waits")
            window.chats[0].refresh()
            field(window.chats[0]).text = "one"
            field(window.chats[1]).text = "two"
        }
        val again = WindowFixture(window.closeProject())
        assertEquals("runs\n\nwaits\n\none\n\ntwo", field(again.chats.single()).text)
        onEventThread { field(again.chats.single()).text = "" }
        val emptied = again.closeProject()
        assertEquals("", field(WindowFixture(emptied).chats.single()).text)
    }

    @Test
    fun `the stripe has a dot while a question waits, and the Debug tab is there only where it is wanted`() {
        val window = WindowFixture(showDebug = false)
        assertEquals(listOf("Chat", "History"), window.contents.map { it.displayName })
        val plain = window.icon
        onEventThread { window.chats[0].chat.send("go") }
        val asks = """"request_id":5,"tool":"Bash","kind":"execute","text":"make","paths":[],"options":[],"may_be_remembered":false,"asks":true"""
        window.sessions.deliver(listOf(Recordings.event(1, "SESSION_STARTED", """"agent":"claude","policy":"ask""""), Recordings.event(2, "PERMISSION_REQUEST", asks)))
        fun icon(): Icon? {
            var icon: Icon? = null
            onEventThread { icon = window.icon }
            return icon
        }
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20)
        while (icon() === plain && System.nanoTime() < end) Thread.sleep(20)
        assertTrue(icon() is DottedIcon)
        assertEquals("Siderail: waits for you", window.said.last())
        onEventThread { window.chats[0].run(ChatCommand.ALLOW) }
        assertTrue(icon() === plain)
        assertEquals("Siderail: working", window.said.last())
        onEventThread { window.chats[0].chat.close() }
        window.sessions.deliver(listOf(Recordings.event(3, "SUMMARY", "")))
        val later = System.nanoTime() + TimeUnit.SECONDS.toNanos(20)
        while (window.said.last() != "Siderail" && System.nanoTime() < later) Thread.sleep(20)
        assertEquals("Siderail", window.said.last())
    }

    @Test
    fun `a new chat by its key is shown, also while the history is in front, and an answer leaves the window as it is`() {
        val window = WindowFixture()
        onEventThread { press(window.titleActions[1]) }
        onEventThread { ChatCommand.STOP.runIn(window.asToolWindow) }
        assertEquals(0 to "History", window.shown to window.selected?.displayName)
        onEventThread { ChatCommand.NEW_CHAT.runIn(window.asToolWindow) }
        assertEquals(1 to "Chat 2", window.shown to window.selected?.displayName)
    }

    @Test
    fun `the tab of a chat that waits for an answer has a dot until it is answered`() {
        val window = WindowFixture()
        onEventThread {
            val chat = window.chats[0]
            chat.chat.send("go")
            val asks = """"request_id":5,"tool":"Bash","kind":"execute","text":"make","paths":[],"options":[],"may_be_remembered":false,"asks":true"""
            chat.apply(listOf(Recordings.event(1, "SESSION_STARTED", """"agent":"claude","policy":"ask""""), Recordings.event(2, "PERMISSION_REQUEST", asks)))
            assertEquals("\u25cf Chat", window.contents[0].displayName)
            chat.apply(listOf(Recordings.event(3, "SESSION_TITLE", """"title":"Make it"""")))
            assertEquals("\u25cf Make it", window.contents[0].displayName)
            chat.run(ChatCommand.ALLOW)
            assertEquals("Make it", window.contents[0].displayName)
        }
    }

    @Test
    fun `Local History has a label where each prompt's turn begins`() {
        val window = WindowFixture()
        LabelsOnly.labels.clear()
        window.sessions.deliver(
            listOf(
                Recordings.event(1, "TURN_STARTED", """"origin":"user","text":"Rename it\n\nplease""""),
                Recordings.event(2, "TURN_STARTED", """"origin":"guard","text":"go on""""),
            ),
        )
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20)
        while (LabelsOnly.labels.isEmpty() && System.nanoTime() < end) Thread.sleep(20)
        assertEquals(listOf("Before the message to the agent: Rename it"), LabelsOnly.labels)
    }

    @Test
    fun `the title has buttons for a new chat, the history and the settings, each with an icon`() {
        val window = WindowFixture()
        assertEquals(listOf("New chat", "History", "Siderail Settings"), window.titleActions.map { it.templatePresentation.text })
        assertTrue(window.titleActions.all { it.templatePresentation.icon != null && it.isDumbAware })
        onEventThread { press(window.titleActions[0]) }
        assertEquals(2, window.chats.size)
        onEventThread { press(window.titleActions[1]) }
        assertEquals("History", window.selected?.displayName)
    }

    /** The buttons ask nothing of their event. */
    private fun press(action: AnAction) {
        AnAction::class.java.getMethod("actionPerformed", AnActionEvent::class.java).apply { isAccessible = true }.invoke(action, null)
    }

    @Test
    fun `marks are the IDE's icons, the one that turns is its own, and what has a colour of its own is drawn`() {
        val painted = ArrayList<String>()
        val usual = Mark.icons
        Mark.icons = MarkIcons { kind -> if (kind == Mark.Kind.DOT) null else Painted(kind.name, painted) }
        try {
            val graphics = BufferedImage(40, 40, BufferedImage.TYPE_INT_ARGB).createGraphics()
            val label = JLabel()
            Mark(Mark.Kind.CHECK).paintIcon(label, graphics, 0, 0)
            Mark(Mark.Kind.RUNNING) { Color.RED }.paintIcon(label, graphics, 0, 0)
            Mark(Mark.Kind.CHECK) { Color.RED }.paintIcon(label, graphics, 0, 0)
            Mark(Mark.Kind.DOT).paintIcon(label, graphics, 0, 0)
            assertEquals(listOf("CHECK", "RUNNING"), painted)
            assertEquals(Painted.SIDE, Mark(Mark.Kind.CHECK).iconWidth, "nothing of it is cut off")
        } finally {
            Mark.icons = usual
        }
        assertTrue(IdeIcons.of(Mark.Kind.RUNNING) is AnimatedIcon)
        for (kind in listOf(Mark.Kind.CHECK, Mark.Kind.WARNING, Mark.Kind.CROSS, Mark.Kind.CHEVRON_DOWN)) assertTrue(IdeIcons.of(kind) != null) { "$kind" }
    }

    /** An icon that is painted for a component. */
    private class Painted(private val name: String, private val painted: MutableList<String>) : Icon {
        override fun getIconWidth() = SIDE

        override fun getIconHeight() = SIDE

        override fun paintIcon(component: Component?, graphics: Graphics, x: Int, y: Int) {
            if (component is JLabel) painted += name
        }

        companion object {
            /** Larger than a mark at any size of font that another test of this process may have set. */
            const val SIDE = 200
        }
    }

    @Test
    fun `every tab says where the focus goes when the person comes to it`() {
        val window = WindowFixture()
        for (content in window.contents) {
            val first = content.preferredFocusableComponent
            assertTrue(first != null && first.isFocusable && first in all(content.component)) { content.displayName }
        }
    }

    private fun all(component: Component): List<Component> =
        listOf(component) + (component as? Container)?.components.orEmpty().flatMap(::all)
}

package dev.siderail.toolwindow

import dev.siderail.BoundaryFiles
import dev.siderail.bridge.Event
import dev.siderail.screens.FakeActions
import dev.siderail.screens.FakeSessions
import dev.siderail.screens.Painter
import dev.siderail.screens.Recordings
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Prose
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.Component
import java.awt.Container

class HistoryModelTest {
    private val sessions = FakeSessions()
    private val model = HistoryModel(sessions::listHistory, sessions::exportHistory)

    private fun answer(query: String?, vararg titles: String): Event {
        val found = titles.mapIndexed { at, title -> """{"id":"id$at","agent":"claude","title":"$title","started_ms":1700000000000,"turns":2}""" }
        return Recordings.event(1, "HISTORY", (query?.let { """"query":"$it",""" } ?: "") + """"conversations":$found""", session = 0)
    }

    @Test
    fun `the list is read as the engine writes it`() {
        model.search("flaky test")
        model.apply(Event.of(BoundaryFiles.json("event", "history").asJsonObject))
        assertEquals(listOf(PastConversation("3f2a91c0", "claude", "Change x to 2.", 1_700_000_000_000, 3)), model.conversations)
    }

    @Test
    fun `a late answer to an older search is not taken for the one that is awaited`() {
        model.refresh()
        model.search(" delay ")
        model.search("delay")
        assertEquals(listOf("history null", "history delay"), sessions.calls)
        model.apply(answer(null, "everything"))
        assertNull(model.conversations)
        assertTrue(model.isAsking)
        model.apply(answer("delay", "retry delay"))
        assertEquals(listOf("retry delay"), model.conversations?.map { it.title })
        model.search("")
        assertEquals("history null", sessions.calls.last())
    }

    @Test
    fun `a page is saved for whom asked for it, once, under the conversation's title`() {
        model.refresh()
        model.apply(answer(null, "Why is: a/b flaky?"))
        val conversation = model.conversations!!.single()
        model.export(conversation)
        model.export(conversation)
        assertEquals(1, sessions.calls.count { it == "export id0" })
        val page = Recordings.event(2, "HISTORY_EXPORTED", """"conversation":"id0","markdown":"# x"""", session = 0)
        assertEquals(HistoryModel.Page("Why-is-a-b-flaky.md", "# x"), model.apply(page))
        assertNull(model.apply(page), "nobody asked again")
    }

    private fun unreadable() = Recordings.event(2, "ERROR", """"kind":"history","text":"the history cannot be read: no space"""", session = 0)

    @Test
    fun `a history that cannot be read says so, and is asked for again`() = Painter.under(Painter.Theme.LIGHT) {
        val panel = HistoryPanel(model, FakeActions()) {}
        panel.addNotify()
        panel.apply(unreadable())
        assertTrue(all(panel).any { it is Prose && it.text == "the history cannot be read: no space" })
        model.refresh()
        panel.apply(answer(null, "one"))
        assertTrue(all(panel).none { it is Prose && "no space" in it.text })
    }

    @Test
    fun `a page that could not be made can be asked for again`() {
        model.refresh()
        model.apply(answer(null, "one"))
        model.export(model.conversations!!.single())
        model.apply(unreadable())
        model.export(model.conversations!!.single())
        assertEquals(2, sessions.calls.count { it == "export id0" })
        model.apply(Recordings.event(3, "ERROR", """"kind":"spawn","text":"no agent"""", session = 0))
        model.export(model.conversations!!.single())
        assertEquals(2, sessions.calls.count { it == "export id0" }, "that error was another's")
    }

    private fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())

    @Test
    fun `a conversation is gone on with or saved from its row, and an empty list says why`() = Painter.under(Painter.Theme.LIGHT) {
        val actions = FakeActions()
        val gone = ArrayList<String>()
        val panel = HistoryPanel(model, actions) { gone += it.id }
        panel.addNotify()
        assertEquals("history null", sessions.calls.last())
        panel.apply(answer(null))
        assertTrue(all(panel).any { it is Prose && it.text == "No conversations are saved for this project yet." })
        panel.apply(answer(null, "one", "two"))
        fun press(name: String) = all(panel).filterIsInstance<LinkButton>().first { it.accessibleContext.accessibleName == name }.doClick()
        press("Resume two")
        assertEquals(listOf("id1"), gone)
        press("Export one as Markdown")
        panel.apply(Recordings.event(2, "HISTORY_EXPORTED", """"conversation":"id0","markdown":"# one"""", session = 0))
        assertEquals("save one.md: # one", actions.calls.last())
    }
}

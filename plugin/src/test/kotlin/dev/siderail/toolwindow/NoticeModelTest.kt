package dev.siderail.toolwindow

import dev.siderail.screens.Recordings
import dev.siderail.ui.Tone
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class NoticeModelTest {
    private var isVisible = false
    private val model = NoticeModel { isVisible }
    private var seq = 0L

    private fun told(name: String, members: String, session: Long = 1) = model.of(listOf(Recordings.event(++seq, name, members, session)), { "claude" })

    private val asks = """"request_id":5,"asks":true"""

    @Test
    fun `a question is told beside the window only while nobody can see it there`() {
        val waits = Notice("Claude Code waits for your answer", "", Tone.INFO)
        assertEquals(listOf(waits), told("PERMISSION_REQUEST", asks))
        assertEquals(listOf(waits), told("PLAN_PROPOSED", asks))
        assertEquals(waits, model.asks("Claude Code"))
        assertTrue(told("PERMISSION_REQUEST", """"request_id":5,"asks":false""").isEmpty(), "nobody is asked")
        isVisible = true
        assertTrue(told("PERMISSION_REQUEST", asks).isEmpty())
        assertEquals(null, model.asks("Claude Code"))
    }

    @Test
    fun `what ran unasked is told wherever the person looks, once a session`() {
        isVisible = true
        assertEquals(listOf(Notice("Something ran without asking", "Bash ran `ls`", Tone.WARNING)), told("UNGUARDED", """"text":"Bash ran `ls`""""))
        assertTrue(told("UNGUARDED", """"text":"Bash ran `pwd`"""").isEmpty())
        assertEquals(1, told("UNGUARDED", """"text":"Bash ran `ls`"""", session = 2).size)
    }

    @Test
    fun `an agent's death is told by its first line`() {
        assertEquals(
            listOf(Notice("Claude Code: The agent exited unexpectedly", "it exited with 137", Tone.BAD)),
            told("ERROR", """"kind":"closed","text":"it exited with 137\nlast words""""),
        )
        assertEquals("Claude Code: Something went wrong", told("ERROR", """"kind":"of a later engine","text":"x"""").single().title)
    }

    @Test
    fun `the end of a long turn is told to whoever has turned away`() {
        fun turn(from: Long, to: Long, reason: String = "end_turn") = model.of(
            listOf(
                Recordings.event(from * 10, "TURN_STARTED", """"origin":"user","text":"x""""),
                Recordings.event(to * 10, "TURN_ENDED", """"stop_reason":"$reason","continues":false"""),
            ),
        ) { "claude" }
        assertEquals(listOf(Notice("Claude Code is done", "", Tone.INFO)), turn(10, 40))
        assertTrue(turn(50, 55).isEmpty())
        assertTrue(turn(60, 100, "cancelled").isEmpty())
        isVisible = true
        assertTrue(turn(110, 150).isEmpty())
    }

    @Test
    fun `nothing else is worth a balloon`() {
        val events = Recordings.events("demo").filter { it.name != "UNGUARDED" && !it.body.flag("asks") }
        assertTrue(model.of(events) { "copilot" }.isEmpty())
    }
}

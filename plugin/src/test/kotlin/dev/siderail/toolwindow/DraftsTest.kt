package dev.siderail.toolwindow

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class DraftsTest {
    @Test
    fun `what was typed in any chat is kept, whichever is closed last`() {
        val drafts = Drafts()
        drafts.closed("first")
        assertEquals("first\n\nsecond", drafts.kept(listOf("second", "")))
        drafts.closed("")
        drafts.closed("second")
        assertEquals("first\n\nsecond", drafts.kept(emptyList()))
    }

    @Test
    fun `nothing is kept where everything was sent`() {
        val drafts = Drafts()
        drafts.closed(" \n")
        assertEquals("", drafts.kept(listOf("")))
    }
}

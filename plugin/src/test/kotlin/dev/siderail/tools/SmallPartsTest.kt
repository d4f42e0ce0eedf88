package dev.siderail.tools

import com.google.gson.JsonParser
import dev.siderail.bridge.Event
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.document.ToolFailure
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

class SmallPartsTest {
    @Test
    fun `arguments are read as models write them`() {
        val arguments = Arguments(
            JsonParser.parseString("""{"n":"7","big":1e9,"half":1.5,"yes":"true","no":null,"text":3,"list":[1]}""").asJsonObject,
        )
        assertEquals(7, arguments.number("n", 1, 10))
        assertEquals(10, arguments.amount("big", 1, 10))
        assertEquals(9, arguments.amount("n", 9, 10))
        assertEquals(null, arguments.number("absent", 1, 10))
        assertTrue(arguments.flag("yes"))
        assertFalse(arguments.flag("no") || arguments.has("no"))
        assertEquals(1, arguments.list("list")?.size)
        for (wrong in listOf({ arguments.number("half", 1, 10) }, { arguments.number("big", 1, 10) }, { arguments.text("text") }, { arguments.flag("n") })) {
            assertEquals(ToolErrorCode.INVALID_PARAM, assertThrows<ToolFailure> { wrong() }.code)
        }
        assertEquals(ToolErrorCode.MISSING_PARAM, assertThrows<ToolFailure> { arguments.requiredText("absent") }.code)
    }

    @Test
    fun `a turn is over when its work is, not where an agent is sent on`() {
        fun ends(json: String) = ToolService.endsTurn(Event.of(JsonParser.parseString(json).asJsonObject))
        fun event(name: String, more: String = "") = """{"v":1,"seq":1,"t":1.0,"session":1,"turn":1,"event":"$name"$more}"""
        assertFalse(ends(event("TURN_ENDED", ""","stop_reason":"end_turn","continues":true""")))
        assertTrue(ends(event("TURN_ENDED", ""","stop_reason":"end_turn","continues":false""")))
        assertTrue(ends(event("SUMMARY")))
        assertFalse(ends(event("TURN_STARTED")))
    }
}

package dev.siderail.toolwindow

import com.google.gson.JsonParser
import dev.siderail.BoundaryFiles
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import java.util.Locale

class UsageTest {
    private fun usage(json: String, before: Usage? = null) = Usage.of(JsonParser.parseString(json).asJsonObject, before)

    @Test
    fun `usage is read as the engine writes it`() {
        val usage = Usage.of(BoundaryFiles.json("event", "usage").asJsonObject, null)
        assertEquals("110 of 258k  ·  $0.0024", usage.line(Locale.US))
        assertEquals(
            listOf(
                "Context: 0% full, 110 of 258,400 tokens",
                "This conversation so far: $0.0024",
                "Last turn, in tokens: 200 read, 100 from the cache, 20 written, 4 thinking",
            ),
            usage.details(Locale.US),
        )
    }

    @Test
    fun `what an agent leaves out stays as it was, and what nobody told is not shown`() {
        val first = usage("""{"used":34567,"size":200000,"cost":{"amount":0.42,"currency":"USD"}}""")
        assertEquals("35k of 200k  ·  $0.42", first.line(Locale.US))
        val then = usage("""{"used":41000,"turn_tokens":{"total":10,"input":10,"output":0}}""", first)
        assertEquals("41k of 200k  ·  $0.42", then.line(Locale.US))
        assertEquals(listOf("input" to 10L), then.turn)
        assertEquals("", usage("{}").line(Locale.US))
        assertEquals("1.5k in context", usage("""{"used":1500}""").line(Locale.US))
        assertEquals("1.00 CREDITS", usage("""{"cost":{"amount":1,"currency":"CREDITS"}}""").line(Locale.US))
        assertNull(usage("""{"used":5,"size":0}""").share)
        assertEquals(1.0, usage("""{"used":9,"size":5}""").share, "no more than full")
    }

    @Test
    fun `numbers are short`() =
        assertEquals(listOf("999", "1.0k", "9.9k", "10k", "999k", "1.0M", "1.2M"), listOf(999L, 1_000, 9_900, 9_960, 999_400, 999_600, 1_240_000).map(Usage::short))
}

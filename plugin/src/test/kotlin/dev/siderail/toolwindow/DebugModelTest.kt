package dev.siderail.toolwindow

import dev.siderail.screens.Recordings
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class DebugModelTest {
    private fun replay(name: String) = DebugModel().also { model -> Recordings.events(name).forEach(model::apply) }

    @Test
    fun `the counts are those of the engine's own summary`() {
        for (name in listOf("demo", "asks-claude", "asks-copilot", "tour-opencode", "stubborn-vibe")) {
            val counts = replay(name).counts
            val summary = Recordings.events(name).last().body
            val denials = summary.getAsJsonObject("denials").entrySet().associate { it.key to it.value.asInt }
            assertEquals(denials, counts.denials, name)
            assertEquals(summary.number("followed").toInt(), counts.followed, name)
            assertEquals(summary.number("ignored").toInt(), counts.ignored, name)
            assertEquals(summary.decimal("redirect_rate"), counts.redirectRate, name)
            val receipts = summary.getAsJsonObject("guidance").entrySet().associate { (channel, value) ->
                channel to ReceiptCounts(value.asJsonObject.number("delivered").toInt(), value.asJsonObject.number("no_receipt").toInt(), value.asJsonObject.number("failed").toInt())
            }
            assertEquals(receipts, counts.receipts, name)
        }
    }

    @Test
    fun `without guidance there is no redirect rate`() = assertNull(DebugModel().counts.redirectRate)

    @Test
    fun `events stay in order, and pieces of a message are one row`() {
        val model = replay("asks-claude")
        model.filter = DebugFilter(DebugCategory.entries.toSet())
        val seqs = model.rows.map { it.seq }
        assertEquals(seqs.sorted(), seqs)
        val thoughts = model.rows.filter { it.name == "AGENT_THOUGHT" }
        assertEquals(1, thoughts.size)
        assertTrue(thoughts[0].text.endsWith("3. run the tests")) { thoughts[0].text }
    }

    @Test
    fun `the filter finds by category, text and path`() {
        val model = replay("demo")
        model.filter = DebugFilter(setOf(DebugCategory.DECISION))
        assertTrue(model.rows.all { it.name.startsWith("PERMISSION_") })
        model.filter = DebugFilter(text = "APP.java")
        assertTrue(model.rows.isNotEmpty() && model.rows.all { it.shareable().contains("App.java") })
    }

    @Test
    fun `a long session keeps its last rows and counts everything`() {
        val model = DebugModel(capacity = 100)
        repeat(100_000) { model.apply(Recordings.event(it.toLong(), "PERMISSION_DENIED", """"request_id":$it,"tool":"Bash","by":"policy"""")) }
        assertEquals(100, model.size)
        assertEquals(99_999, model.rows.last().seq)
        assertEquals(100_000, model.counts.denied)
    }

    @Test
    fun `what is exported holds no secrets`() {
        val model = DebugModel()
        val secrets = listOf("ghp_" + "a1".repeat(18), "sk-ant-" + "x".repeat(40), "0123456789abcdef".repeat(4), "hunter22secret", "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "AKIAABCDEFGHIJKLMNOP")
        val text = "GITHUB_TOKEN=${secrets[0]} Authorization: Bearer ${secrets[1]} and ${secrets[2]} password=${secrets[3]} jwt ${secrets[4]} \\\"api_key\\\": \\\"${secrets[5]}\\\""
        model.apply(Recordings.event(1, "PERMISSION_REQUEST", """"request_id":1,"tool":"Bash","kind":"execute","text":"$text","asks":false"""))
        val export = model.export()
        for (secret in secrets) assertFalse(secret in export) { "$secret in $export" }
        assertTrue("GITHUB_TOKEN=[hidden]" in export) { export }
    }

    @Test
    fun `exported lines are events that can be read again`() {
        val lines = replay("demo").also { it.filter = DebugFilter(DebugCategory.entries.toSet()) }.export().trimEnd().lines()
        assertEquals("SUMMARY", Recordings.event(lines.last()).name)
        lines.forEach { Recordings.event(it) }
    }
}

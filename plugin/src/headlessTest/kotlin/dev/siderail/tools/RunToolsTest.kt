package dev.siderail.tools

import dev.siderail.bridge.ToolErrorCode
import dev.siderail.document.Patience
import dev.siderail.document.ToolFailure
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The tools for run configurations, over ones that are made up: the platform's need a real IDE. */
class RunToolsTest {
    private class Fake : RunConfigurations {
        val made = LinkedHashMap<String, RunChange>()
        var onStart: (RunRecord) -> Unit = {}

        override fun all() = made.keys.map { RunConfigurationFacts(it, "Application", false) }

        override fun types() = listOf("Application", "Gradle")

        override fun create(name: String, type: String, change: RunChange, patience: Patience) {
            made[name] = change
        }

        override fun edit(name: String, change: RunChange, patience: Patience) {
            if (name !in made) throw ToolFailure.invalid("there is no run configuration `$name`")
            made[name] = change
        }

        override fun start(name: String, record: RunRecord, patience: Patience) = onStart(record)
    }

    private val fake = Fake()
    private val tools = ToolFixture(more = RunTools(fake).all).also { it.experimental = true }

    @Test
    fun `they are offered only where experimental tools are switched on`() {
        assertTrue("run_configuration" in tools.host.tools)
        tools.experimental = false
        assertFalse("run_configuration" in tools.host.tools)
        assertEquals(ToolErrorCode.TOOL_DISABLED, tools.failure("list_run_configurations", "{}").code)
    }

    @Test
    fun `a configuration is made with what is given, listed and changed`() {
        val text = tools.text(
            "create_run_configuration",
            """{"name":"App","type":"Application","main_class":"a.Main","vm_args":"-Xmx1g","env":["A=1","B=x=y"]}""",
        )
        assertTrue(text.startsWith("created"), text)
        assertEquals(RunChange("a.Main", null, "-Xmx1g", null, mapOf("A" to "1", "B" to "x=y")), fake.made["App"])
        assertTrue(tools.text("list_run_configurations", "{}").startsWith("1 run configurations\nApp: Application\nTypes"))
        assertEquals(ToolErrorCode.INVALID_PARAM, tools.failure("edit_run_configuration", """{"name":"App"}""").code)
        tools.text("edit_run_configuration", """{"name":"App","program_args":"--x"}""")
        assertEquals(RunChange(programArgs = "--x"), fake.made["App"])
        assertEquals(ToolErrorCode.INVALID_PARAM, tools.failure("create_run_configuration", """{"name":"B","type":"Application","env":["x"]}""").code)
        val outside = tools.failure("create_run_configuration", """{"name":"B","type":"Application","working_dir":"../.."}""")
        assertEquals(ToolErrorCode.OUTSIDE_PROJECT, outside.code)
    }

    @Test
    fun `a run that ends in time is told whole, one that goes on is asked for by its id`() {
        fake.onStart = { it.append("hello\nworld\n").also { _ -> it.end("ended with exit code 3") } }
        assertEquals("App (run_id config-1) ended with exit code 3\nhello\nworld\n", tools.text("run_configuration", """{"name":"App"}"""))
        lateinit var record: RunRecord
        fake.onStart = { record = it.apply { append("one\n") } }
        val running = tools.text("run_configuration", """{"name":"App","wait_s":0}""")
        assertTrue("is running\none\nNext: read_run_output {\"run_id\":\"config-2\"}" in running, running)
        repeat(1_000) { record.append("line $it\n") }
        record.end("ended with exit code 0")
        record.end("later words do not count")
        val tail = tools.text("read_run_output", """{"tail":2}""")
        assertEquals("App (run_id config-2) ended with exit code 0\nThe last 2 lines of its output:\nline 998\nline 999\n", tail)
        val page = tools.text("read_run_output", """{"run_id":"config-2","page":1}""")
        assertTrue(page.startsWith("config-2 page 1 of 6\none\nline 0\n"), page)
        assertEquals(ToolErrorCode.INVALID_PARAM, tools.failure("read_run_output", """{"run_id":"config-9"}""").code)
    }

    @Test
    fun `output without end is cut at its beginning, and the end is what stays`() {
        val record = RunRecord("config-1", "App")
        repeat(30_000) { record.append("a line of about fifty characters, more or less $it\n") }
        assertTrue(record.missing > 0)
        assertTrue(record.lines().last().endsWith(" 29999"))
        assertTrue(record.lines().sumOf { it.length } < 1_200_000)
    }
}

package dev.siderail.tools

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import dev.siderail.bridge.HostReply
import dev.siderail.document.WriterFixture
import dev.siderail.engine.Answer
import dev.siderail.engine.Tidying
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.streams.asSequence
import org.junit.jupiter.api.Assertions.assertAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.function.Executable

/**
 * A model must not notice whether an IDE or the command line performs its tools: the filesystem host's tests read
 * the same file, and wrote its answers.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AlikeTest {
    @TestFactory
    fun `the same calls are answered alike`(): List<DynamicTest> {
        val file = Path.of(System.getProperty("siderail.root"), "tests/alike/tools.json")
        return JsonParser.parseString(Files.readString(file)).asJsonArray.map { it.asJsonObject }.map { scenario ->
            dynamicTest(scenario.get("name").asString) { play(scenario) }
        }
    }

    private fun play(scenario: JsonObject) {
        val ide = ToolFixture(files = WriterFixture())
        ide.tidying = Tidying.OFF
        var person: JsonObject? = null
        ide.questions.watch { open -> open.forEach { it.answer(person.answer()) } }
        for ((path, text) in scenario.getAsJsonObject("files").entrySet()) ide.files.put(path, text.asString)
        val first = scenario.getAsJsonArray("calls").firstStamp()
        val checks = ArrayList<Executable>()
        for (call in scenario.getAsJsonArray("calls").map { it.asJsonObject }) {
            val arguments = call.getAsJsonObject("arguments").deepCopy()
            if (arguments.get("expected_stamp")?.asString == "@first") arguments.addProperty("expected_stamp", first)
            person = call.getAsJsonObject("person")
            val (code, answer) = when (val reply = ide.reply(call.get("tool").asString, arguments.toString())) {
                is HostReply.Tool -> null to reply.text
                is HostReply.Failed -> reply.code.word to reply.text
                else -> error("$reply")
            }
            val wanted = call.get("code")?.takeUnless { it.isJsonNull }?.asString to call.get("answer").asString
            checks.add(Executable { assertEquals(wanted, code to answer, "$arguments") })
        }
        checks.add(Executable { assertEquals(scenario.getAsJsonObject("after").toTexts(), filesOf(ide.files.folder.root)) })
        assertAll(checks)
    }

    /** What the scenario's person says to the present call's question. */
    private fun JsonObject?.answer(): Answer = when {
        this == null -> Answer.Cancelled
        has("given") -> Answer.Given(get("given").asString)
        else -> Answer.Declined(get("declined").asString)
    }

    private fun JsonArray.firstStamp(): String? = firstNotNullOfOrNull {
        Regex("stamp ([0-9a-f]{16})").find(it.asJsonObject.get("answer").asString)?.groupValues?.get(1)
    }

    private fun JsonObject.toTexts(): Map<String, String> = entrySet().associate { it.key to it.value.asString }

    private fun filesOf(root: Path): Map<String, String> = Files.walk(root).use { files ->
        files.asSequence().filter(Files::isRegularFile)
            .associate { root.relativize(it).joinToString("/") to Files.readString(it) }
    }
}

package dev.siderail

import com.google.gson.JsonObject
import dev.siderail.document.WrittenName
import dev.siderail.tools.LineExcerpt
import dev.siderail.ui.Visible
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** What is written here as the library writes it; a test of the Rust side reads the same files. */
class SharedRulesTest {
    @Test
    fun `what a screen would hide is written out`() {
        for (case in cases("visible")) {
            assertEquals(case["shown"].asString, Visible.text(case["text"].asString))
            assertEquals(case["code"].asString, Visible.code(case["text"].asString))
        }
    }

    @Test
    fun `a file's name is written in the form that the engine reads back`() {
        for (case in cases("written_names")) assertEquals(case["written"].asString, WrittenName.of(case["name"].asString))
    }

    @Test
    fun `a long line is cut around the place, and no letter is cut in two`() {
        for (case in cases("line_excerpts")) {
            val line = case["line"].asString
            assertEquals(case["shown"].asString, LineExcerpt.around(line, line.indexOf("needle")))
        }
    }

    private fun cases(rule: String): List<JsonObject> = BoundaryFiles.json("rule", rule).asJsonArray.map { it.asJsonObject }
}

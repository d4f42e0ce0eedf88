package dev.siderail

import com.google.gson.JsonObject
import dev.siderail.document.WrittenName
import dev.siderail.tools.LineExcerpt
import dev.siderail.settings.Secrets
import dev.siderail.toolwindow.Mentions
import dev.siderail.toolwindow.capped
import dev.siderail.ui.Visible
import dev.siderail.ui.atMost
import dev.siderail.ui.shortened
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
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
        for ((name, written) in cases("written_names").map { it["name"].asString to it["written"].asString }) {
            assertEquals(written, WrittenName.of(name))
            assertEquals(name, WrittenName.unquoted(WrittenName.quoted(name).removeSurrounding("\"")))
        }
        for (none in listOf("open\\", "a\"b", "\\q", "\\12")) assertNull(WrittenName.unquoted(none))
    }

    @Test
    fun `a long line is cut around the place, and no letter is cut in two`() {
        for (case in cases("line_excerpts")) {
            val line = case["line"].asString
            assertEquals(case["shown"].asString, LineExcerpt.around(line, line.indexOf("needle")))
        }
    }

    @Test
    fun `a long text keeps its beginning and its end, and no character is cut in two`() {
        for (case in cases("capped")) assertEquals(case["capped"].asString, case["text"].asString.capped(case["most"].asInt))
        assertEquals(listOf("😀😀", "😀…", "😀😀"), listOf("😀😀😀".atMost(2), "😀😀😀".shortened(2), "😀😀".shortened(2)))
    }

    @Test
    fun `a prompt's names are read and written as the engine does`() {
        val rule = BoundaryFiles.json("rule", "mentions").asJsonObject
        for (case in rule["read"].asJsonArray.map { it.asJsonObject }) {
            assertEquals(case["names"].asJsonArray.map { it.asString }, Mentions.named(case["text"].asString))
        }
        for (case in rule["written"].asJsonArray.map { it.asJsonObject }) {
            assertEquals(case["mention"].asString + " ", Mentions.written(case["path"].asString))
        }
    }

    @Test
    fun `what is assigned to the name of a secret is hidden, and prose and code are not`() {
        for (case in cases("hidden_texts")) assertEquals(case["hidden"].asString, Secrets.redact(case["text"].asString))
    }

    private fun cases(rule: String): List<JsonObject> = BoundaryFiles.json("rule", rule).asJsonArray.map { it.asJsonObject }
}

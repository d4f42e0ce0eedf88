package dev.siderail.tools

import dev.siderail.document.WriterFixture
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledIfSystemProperty
import java.io.File
import java.nio.file.Files
import java.nio.file.Path

/**
 * How long a search in the plugin's host takes beside ripgrep, with fifty unsaved documents laid over the disk. It measures
 * and tests nothing: `cargo xtask peers ide` makes the projects, builds the tools for speed and prints what this writes.
 */
@EnabledIfSystemProperty(named = "siderail.sources", matches = ".+")
class SearchTimes {
    private val folder = Path.of(System.getProperty("siderail.sources"))
    private val rows = StringBuilder("median ms (minimum, maximum), $UNSAVED unsaved documents | ours | rg | ratio\n")

    @Test
    fun `a search beside ripgrep`() {
        for (count in listOf(8_000, 50_000)) {
            val ide = ToolFixture(files = WriterFixture(folder.resolve("sources$count")))
            for (n in 0 until UNSAVED) {
                val number = n * (count / UNSAVED)
                val name = "module${number / 400}/src/part${number / 20 % 20}/file$number.toy"
                ide.files.type(name, "fn unsaved_of_hay() { $WORD(); }\n".repeat(20))
            }
            time(ide, "a word in $count files", WORD, """{"query": "$WORD"}""")
            time(ide, "an expression in $count files", FORM, """{"query": "${FORM.replace("\\", "\\\\")}", "regex": true}""")
        }
        Files.writeString(folder.resolve("times.txt"), rows)
    }

    private fun time(ide: ToolFixture, what: String, query: String, arguments: String) {
        val ours = ArrayList<Double>()
        val theirs = ArrayList<Double>()
        for (round in 0..ROUNDS) {
            val mine = timed { check("of_hay" in ide.text("search_text", arguments)) { "an unsaved text is not found" } }
            val other = timed { ripgrep(ide.files.folder.root, query) }
            // The first round warms up.
            if (round > 0) ours.add(mine)
            if (round > 0) theirs.add(other)
        }
        rows.append("$what | ${row(ours)} | ${row(theirs)} | %.2f\n".format(median(ours) / median(theirs)))
    }

    private fun ripgrep(root: Path, query: String) {
        val process = ProcessBuilder("rg", "-n", "-i", query, ".").directory(root.toFile())
            .redirectInput(File("/dev/null")).start()
        check(process.inputStream.readAllBytes().isNotEmpty()) { "ripgrep found nothing" }
        check(process.waitFor() == 0) { "ripgrep failed" }
    }

    private fun timed(work: () -> Unit): Double {
        val started = System.nanoTime()
        work()
        return (System.nanoTime() - started) / 1e6
    }

    private fun median(times: List<Double>) = times.sorted()[times.size / 2]

    private fun row(times: List<Double>) = "%.1f (%.1f, %.1f)".format(median(times), times.min(), times.max())

    private companion object {
        const val UNSAVED = 50
        const val ROUNDS = 15
        const val WORD = "needle_in_the_hay"
        const val FORM = "fn \\w+_of_hay\\("
    }
}

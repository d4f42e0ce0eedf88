package dev.siderail.toolwindow

/** A line of a change: `+`, `-` or a space, and the text. */
data class DiffLine(val sign: String, val text: String)

/**
 * Changes as lines for a glance. The IDE's own viewer compares properly; this cuts away what both ends have in
 * common, which is what an edit looks like, and reads unified diffs. Pure.
 */
object Diffs {
    fun lines(change: FileChange, context: Int = 2): List<DiffLine> {
        val before = linesOf(change.before.orEmpty())
        val after = linesOf(change.after)
        var head = 0
        while (head < minOf(before.size, after.size) && before[head] == after[head]) head++
        var tail = 0
        while (tail < minOf(before.size, after.size) - head && before[before.size - 1 - tail] == after[after.size - 1 - tail]) tail++
        // Where the line ends are the same on both sides, nobody has to see them.
        val hidesReturns = (before + after).dropLast(1).all { it.endsWith('\r') }
        val lines = buildList {
            after.subList((head - context).coerceAtLeast(0), head).mapTo(this) { DiffLine(" ", it) }
            before.subList(head, before.size - tail).mapTo(this) { DiffLine("-", it) }
            after.subList(head, after.size - tail).mapTo(this) { DiffLine("+", it) }
            after.subList(after.size - tail, (after.size - tail + context).coerceAtMost(after.size)).mapTo(this) { DiffLine(" ", it) }
        }
        return lines.map { it.copy(text = Visible.code(if (hidesReturns) it.text.removeSuffix("\r") else it.text)) }
    }

    /** An empty text has no lines, not an empty one. A carriage return that ends no line is a part of its line. */
    private fun linesOf(text: String) = if (text.isEmpty()) emptyList() else text.trimEnd('\n').split('\n')

    /** The lines of a unified diff's hunks; what stands between hunks is left out. */
    fun lines(unified: String): List<DiffLine> {
        val found = ArrayList<DiffLine>()
        var old = 0
        var new = 0
        for (line in unified.split('\n')) {
            val header = HUNK.find(line)
            when {
                old <= 0 && new <= 0 && header != null -> {
                    old = header.groupValues[1].ifEmpty { "1" }.toInt()
                    new = header.groupValues[2].ifEmpty { "1" }.toInt()
                }
                old <= 0 && new <= 0 || line.startsWith("\\") -> Unit
                else -> {
                    val sign = line.take(1).takeIf { it == "+" || it == "-" } ?: " "
                    if (sign != "+") old--
                    if (sign != "-") new--
                    found += DiffLine(sign, Visible.code(line.drop(1).removeSuffix("\r")))
                }
            }
        }
        return found
    }

    /** What a unified diff says of the text before and after it: the parts that it shows. */
    fun sides(unified: String): Pair<String, String> {
        val lines = lines(unified)
        val before = lines.filter { it.sign != "+" }.joinToString("\n") { it.text }
        val after = lines.filter { it.sign != "-" }.joinToString("\n") { it.text }
        return before to after
    }

    /** Lines added and removed. */
    fun count(lines: List<DiffLine>): Pair<Int, Int> = lines.count { it.sign == "+" } to lines.count { it.sign == "-" }

    fun of(tool: ToolItem): List<DiffLine> = tool.diff?.let { lines(it) } ?: tool.changes.flatMap { lines(it) }

    private val HUNK = Regex("""^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@""")
}

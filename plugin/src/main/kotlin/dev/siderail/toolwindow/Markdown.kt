package dev.siderail.toolwindow

/**
 * A model's Markdown as blocks. Plain data from plain text: no HTML, no Swing, nothing is loaded.
 *
 * The dialect is what coding agents write: headings, paragraphs, fenced code, lists, quotes, tables, rules.
 * Every input is read in time linear to its length, nesting is bounded, and no input fails. [MarkdownStream]
 * reads text that is still growing; [MarkdownHtml] turns blocks into HTML that is safe to show.
 */
sealed interface Block {
    data class Heading(val level: Int, val text: String) : Block
    data class Paragraph(val text: String) : Block
    data class Code(val language: String, val text: String) : Block
    data class Quote(val blocks: List<Block>) : Block
    data class Listing(val start: Int?, val items: List<List<Block>>) : Block
    data class Table(val head: List<String>, val rows: List<List<String>>) : Block
    data object Rule : Block
}

object Markdown {
    /** Quotes and lists inside each other beyond this are read as paragraphs. */
    private const val DEPTH = 6

    fun parse(text: String): List<Block> = located(text.lines(), 0).map { it.block }

    /** A block and the line it begins on. */
    internal class Located(val line: Int, val block: Block)

    internal fun located(lines: List<String>, depth: Int): List<Located> {
        val found = ArrayList<Located>()
        var at = 0
        while (at < lines.size) {
            if (lines[at].isBlank()) {
                at++
                continue
            }
            val (block, next) = block(lines, at, depth)
            found += Located(at, block)
            at = next
        }
        return found
    }

    private fun block(lines: List<String>, at: Int, depth: Int): Pair<Block, Int> {
        val line = lines[at]
        fence(line)?.let { return code(lines, at, it) }
        heading(line)?.let { return it to at + 1 }
        if (isRule(line)) return Block.Rule to at + 1
        if (isTable(lines, at)) return table(lines, at)
        if (depth < DEPTH && line.trimStart().startsWith(">")) return quote(lines, at, depth)
        if (depth < DEPTH) marker(line)?.let { return listing(lines, at, depth, it) }
        return paragraph(lines, at, depth)
    }

    private class Fence(val char: Char, val length: Int, val indent: Int, val language: String)

    private fun fence(line: String): Fence? {
        val indent = line.indentation()
        val body = line.trimStart()
        val char = body.firstOrNull() ?: return null
        if (char != '`' && char != '~') return null
        val length = body.takeWhile { it == char }.length
        val info = body.drop(length).trim()
        if (length < 3 || (char == '`' && '`' in info)) return null
        return Fence(char, length, indent, info.takeWhile { !it.isWhitespace() }.take(40))
    }

    private fun code(lines: List<String>, at: Int, fence: Fence): Pair<Block, Int> {
        val body = ArrayList<String>()
        var next = at + 1
        while (next < lines.size) {
            val trimmed = lines[next].trim()
            next++
            if (trimmed.length >= fence.length && trimmed.all { it == fence.char }) break
            val line = lines[next - 1]
            body += line.drop(minOf(fence.indent, line.indentation()))
        }
        return Block.Code(fence.language, body.joinToString("\n")) to next
    }

    private fun heading(line: String): Block? {
        if (line.indentation() > 3) return null
        val body = line.trim()
        val level = body.takeWhile { it == '#' }.length
        if (level !in 1..6 || (body.length > level && !body[level].isWhitespace())) return null
        return Block.Heading(level, body.drop(level).trim().trimEnd('#').trim())
    }

    private fun isRule(line: String): Boolean {
        val marks = line.filterNot { it.isWhitespace() }
        return marks.length >= 3 && marks[0] in "-*_" && marks.all { it == marks[0] }
    }

    private fun isTable(lines: List<String>, at: Int): Boolean {
        if ('|' !in lines[at] || at + 1 >= lines.size) return false
        val under = lines[at + 1].trim()
        return '-' in under && '|' in under && under.all { it in "|-: \t" }
    }

    private fun table(lines: List<String>, at: Int): Pair<Block, Int> {
        val head = cells(lines[at])
        val rows = ArrayList<List<String>>()
        var next = at + 2
        while (next < lines.size && '|' in lines[next]) {
            val row = cells(lines[next])
            rows += List(head.size) { row.getOrElse(it) { "" } }
            next++
        }
        return Block.Table(head, rows) to next
    }

    private fun cells(line: String): List<String> {
        val cells = ArrayList<String>()
        val cell = StringBuilder()
        var escaped = false
        for (char in line.trim().removePrefix("|")) {
            if (char == '|' && !escaped) {
                cells += cell.toString().trim()
                cell.clear()
            } else {
                if (char == '|') cell.setLength(cell.length - 1)
                cell.append(char)
            }
            escaped = char == '\\' && !escaped
        }
        if (cell.isNotBlank()) cells += cell.toString().trim()
        return cells
    }

    private fun quote(lines: List<String>, at: Int, depth: Int): Pair<Block, Int> {
        val inner = ArrayList<String>()
        var next = at
        while (next < lines.size && lines[next].trimStart().startsWith(">")) {
            inner += lines[next].trimStart().drop(1).removePrefix(" ")
            next++
        }
        return Block.Quote(located(inner, depth + 1).map { it.block }) to next
    }

    /** A list item's beginning: where its text starts, and its number where the list is numbered. */
    private class Marker(val indent: Int, val content: Int, val number: Int?)

    private fun marker(line: String): Marker? {
        val indent = line.indentation()
        val body = line.trimStart()
        val digits = body.takeWhile { it in '0'..'9' }
        val sign = if (digits.isEmpty()) body.firstOrNull() else body.getOrNull(digits.length)
        val fits = if (digits.isEmpty()) sign == '-' || sign == '*' || sign == '+' else sign == '.' || sign == ')'
        val width = digits.length + 1
        if (!fits || digits.length > 9 || (body.length > width && body[width] != ' ' && body[width] != '\t')) return null
        val gap = body.drop(width).takeWhile { it == ' ' }.length
        return Marker(indent, indent + width + gap.coerceIn(1, 4), digits.toIntOrNull())
    }

    private fun listing(lines: List<String>, at: Int, depth: Int, first: Marker): Pair<Block, Int> {
        val items = ArrayList<MutableList<String>>()
        var content = first.content
        var next = at
        while (next < lines.size) {
            val line = lines[next]
            val marker = marker(line)
            val isSibling = marker != null && marker.indent < content && !isRule(line) &&
                (marker.number == null) == (first.number == null)
            when {
                isSibling -> {
                    content = marker!!.content
                    items += mutableListOf(line.drop(marker.content))
                }
                line.isBlank() -> items.last() += ""
                line.indentation() >= content -> items.last() += line.drop(content)
                lines[next - 1].isBlank() || interrupts(lines, next, depth) -> break
                else -> items.last() += line.trimStart()
            }
            next++
        }
        while (next > at && lines[next - 1].isBlank()) next--
        val blocks = items.map { item -> located(item, depth + 1).map { it.block } }
        return Block.Listing(first.number, blocks) to next
    }

    private fun paragraph(lines: List<String>, at: Int, depth: Int): Pair<Block, Int> {
        var next = at + 1
        while (next < lines.size && lines[next].isNotBlank() && !interrupts(lines, next, depth)) next++
        val text = lines.subList(at, next).joinToString("\n") { it.trimStart() }
        return Block.Paragraph(text.trimEnd()) to next
    }

    private fun interrupts(lines: List<String>, at: Int, depth: Int): Boolean {
        val line = lines[at]
        return fence(line) != null || heading(line) != null || isRule(line) || isTable(lines, at) ||
            (depth < DEPTH && (line.trimStart().startsWith(">") || (marker(line) != null && line.isNotBlank())))
    }

    private fun String.indentation(): Int = indexOfFirst { it != ' ' && it != '\t' }.let { if (it < 0) length else it }
}

/**
 * Markdown that arrives in pieces. What can no longer change is parsed once; only the last block and the
 * unfinished line are read again for each piece. The blocks are those that [Markdown.parse] would find in
 * the whole text, however it was cut.
 */
class MarkdownStream {
    private val stable = ArrayList<Block>()
    private val tail = StringBuilder()
    private var open: List<Block>? = emptyList()

    /** The blocks that can no longer change. */
    val settled: List<Block> get() = stable

    /** The blocks after them, as they read now. */
    val unsettled: List<Block> get() = open ?: Markdown.parse(tail.toString()).also { open = it }

    val blocks: List<Block> get() = settled + unsettled

    fun append(text: String) {
        tail.append(text)
        open = null
        if ('\n' in text) settle()
    }

    private fun settle() {
        val end = tail.lastIndexOf("\n") + 1
        val lines = tail.substring(0, end).removeSuffix("\n").split("\n").map { it.removeSuffix("\r") }
        val found = Markdown.located(lines, 0)
        if (found.size < 2) return
        found.dropLast(1).mapTo(stable) { it.block }
        var cut = 0
        repeat(found.last().line) { cut = tail.indexOf("\n", cut) + 1 }
        tail.delete(0, cut)
    }
}

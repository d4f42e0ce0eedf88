package dev.siderail.toolwindow

/**
 * Markdown blocks as HTML of the few tags that Swing's kit shows well.
 *
 * What a model wrote only ever becomes escaped text, or the address of a link that has been looked at: http,
 * https, or a file of the project. Images are named, never loaded; there is no other way for an address, a
 * script, a style or a tag of the model's to get into the page.
 */
object MarkdownHtml {
    /** Prefix of links to files; what follows is the path as written. */
    const val FILE = "file-ref:"

    /** Links longer than this are shown as text. */
    private const val ADDRESS = 2_000
    private const val OPENERS = 32

    fun block(block: Block): String = StringBuilder().also { write(block, it) }.toString()

    private fun write(block: Block, out: StringBuilder) {
        when (block) {
            is Block.Heading -> out.element("h${block.level.coerceIn(1, 4)}") { append(inline(block.text)) }
            is Block.Paragraph -> out.element("p") { append(inline(block.text)) }
            is Block.Code -> out.element("pre") { append(escape(block.text)) }
            is Block.Quote -> out.element("blockquote") { block.blocks.forEach { write(it, this) } }
            is Block.Listing -> writeList(block, out)
            is Block.Table -> writeTable(block, out)
            Block.Rule -> out.append("<hr>")
        }
    }

    private fun writeList(block: Block.Listing, out: StringBuilder) {
        val start = block.start
        val tag = if (start == null) "ul" else "ol"
        out.append("<").append(tag)
        if (start != null && start != 1) out.append(" start=\"").append(start).append('"')
        out.append(">")
        for (item in block.items) {
            out.element("li") {
                item.forEachIndexed { at, inner ->
                    if (at == 0 && inner is Block.Paragraph) append(inline(checkbox(inner.text))) else write(inner, this)
                }
            }
        }
        out.append("</").append(tag).append(">")
    }

    private fun checkbox(text: String): String = when {
        text.startsWith("[ ] ") -> "\u2610 " + text.drop(4)
        text.startsWith("[x] ") || text.startsWith("[X] ") -> "\u2611 " + text.drop(4)
        else -> text
    }

    private fun writeTable(block: Block.Table, out: StringBuilder) {
        out.append("<table cellspacing=\"0\" cellpadding=\"0\">")
        out.element("tr") { block.head.forEach { element("th") { append(inline(it)) } } }
        for (row in block.rows) out.element("tr") { row.forEach { element("td") { append(inline(it)) } } }
        out.append("</table>")
    }

    private inline fun StringBuilder.element(tag: String, body: StringBuilder.() -> Unit) {
        append("<").append(tag).append(">")
        body()
        append("</").append(tag).append(">")
    }

    fun escape(text: String): String {
        val out = StringBuilder(text.length + 16)
        for (char in Visible.text(text)) {
            when (char) {
                '<' -> out.append("&lt;")
                '>' -> out.append("&gt;")
                '&' -> out.append("&amp;")
                '"' -> out.append("&quot;")
                '\t' -> out.append("    ")
                '\n' -> out.append('\n')
                else -> out.append(char)
            }
        }
        return out.toString()
    }

    fun inline(text: String): String = Inline(text).html()

    /** The address as it may be linked, or null. */
    fun address(raw: String): String? {
        val address = raw.trim().removeSurrounding("<", ">")
        if (address.isEmpty() || address.length > ADDRESS || address.any { it < '!' || it == '\u007F' || it in "\"<>\\" }) return null
        val scheme = Regex("^([A-Za-z][A-Za-z0-9+.-]*):").find(address)?.groupValues?.get(1)?.lowercase()
        return when {
            scheme == "http" || scheme == "https" -> address
            scheme != null && !looksLikeFileWithLine(address) -> null
            address.startsWith("#") || address.startsWith("//") || address.startsWith("&") -> null
            else -> FILE + address
        }
    }

    private fun looksLikeFileWithLine(address: String): Boolean = Regex("^[\\w.-]+\\.\\w+:\\d+(:\\d+)?$").matches(address)

    /** One run of text: emphasis, code, links. One pass; what stays open is text. */
    private class Inline(private val text: String) {
        private class Opener(val mark: String, val piece: Int)

        private val pieces = ArrayList<String>()
        private val plain = StringBuilder()
        private val openers = ArrayList<Opener>()
        private val noClosingRun = HashSet<Int>()
        private var at = 0

        fun html(): String {
            while (at < text.length) {
                val char = text[at]
                val taken = when (char) {
                    '\\' -> backslash()
                    '`' -> code()
                    '*', '_', '~' -> emphasis(char)
                    '[' -> link(at)
                    '!' -> image()
                    'h' -> bareAddress()
                    '\n' -> newline()
                    else -> false
                }
                if (!taken) {
                    plain.append(char)
                    at++
                }
            }
            flush()
            return pieces.joinToString("")
        }

        private fun flush() {
            if (plain.isEmpty()) return
            pieces += escape(plain.toString())
            plain.clear()
        }

        private fun piece(html: String) {
            flush()
            pieces += html
        }

        private fun backslash(): Boolean {
            val next = text.getOrNull(at + 1) ?: return false
            if (next.isLetterOrDigit() || next.isWhitespace()) return false
            plain.append(next)
            at += 2
            return true
        }

        private fun newline(): Boolean {
            val hard = plain.endsWith("  ") || plain.endsWith("\\")
            while (plain.endsWith(" ") || (hard && plain.endsWith("\\"))) plain.setLength(plain.length - 1)
            if (hard) piece("<br>") else plain.append(' ')
            at++
            return true
        }

        private fun code(): Boolean {
            val length = run('`')
            if (length in noClosingRun) return literal(length)
            var close = at + length
            while (close < text.length) {
                val next = text.indexOf('`', close)
                if (next < 0) break
                var end = next
                while (end < text.length && text[end] == '`') end++
                if (end - next == length) {
                    val body = text.substring(at + length, next).replace('\n', ' ')
                    val shown = if (body.length > 2 && body.startsWith(" ") && body.endsWith(" ")) body.trim() else body
                    piece("<code>" + escape(shown) + "</code>")
                    at = end
                    return true
                }
                close = end
            }
            noClosingRun += length
            return literal(length)
        }

        private fun run(char: Char): Int {
            var end = at
            while (end < text.length && text[end] == char) end++
            return end - at
        }

        private fun literal(length: Int): Boolean {
            plain.append(text, at, at + length)
            at += length
            return true
        }

        private fun emphasis(char: Char): Boolean {
            val length = run(char)
            if (length > 3 || (char == '~' && length != 2)) return literal(length)
            val before = text.getOrNull(at - 1) ?: ' '
            val after = text.getOrNull(at + length) ?: ' '
            val isIntraword = char == '_' && before.isLetterOrDigit() && after.isLetterOrDigit()
            if (isIntraword) return literal(length)
            val mark = text.substring(at, at + length)
            val opener = openers.indexOfLast { it.mark == mark }
            if (opener >= 0 && !before.isWhitespace()) {
                val tags = tags(mark)
                flush()
                pieces[openers[opener].piece] = tags.joinToString("") { "<$it>" }
                pieces += tags.reversed().joinToString("") { "</$it>" }
                while (openers.size > opener) openers.removeAt(openers.size - 1)
                at += length
                return true
            }
            if (after.isWhitespace() || openers.size >= OPENERS) return literal(length)
            piece(mark)
            openers += Opener(mark, pieces.size - 1)
            at += length
            return true
        }

        private fun tags(mark: String): List<String> = when {
            mark[0] == '~' -> listOf("strike")
            mark.length == 1 -> listOf("i")
            mark.length == 2 -> listOf("b")
            else -> listOf("b", "i")
        }

        private fun image(): Boolean {
            if (text.getOrNull(at + 1) != '[') return false
            return link(at + 1)
        }

        /** `[text](address)`; an image's text is shown in its place, linked the same way. */
        private fun link(bracket: Int): Boolean {
            val close = matching(bracket) ?: return false
            if (text.getOrNull(close + 1) != '(') return false
            val end = (close + 2 until minOf(text.length, close + ADDRESS)).firstOrNull { text[it] == ')' } ?: return false
            val label = text.substring(bracket + 1, close).ifBlank { text.substring(close + 2, end) }
            val raw = text.substring(close + 2, end).trim()
            val address = address(raw.substringBefore(" \""))
            val shown = escape(label.filterNot { it == '`' || it == '*' })
            piece(if (address == null) shown else anchor(address, shown))
            at = end + 1
            return true
        }

        private fun matching(bracket: Int): Int? {
            var depth = 0
            val end = minOf(text.length, bracket + 600)
            for (index in bracket until end) {
                when (text[index]) {
                    '[' -> depth++
                    ']' -> if (--depth == 0) return index
                }
            }
            return null
        }

        private fun bareAddress(): Boolean {
            if (!text.startsWith("http://", at) && !text.startsWith("https://", at)) return false
            if (text.getOrNull(at - 1)?.isLetterOrDigit() == true) return false
            var end = at
            while (end < minOf(text.length, at + ADDRESS) && !text[end].isWhitespace() && text[end] !in "<>\"`|") end++
            while (end > at && text[end - 1] in ".,;:!?)'*_]") end--
            val address = address(text.substring(at, end)) ?: return false
            piece(anchor(address, escape(address)))
            at = end
            return true
        }

        private fun anchor(address: String, shown: String) = "<a href=\"${escape(address)}\">$shown</a>"
    }
}

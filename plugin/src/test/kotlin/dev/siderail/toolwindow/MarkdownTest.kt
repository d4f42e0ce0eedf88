package dev.siderail.toolwindow

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTimeout
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.time.Duration
import kotlin.random.Random

class MarkdownTest {
    private fun html(text: String) = Markdown.parse(text).joinToString("") { MarkdownHtml.block(it) }

    private fun check(text: String, html: String) = assertEquals(html, html(text), text)

    @Test
    fun `what agents write reads as it does elsewhere`() {
        check("# Title #", "<h1>Title</h1>")
        check("one\ntwo", "<p>one two</p>")
        check("one  \ntwo", "<p>one<br>two</p>")
        check("**bold** and *soft* and `code`", "<p><b>bold</b> and <i>soft</i> and <code>code</code></p>")
        check("snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>")
        check("***both***", "<p><b><i>both</i></b></p>")
        check("~~gone~~", "<p><strike>gone</strike></p>")
        check("`` a ` b ``", "<p><code>a ` b</code></p>")
        check("- a\n- b\n  - c\n\nafter", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><p>after</p>")
        check("3. c\n4. d", "<ol start=\"3\"><li>c</li><li>d</li></ol>")
        check("- [x] done\n- [ ] open", "<ul><li>☑ done</li><li>☐ open</li></ul>")
        check("> quoted\n> on", "<blockquote><p>quoted on</p></blockquote>")
        check("a\n\n---\n\nb", "<p>a</p><hr><p>b</p>")
        check(
            "| a | b |\n|---|---|\n| 1 | x\\|y |",
            "<table cellspacing=\"0\" cellpadding=\"0\"><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y</td></tr></table>",
        )
        check("[site](https://example.org/a?b=1&c=2)", "<p><a href=\"https://example.org/a?b=1&amp;c=2\">site</a></p>")
        check("see https://example.org.", "<p>see <a href=\"https://example.org\">https://example.org</a>.</p>")
        check("[App.java](src/App.java:12)", "<p><a href=\"file-ref:src/App.java:12\">App.java</a></p>")
    }

    @Test
    fun `code keeps every character and ends with its own fence`() {
        val text = "```kotlin\nval a = \"<b>\"\n\n~~~\n```\nafter"
        assertEquals(listOf(Block.Code("kotlin", "val a = \"<b>\"\n\n~~~"), Block.Paragraph("after")), Markdown.parse(text))
        assertEquals(listOf(Block.Code("", "open to the end")), Markdown.parse("```\nopen to the end"))
    }

    @Test
    fun `nothing of a model's gets into the page as a tag, an address or a script`() {
        val hostile = listOf(
            "<img src=\"http://evil.example/pixel\">", "<script>alert(1)</script>", "<a href='javascript:x'>y</a>",
            "![pixel](http://evil.example/p.png)", "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,y)",
            "[x](file:///etc/passwd)", "[x](&#106;avascript:alert(1))", "[x](//evil.example)", "[x](\" onclick=\"y)",
            "`<img src=x>`", "| <img src=x> |\n|---|\n| <object data=x> |", "# <iframe src=x>", "- <link rel=stylesheet href=x>",
            "&lt;img src=x&gt;", "**<style>body{background:url(x)}</style>**", "[<img src=x>](https://example.org)",
            "https://example.org/\"onmouseover=\"x", "```<img>\n<img src=x>\n```", "\\<img src=x>",
        )
        val allowed = Regex("""</?(h[1-4]|p|pre|blockquote|ul|ol|li|table|tr|th|td|hr|b|i|strike|code|br)>|<ol start="\d+">|<table cellspacing="0" cellpadding="0">|<a href="(https?://|file-ref:)[^"<>]*">|</a>""")
        for (text in hostile) {
            val rest = allowed.replace(html(text), "")
            assertFalse('<' in rest || '>' in rest || '"' in rest) { "$text became ${html(text)}" }
            assertFalse(html(text).contains("href=\"javascript", ignoreCase = true)) { text }
        }
        assertTrue("<a href=\"http://evil.example/p.png\">pixel</a>" in html("![pixel](http://evil.example/p.png)"))
    }

    @Test
    fun `marks that turn the direction of writing cannot disguise a command`() {
        assertEquals("<p>rm \\u{202e}-rf</p>", html("rm \u202E-rf"))
    }

    @Test
    fun `a message is read the same however it was cut into pieces`() {
        val text = "# Plan\n\nFirst *this*\nthen that:\n\n1. one\n2. two\n   - deep\n\n3. three\n\n```java\nint x = 1;\n\n// more\n```\n" +
            "> quote\n> more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n\n---\n\n* x\n* y\r\n\r\nlast **one"
        val whole = Markdown.parse(text.replace("\r\n", "\n"))
        val random = Random(7)
        repeat(300) {
            val stream = MarkdownStream()
            var at = 0
            while (at < text.length) {
                val next = minOf(text.length, at + random.nextInt(1, 12))
                stream.append(text.substring(at, next))
                at = next
                stream.blocks
            }
            assertEquals(whole, stream.blocks)
        }
    }

    @Test
    fun `no text makes the window wait`() {
        val hostile = listOf("*", "_", "`", "[", "![", "](", "> ", "- ", "#", "|", "~", "\\", "<", "http://", "**a", "``a`", "1. ", "| a |\n|-|\n")
        assertTimeout(Duration.ofSeconds(20)) {
            for (piece in hostile) html(piece.repeat(200_000 / piece.length))
            for (piece in hostile) html((piece + "\n").repeat(20_000))
        }
    }

    @Test
    fun `a long answer in small pieces costs no more than its length`() {
        assertTimeout(Duration.ofSeconds(20)) {
            val stream = MarkdownStream()
            repeat(100_000) { stream.append(if (it % 40 == 39) "word\n\n" else "word ") }
            assertEquals(2_500, stream.blocks.size)
        }
    }
}

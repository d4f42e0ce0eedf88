package dev.siderail.ui

/** Texts in places that read HTML, and addresses that a browser may be sent to. Pure. */
internal object Html {
    /** Precedes the path in links to files, which are the engine's. */
    const val FILE = "file-ref:"

    /** No browser gets a longer one. */
    private const val ADDRESS = 2_000

    /** Tags that begin a line or end one. */
    private val LINES = listOf("html", "body", "p", "br", "hr", "div", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "pre", "h[1-6]")
    private val OTHERS = listOf(
        "head", "title", "style", "meta", "link", "span", "center", "blockquote", "thead", "tbody", "a", "img", "font", "b", "i", "u", "s", "em",
        "strong", "small", "sub", "sup", "nobr", "code", "kbd", "tt",
    )
    private val BREAK = Regex(tags(LINES))
    private val TAG = Regex("(?s)<!--.*?-->|" + tags(OTHERS))
    private val BLANKS = Regex("""\s+""")

    /** Nothing else in angle brackets is a tag: what is left of `List<String>`, `Map<Link, T>` and `Set<S>` is all of it. */
    private fun tags(names: List<String>): String {
        val written = names + names.filter { it.length > 1 }.map { it.uppercase() }
        return "</?(?:${written.joinToString("|")})(?=[\\s/>])[^>]*>"
    }

    /** What the platform has as HTML, for those who read words: on one line, without tags. */
    fun plain(html: String): String = html.replace(BREAK, " ").replace(TAG, "").replace("&nbsp;", " ").replace("&lt;", "<")
        .replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&").replace(BLANKS, " ").trim()

    fun escape(text: String): String =
        Visible.text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("\t", "    ")

    /** Whether the address is one of the web. */
    fun isWeb(address: String): Boolean {
        val isPlain = address.length <= ADDRESS && address.none { it < '!' || it == '\u007F' || it in "\"<>\\" }
        return isPlain && listOf("http://", "https://").any { address.startsWith(it, ignoreCase = true) }
    }
}

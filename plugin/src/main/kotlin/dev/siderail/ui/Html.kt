package dev.siderail.ui

/** Texts in places that read HTML, and addresses that a browser may be sent to. Pure. */
internal object Html {
    /** Precedes the path in links to files, which are the engine's. */
    const val FILE = "file-ref:"

    /** No browser gets a longer one. */
    private const val ADDRESS = 2_000

    /** Tags that begin a line or end one. */
    private val BREAK = Regex("""</?(?:br|p|div|li|ul|ol|dl|dt|dd|tr|td|th|table|pre|h[1-6]|hr|html|body)\b[^>]*>""", RegexOption.IGNORE_CASE)
    private val TAG = Regex("</?[A-Za-z][^>]*>")
    private val BLANKS = Regex("""\s+""")

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

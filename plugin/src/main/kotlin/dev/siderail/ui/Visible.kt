package dev.siderail.ui

/**
 * Makes text from agents safe to show: characters that a screen obeys or does not show are written out. A carriage return
 * could put one line over another, marks of direction turn words around, others take no room. The engine exports text in
 * the same way: `tests/boundary/rule.visible.json` holds both to it. Pure.
 */
internal object Visible {
    /** For prose: line ends, tabs and the characters that join letters and signs stay. */
    fun text(text: String): String = writtenOut(text.replace("\r\n", "\n"), isCode = false)

    /** For commands and changes, where each character counts: nothing is left invisible. */
    fun code(text: String): String = writtenOut(text, isCode = true)

    private fun writtenOut(text: String, isCode: Boolean): String {
        if (text.all { it == '\n' || it == '\t' || it in ' '..'~' }) return text
        val unseen = if (isCode) Letters.unseenInCode else Letters.unseen
        val shown = StringBuilder(text.length + 16)
        text.codePoints().forEach { point ->
            when {
                point in ' '.code..'~'.code || point == '\n'.code || point == '\t'.code -> shown.append(point.toChar())
                // The pictures of control characters begin at U+2400, in their order.
                point < ' '.code -> shown.appendCodePoint(PICTURES + point)
                point == DELETE -> shown.append('\u2421')
                unseen.any { point in it } -> shown.append("\\u{").append(Integer.toHexString(point)).append('}')
                else -> shown.appendCodePoint(point)
            }
        }
        return shown.toString()
    }

    private const val PICTURES = 0x2400
    private const val DELETE = 0x7f
}

package dev.siderail.ui

/**
 * Makes text from agents safe to show: characters that a screen obeys or does not show are written out. A carriage return
 * could put one line over another, marks of direction turn words around, others take no room. The engine exports text in
 * the same way. Pure.
 */
internal object Visible {
    /** For prose: line ends, tabs and the characters that join letters and signs stay. */
    fun text(text: String): String = writtenOut(text.replace("\r\n", "\n"), isCode = false)

    /** For commands and changes, where each character counts: nothing is left invisible. */
    fun code(text: String): String = writtenOut(text, isCode = true)

    private fun writtenOut(text: String, isCode: Boolean): String {
        if (text.all { it == '\n' || it == '\t' || it in ' '..'~' }) return text
        val shown = StringBuilder(text.length + 16)
        text.codePoints().forEach { point ->
            when {
                point in ' '.code..'~'.code || point == '\n'.code || point == '\t'.code -> shown.append(point.toChar())
                // The pictures of control characters begin at U+2400, in their order.
                point < ' '.code -> shown.appendCodePoint(PICTURES + point)
                point == DELETE -> shown.append('\u2421')
                isUnseen(point) || isCode && isUnseenInCode(point) -> shown.append("\\u{").append(Integer.toHexString(point)).append('}')
                else -> shown.appendCodePoint(point)
            }
        }
        return shown.toString()
    }

    private fun isUnseen(point: Int) = Character.isISOControl(point) || UNSEEN.any { point in it }

    private fun isUnseenInCode(point: Int) =
        IN_CODE.any { point in it } || point > DELETE && (Character.isWhitespace(point) || Character.isSpaceChar(point))

    private const val PICTURES = 0x2400
    private const val DELETE = 0x7f
    private val UNSEEN = listOf(
        0xad..0xad, 0x61c..0x61c, 0x180e..0x180e, 0x200b..0x200b, 0x200e..0x200f, 0x2028..0x202e, 0x2060..0x206f,
        0xfeff..0xfeff, 0xfff9..0xfffb, 0xe0000..0xe007f,
    )
    private val IN_CODE = listOf(
        0x34f..0x34f, 0x115f..0x1160, 0x17b4..0x17b5, 0x200c..0x200d, 0x2800..0x2800, 0x3164..0x3164, 0xfe00..0xfe0f,
        0xffa0..0xffa0, 0xe0100..0xe01ef,
    )
}

package dev.siderail.document

import dev.siderail.bridge.ToolErrorCode

/**
 * A write of a plain text file, and what lies on the disk then: the same on the classes of 2020.1 and in an IDE.
 *
 * @property before null where there is no file
 * @property after null where the write makes none
 * @property code why it is refused; null where it is done
 */
class WriteScenario(val name: String, val before: ByteArray?, val change: (String) -> Change, val after: ByteArray?, val code: ToolErrorCode? = null) {
    companion object {
        /** Puts [new] wherever [old] is. */
        private fun edit(old: String, new: String): (String) -> Change = { text ->
            Change.Pieces(listOf(Regex.fromLiteral(old).findAll(text).map { Replacement(it.range.first, it.range.last + 1, new) }.toList()))
        }

        private fun whole(text: String): (String) -> Change = { Change.Whole(text) }

        private val MARK = byteArrayOf(0xEF.toByte(), 0xBB.toByte(), 0xBF.toByte())
        private val WIDE = byteArrayOf(0xFF.toByte(), 0xFE.toByte())

        private fun wide(text: String) = WIDE + text.toByteArray(Charsets.UTF_16LE)

        private fun of(name: String, before: String?, change: (String) -> Change, after: String?, code: ToolErrorCode? = null) =
            WriteScenario(name, before?.toByteArray(), change, after?.toByteArray(), code)

        val all: List<WriteScenario> = listOf(
            of("a new file", null, whole("text\n"), "text\n"),
            of("a new file of CR LF with a byte order mark", null, whole("\uFEFFone\r\ntwo\r\n"), "\uFEFFone\r\ntwo\r\n"),
            of("a whole new text", "one\n", whole("two\nthree"), "two\nthree"),
            of("an emptied file", "one\n", whole(""), ""),
            of("CR LF stays, whatever the model writes", "one\r\ntwo\r\n", whole("1\r\n2\n3\r4\n"), "1\r\n2\r\n3\r\n4\r\n"),
            of("no line end at the end stays so", "one\ntwo", edit("one", "1"), "1\ntwo"),
            WriteScenario("a byte order mark stays", MARK + "one\n".toByteArray(), edit("one", "ä"), MARK + "ä\n".toByteArray()),
            WriteScenario("UTF-16 stays", wide("one\n"), edit("one", "ä"), wide("ä\n")),
            of("several places", "x\ny\nx\n", edit("x", "long"), "long\ny\nlong\n"),
            of("a binary text", "one\u0000\n", whole("two"), "one\u0000\n", ToolErrorCode.NOT_TEXT),
        )
    }
}

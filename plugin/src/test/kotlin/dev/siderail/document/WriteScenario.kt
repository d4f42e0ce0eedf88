package dev.siderail.document

import dev.siderail.document.ToolFailure.Code

/**
 * A write of a plain text file, and what lies on the disk then: the same on the classes of 2020.1 and in an IDE.
 *
 * @property before null where there is no file
 * @property after null where the write makes none
 * @property code why it is refused; null where it is done
 */
class WriteScenario(val name: String, val before: ByteArray?, val change: Change, val after: ByteArray?, val code: Code? = null) {
    companion object {
        private fun edits(vararg edits: Pair<String, String>) = Change.Edits(edits.map { (old, new) -> Edit(old, new) })

        private val MARK = byteArrayOf(0xEF.toByte(), 0xBB.toByte(), 0xBF.toByte())
        private val WIDE = byteArrayOf(0xFF.toByte(), 0xFE.toByte())

        private fun wide(text: String) = WIDE + text.toByteArray(Charsets.UTF_16LE)

        private fun of(name: String, before: String?, change: Change, after: String?, code: Code? = null) =
            WriteScenario(name, before?.toByteArray(), change, after?.toByteArray(), code)

        val all: List<WriteScenario> = listOf(
            of("a new file", null, Change.Content("text\n"), "text\n"),
            of("a new file of CR LF with a byte order mark", null, Change.Content("\uFEFFone\r\ntwo\r\n"), "\uFEFFone\r\ntwo\r\n"),
            of("an edit of nothing makes a file", null, edits("" to "text\n"), "text\n"),
            of("a whole new text", "one\n", Change.Content("two\nthree"), "two\nthree"),
            of("an emptied file", "one\n", Change.Content(""), ""),
            of("CR LF stays, whatever the model writes", "one\r\ntwo\r\n", edits("one\r\ntwo" to "1\r\n2\n3\r4"), "1\r\n2\r\n3\r\n4\r\n"),
            of("mixed line ends stay where nothing was edited", "a\r\nb\nc\r\nd\r\n", edits("c" to "C"), "a\r\nb\nC\r\nd\r\n"),
            of("no line end at the end stays so", "one\ntwo", edits("one" to "1"), "1\ntwo"),
            WriteScenario("a byte order mark stays", MARK + "one\n".toByteArray(), edits("one" to "ä"), MARK + "ä\n".toByteArray()),
            WriteScenario("UTF-16 stays", wide("one\n"), edits("one" to "ä"), wide("ä\n")),
            of("edits in order", "one\ntwo\n", edits("one" to "two", "two\ntwo" to "three"), "three\n"),
            of("all edits or none", "one\n", edits("one" to "1", "no such line" to "x"), "one\n", Code.TEXT_NOT_FOUND),
            of("a place that is not the only one", "x\nx\n", edits("x" to "y"), "x\nx\n", Code.AMBIGUOUS_MATCH),
            of("every place", "x\nx\n", Change.Edits(listOf(Edit("x", "y", replaceAll = true))), "y\ny\n"),
            of("trailing blanks do not matter", "one  \ntwo\n", edits("one\ntwo\n" to "1\n2\n"), "1\n2\n"),
            of("an edit of a file that is not there", null, edits("x" to "y"), null, Code.FILE_NOT_FOUND),
            of("a binary text", "one\u0000\n", edits("one" to "two"), "one\u0000\n", Code.NOT_TEXT),
        )
    }
}

package dev.siderail.document

import dev.siderail.ui.Letters
import java.io.ByteArrayOutputStream

/**
 * How a file's name is written for models: in the form that the engine reads back.
 *
 * Most names are written as they are. One whose characters would break or forge a line is written in double quotes, as
 * git does, `"two\nlines"`, bytes in octal. `tests/boundary/rule.written_names.json` keeps this and the engine in step.
 */
object WrittenName {
    private const val SHORT = "abtnvfr"
    private const val SHORT_CODES = "\u0007\b\t\n\u000b\u000c\r"
    private const val OCTAL_DIGITS = 3
    private val ESCAPE = Regex("""\\(["\\$SHORT]|[0-3][0-7]{2})""")

    /** [path] as a tool's answer writes it. */
    fun of(path: String): String = if (isPlain(path)) path else quoted(path)

    // A colon with a space begins what an answer says of a file.
    private fun isPlain(path: String) =
        !path.startsWith('"') && ": " !in path && path.codePoints().noneMatch(::isQuoted)

    /** The same in quotes, whether it needs them or not. */
    fun quoted(path: String): String = buildString {
        append('"')
        path.codePoints().forEach { letter ->
            val short = if (Character.isBmpCodePoint(letter)) SHORT_CODES.indexOf(letter.toChar()) else -1
            when {
                letter == '"'.code || letter == '\\'.code -> append('\\').append(letter.toChar())
                short >= 0 -> append('\\').append(SHORT[short])
                isQuoted(letter) -> appendOctal(Character.toString(letter))
                else -> appendCodePoint(letter)
            }
        }
        append('"')
    }

    /** The name that is written so between quotes; null where nothing is. */
    fun unquoted(written: String): String? {
        val bytes = ByteArrayOutputStream()
        var at = 0
        while (at < written.length) {
            val escape = ESCAPE.matchAt(written, at)
            val letter = escape?.groupValues?.get(1).orEmpty()
            when {
                escape == null && written[at] in "\"\\" -> return null
                escape == null -> bytes.writeBytes(Character.toString(written.codePointAt(at)).toByteArray())
                letter.length == OCTAL_DIGITS -> bytes.write(letter.toInt(OCTAL))
                else -> bytes.write((SHORT.indexOf(letter).takeIf { it >= 0 }?.let(SHORT_CODES::get) ?: letter[0]).code)
            }
            at += escape?.value?.length ?: Character.charCount(written.codePointAt(at))
        }
        return bytes.toString(Charsets.UTF_8.name())
    }

    private fun StringBuilder.appendOctal(text: String) = text.toByteArray().forEach { byte ->
        append('\\').append((byte.toInt() and BYTE).toString(OCTAL).padStart(OCTAL_DIGITS, '0'))
    }

    private fun isQuoted(letter: Int) = Letters.quoted.any { letter in it }

    private const val OCTAL = 8
    private const val BYTE = 0xff
}

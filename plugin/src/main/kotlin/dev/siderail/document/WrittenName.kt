package dev.siderail.document

import dev.siderail.ui.Letters

/**
 * How a file's name is written for models: in the form that the engine reads back.
 *
 * Most names are written as they are. One whose characters would break or forge a line is written in double quotes, as
 * git does, `"two\nlines"`, bytes in octal. `tests/boundary/rule.written_names.json` holds this and the engine to it.
 */
object WrittenName {
    private const val SHORT = "abtnvfr"
    private const val SHORT_CODES = "\u0007\b\t\n\u000b\u000c\r"
    private const val OCTAL_DIGITS = 3

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

    private fun StringBuilder.appendOctal(text: String) = text.toByteArray().forEach { byte ->
        append('\\').append((byte.toInt() and BYTE).toString(OCTAL).padStart(OCTAL_DIGITS, '0'))
    }

    private fun isQuoted(letter: Int) = Letters.quoted.any { letter in it }

    private const val OCTAL = 8
    private const val BYTE = 0xff
}

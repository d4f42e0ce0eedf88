package dev.siderail.document

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/**
 * How a file's name is written for models, and read back: the same form as the engine's.
 *
 * Most names stand as they are. One whose characters would break or forge a line stands in double quotes as git
 * writes it, `"two\nlines"`, bytes in octal; what is written so is read back as the same name.
 */
object WrittenName {
    private const val SHORT = "abtnvfr"
    private const val SHORT_CODES = "\u0007\b\t\n\u000b\u000c\r"
    private const val OCTAL_DIGITS = 3

    /** [path] as it stands in a tool's answer. */
    fun of(path: String): String = if (isPlain(path)) path else quoted(path)

    /** The path that a quoted text stands for, or null where [given] is not written so or its bytes are no text. */
    fun unquoted(given: String): String? {
        if (given.length < 2 || !given.startsWith('"') || !given.endsWith('"')) return null
        val bytes = ByteBuffer.wrap(unescaped(given.substring(1, given.length - 1)) ?: return null)
        return try {
            Charsets.UTF_8.newDecoder().decode(bytes).toString()
        } catch (_: CharacterCodingException) {
            null
        }
    }

    // A colon with a space begins what an answer says of a file.
    private fun isPlain(path: String) =
        !path.startsWith('"') && ": " !in path && path.codePoints().noneMatch { breaksLines(it) || it == REPLACEMENT }

    private fun quoted(path: String) = buildString {
        append('"')
        path.codePoints().forEach { letter ->
            val short = if (Character.isBmpCodePoint(letter)) SHORT_CODES.indexOf(letter.toChar()) else -1
            when {
                letter == '"'.code || letter == '\\'.code -> append('\\').append(letter.toChar())
                short >= 0 -> append('\\').append(SHORT[short])
                breaksLines(letter) || letter == REPLACEMENT -> appendOctal(Character.toString(letter))
                else -> appendCodePoint(letter)
            }
        }
        append('"')
    }

    private fun StringBuilder.appendOctal(text: String) = text.toByteArray().forEach { byte ->
        append('\\').append((byte.toInt() and BYTE).toString(OCTAL).padStart(OCTAL_DIGITS, '0'))
    }

    private fun unescaped(inner: String): ByteArray? {
        val bytes = java.io.ByteArrayOutputStream()
        var at = 0
        while (at < inner.length) {
            val letter = inner[at]
            if (letter == '"') return null
            if (letter != '\\') {
                val end = at + Character.charCount(inner.codePointAt(at))
                bytes.writeBytes(inner.substring(at, end).toByteArray())
                at = end
                continue
            }
            val next = inner.getOrNull(at + 1) ?: return null
            val short = SHORT.indexOf(next)
            when {
                next == '"' || next == '\\' -> bytes.write(next.code)
                short >= 0 -> bytes.write(SHORT_CODES[short].code)
                else -> bytes.write(octal(inner, at + 1) ?: return null)
            }
            at += if (next == '"' || next == '\\' || short >= 0) 2 else 1 + OCTAL_DIGITS
        }
        return bytes.toByteArray()
    }

    private fun octal(text: String, at: Int): Int? {
        if (at + OCTAL_DIGITS > text.length) return null
        val digits = text.substring(at, at + OCTAL_DIGITS)
        return if (digits.all { it in '0'..'7' }) digits.toInt(OCTAL).takeIf { it <= BYTE } else null
    }

    /** Control characters, the separators of lines, and what changes the order in which letters are shown. */
    private fun breaksLines(letter: Int) = Character.getType(letter) == Character.CONTROL.toInt() ||
        letter == 0x61c || letter == 0x200e || letter == 0x200f || letter in 0x2028..0x202e || letter in 0x2066..0x2069

    private const val REPLACEMENT = 0xfffd
    private const val OCTAL = 8
    private const val BYTE = 0xff
}

package dev.siderail.settings

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive

/**
 * Takes out of a text what looks like a key or token, before it leaves the IDE.
 *
 * What is assigned to the name of a secret goes as the engine takes it out of what it writes:
 * `tests/boundary/rule.hidden_texts.json` holds both to it. The shapes of well-known tokens are looked for here alone: the
 * engine knows the values of the variables that it has started an agent with.
 */
object Secrets {
    private const val HIDDEN = "[hidden]"
    private val shapes = listOf(
        Regex("""\b(sk|pk|rk)-[A-Za-z0-9_-]{12,}"""),
        Regex("""\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,})"""),
        Regex("""\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"""),
        Regex("""\b[0-9a-f]{48,}\b"""),
    )
    private val schemes = setOf("Bearer", "bearer", "Basic")

    fun redact(text: String): String = shapes.fold(withoutAssigned(text)) { seen, shape -> shape.replace(seen, HIDDEN) }

    /** A value of the same shape; texts under the name of a secret are hidden whole. */
    fun redact(json: JsonElement): JsonElement = each(json, ::redact)

    private fun each(json: JsonElement, change: (String) -> String): JsonElement = when (json) {
        is JsonObject -> JsonObject().also { to ->
            for ((name, value) in json.entrySet()) to.add(name, if (SecretVariables.isSecretName(name)) each(value) { if (it.isEmpty()) it else HIDDEN } else each(value, change))
        }
        is JsonArray -> JsonArray().also { to -> json.forEach { to.add(each(it, change)) } }
        is JsonPrimitive -> if (json.isString) JsonPrimitive(change(json.asString)) else json
        else -> json
    }

    /** `API_KEY=x`, `--token=x`, `"api_key": "x"`, `X-Api-Key: x`, and the word after `Bearer` and `Basic`, anywhere. */
    private fun withoutAssigned(text: String): String {
        val shown = StringBuilder()
        var copied = 0
        for (at in text.indices) {
            val namesSecret = when (text[at]) {
                ' ' -> at >= copied && endsWithScheme(text, at)
                '=', ':' -> at >= copied && isAssigned(text, at)
                else -> false
            }
            if (!namesSecret) continue
            val value = value(text, at + 1)
            if (value.isEmpty()) continue
            shown.append(text, copied, value.first).append(HIDDEN)
            copied = value.last + 1
        }
        return shown.append(text, copied, text.length).toString()
    }

    private fun endsWithScheme(text: String, end: Int) = text.substring(before(text, end) { it.isAsciiLetter() }, end) in schemes

    /** Whether the name before a separator is one of a secret, as environments, flags and headers write it: no prose, no code. */
    private fun isAssigned(text: String, separator: Int): Boolean {
        val end = before(text, separator) { it in "\"'\\" }
        val name = text.substring(before(text, end) { it.isAsciiLetter() || it in '0'..'9' || it in "_-" }, end)
        val isCompound = '_' in name || '-' in name || name.drop(1).any { it in 'A'..'Z' }
        val isWrittenSo = if (text[separator] == '=') !name.equals("key", ignoreCase = true) else end < separator || isCompound
        return isWrittenSo && SecretVariables.isSecretName(name)
    }

    /** What stands behind a separator; nothing where it is a number, an expression or hidden already. */
    private fun value(text: String, from: Int): IntRange {
        val start = after(text, from) { it in " \"'\\" }
        val quote = text.substring(from, start).lastOrNull { it in "\"'" }
        val closing = if (quote == null) -1 else text.indexOf(quote, start)
        // Within a text in a text the closing quote is escaped; the backslash is not the secret's.
        if (closing >= 0) return start until start + text.substring(start, closing).trimEnd('\\').length
        val end = after(text, start) { !isEnd(it) }
        val word = text.substring(start, end)
        if (word.all { it in '0'..'9' || it == '.' } || word[0] in "=:{[(") return IntRange.EMPTY
        val isScheme = word in schemes && text.getOrNull(end) == ' '
        return start until if (isScheme) after(text, end + 1) { !isEnd(it) } else end
    }

    private fun isEnd(letter: Char) = letter.isWhitespace() || letter in "\"'`\\&;,)}]"

    /** Where the run of such letters begins that ends at [end]. */
    private inline fun before(text: String, end: Int, fits: (Char) -> Boolean): Int {
        var start = end
        while (start > 0 && fits(text[start - 1])) start--
        return start
    }

    /** Where the run of such letters ends that begins at [start]. */
    private inline fun after(text: String, start: Int, fits: (Char) -> Boolean): Int {
        var end = start
        while (end < text.length && fits(text[end])) end++
        return end
    }

    private fun Char.isAsciiLetter() = this in 'a'..'z' || this in 'A'..'Z'
}

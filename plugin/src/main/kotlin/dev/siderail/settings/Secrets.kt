package dev.siderail.settings

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive

/**
 * Takes out of a text what looks like a key or token, before it leaves the IDE.
 *
 * What is assigned to the name of a secret, and what environments and headers hold, goes as the engine takes it out of what
 * it writes: `tests/boundary/rule.hidden_texts.json` keeps both in step. The shapes of well-known tokens are looked for here
 * alone: the engine knows the values of the variables that it has started an agent with.
 */
object Secrets {
    private const val HIDDEN = "[hidden]"

    /** A shorter word is no secret where it might as well be one of prose or code. */
    private const val SHORTEST_WORD = 6
    private const val CODE = "([{<"
    private val shapes = listOf(
        Regex("""\b(sk|pk|rk)-[A-Za-z0-9_-]{12,}"""),
        Regex("""\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,})"""),
        Regex("""\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"""),
        Regex("""\b[0-9a-f]{48,}\b"""),
    )

    fun redact(text: String): String = withoutShaped(hiding(text) { assignedOrGiven(text, it) })

    /** A value of the same shape; texts under the name of a secret, and in environments and headers, are hidden whole. */
    fun redact(json: JsonElement): JsonElement = each(json, ::redact)

    /** Whether a text has a well-known token in it, or one behind the name of a scheme, whatever it is assigned to. */
    internal fun isShaped(text: String) = withoutShaped(hiding(text) { given(text, it) }) != text

    private fun withoutShaped(text: String) = shapes.fold(text) { seen, shape -> shape.replace(seen, HIDDEN) }

    private fun each(json: JsonElement, change: (String) -> String): JsonElement = when (json) {
        is JsonObject -> JsonObject().also { to ->
            for ((name, value) in json.entrySet()) to.add(free(redact(name), to), member(name, value, change))
        }
        is JsonArray -> JsonArray().also { to -> json.forEach { to.add(each(it, change)) } }
        is JsonPrimitive -> if (json.isString) JsonPrimitive(change(json.asString)) else json
        else -> json
    }

    private fun member(name: String, value: JsonElement, change: (String) -> String) = when {
        name == "env" || name == "headers" -> entries(value)
        SecretVariables.isSecretName(name) -> each(value, ::whole)
        else -> each(value, change)
    }

    private fun whole(text: String) = if (text.isEmpty()) text else HIDDEN

    /** Environments and headers have two shapes: an object, or a list of names and values. */
    private fun entries(json: JsonElement): JsonElement =
        if (json is JsonArray) JsonArray().also { to -> json.forEach { to.add(entry(it)) } } else each(json, ::whole)

    private fun entry(json: JsonElement): JsonElement = when {
        json is JsonObject -> JsonObject().also { to ->
            for ((name, value) in json.entrySet()) to.add(free(redact(name), to), each(value, if (name == "value") ::whole else ::redact))
        }
        json is JsonPrimitive && json.isString && '=' in json.asString -> JsonPrimitive(redact(json.asString.substringBefore('=')) + "=" + HIDDEN)
        else -> each(json, ::whole)
    }

    /** Names that become the same are numbered, so that no member is lost. */
    private fun free(name: String, members: JsonObject): String {
        var free = name
        var n = 1
        while (members.has(free)) free = "$name ${++n}"
        return free
    }

    /** The text without what [find] finds behind a separator. */
    private inline fun hiding(text: String, find: (Int) -> IntRange): String {
        val shown = StringBuilder()
        var copied = 0
        for (at in text.indices) {
            if (at < copied) continue
            val value = find(at)
            if (value.isEmpty()) continue
            shown.append(text, copied, value.first).append(HIDDEN)
            copied = value.last + 1
        }
        return shown.append(text, copied, text.length).toString()
    }

    /**
     * `API_KEY=x`, `API_KEY = x`, `--token=x`, `"api_key": "x"`, `X-Api-Key: x`, the word after `Bearer` and `Basic`,
     * anywhere, and `password: x` on a line of its own.
     */
    private fun assignedOrGiven(text: String, at: Int): IntRange = if (text[at] == '=' || text[at] == ':') assigned(text, at) else given(text, at)

    /** What follows the name of a scheme and the blank at this place. */
    private fun given(text: String, blank: Int): IntRange {
        if (text[blank] != ' ') return IntRange.EMPTY
        val word = text.substring(before(text, blank) { it.isAsciiLetter() }, blank)
        if (!isScheme(word)) return IntRange.EMPTY
        val value = value(text, blank + 1)
        // "Basic understanding" is not written so in the middle of a sentence, nor are headers "basic" or "BASIC" as a rule.
        val mayBeProse = word.equals("Basic", ignoreCase = true) && word != "Basic"
        return if (mayBeProse && !isCryptic(text.substring(value))) IntRange.EMPTY else value
    }

    private fun isScheme(word: String) = word.equals("Bearer", ignoreCase = true) || word.equals("Basic", ignoreCase = true)

    /**
     * What is assigned to the name before a separator, if that is one of a secret, written as environments, flags, headers
     * and settings write it: no prose, no code, and no number of tokens.
     */
    private fun assigned(text: String, separator: Int): IntRange {
        val adjacent = if (text[separator] == '=') before(text, separator, ::isBlank) else separator
        val end = before(text, adjacent) { it in "\"'\\" }
        val start = before(text, end) { it.isAsciiLetter() || it in '0'..'9' || it in "_-" }
        val name = text.substring(start, end)
        val isQuoted = end < adjacent
        val isCompound = '_' in name || '-' in name || name.drop(1).any { it in 'A'..'Z' }
        if (!SecretVariables.isSecretName(name) || !isQuoted && name.equals("key", ignoreCase = true)) return IntRange.EMPTY
        val value = when {
            adjacent < separator -> spaced(text, separator + 1, isCompound)
            text[separator] == ':' && !isQuoted && !isCompound -> lone(text, start, separator + 1)
            else -> value(text, separator + 1)
        }
        return if (SecretVariables.countsTokens(name) && text.substring(value).none(Char::isLetter)) IntRange.EMPTY else value
    }

    /** Behind a separator with blanks around it, as settings and programs are written: what a program computes is not meant. */
    private fun spaced(text: String, from: Int, isCompound: Boolean): IntRange {
        val value = value(text, from)
        val word = text.substring(value)
        val isText = text.substring(from, value.first.coerceAtLeast(from)).any { it in "\"'" }
        val isWord = word.length >= SHORTEST_WORD && word.none { it in CODE }
        return if (isText || isWord && (isCompound || isCryptic(word))) value else IntRange.EMPTY
    }

    /** On a line that has nothing but a name and one word, as YAML is written. */
    private fun lone(text: String, name: Int, from: Int): IntRange {
        // Numbers of lines and marks of changes may come first.
        val lead = before(text, name) { isBlank(it) || it in '0'..'9' || it in "+-|→" }
        val beginsLine = lead == 0 || text[lead - 1] == '\n'
        if (!beginsLine || !isBlank(text.getOrElse(from) { '\n' })) return IntRange.EMPTY
        val start = after(text, from) { isBlank(it) || it in "\"'" }
        val lineEnd = after(text, start) { it != '\n' }
        val end = start + text.substring(start, lineEnd).trimEnd(' ', '\t', '\r', '"', '\'').length
        val word = text.substring(start, end)
        val isWord = word.none { it.isWhitespace() || it in CODE } && !word.endsWith(',') && !word.endsWith(';')
        return if (isWord && isCryptic(word)) start until end else IntRange.EMPTY
    }

    private fun isBlank(letter: Char) = letter == ' ' || letter == '\t'

    /** Whether a word is none of a sentence. */
    private fun isCryptic(word: String) = word.length >= SHORTEST_WORD && word.any { it in '0'..'9' }

    /** The value behind a separator; nothing where it is an expression or hidden already. */
    private fun value(text: String, from: Int): IntRange {
        val start = after(text, from) { it in " \"'\\" }
        val quote = text.substring(from, start).lastOrNull { it in "\"'" }
        val closing = if (quote == null) -1 else text.indexOf(quote, start)
        // Within a text in a text the closing quote is escaped; the backslash is not the secret's.
        if (closing >= 0) return start until start + text.substring(start, closing).trimEnd('\\').length
        val end = after(text, start) { !isEnd(it) }
        val word = text.substring(start, end)
        // What is hidden already begins with a bracket, too.
        if (word.isEmpty() || word[0] in "=:{[(") return IntRange.EMPTY
        return start until if (isScheme(word) && text.getOrNull(end) == ' ') after(text, end + 1) { !isEnd(it) } else end
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

package dev.siderail.settings

import java.util.Locale

/** Takes values of variables that are to be kept out of the settings file. */
interface SecretStore {
    /** Keeps the value of an agent's variable; null forgets it. Any thread; returns at once. */
    fun put(agent: String, name: String, value: String?)
}

/**
 * Which of the variables that a person enters are secrets, and what replaces them in the settings. Pure.
 *
 * The rule for names is the engine's, which hides such values in what agents say; it is needed here before there is an
 * engine. `tests/boundary/rule.secret_names.json` holds both to it.
 */
object SecretVariables {
    /** What the settings show and store in place of a value that is kept elsewhere. */
    const val KEPT = "••••••••"

    private val anywhere = listOf("token", "key", "secret", "password", "passwd", "passphrase", "authorization", "credential", "cookie")
    private val places = setOf("file", "path", "dir", "sock")
    private val settings = setOf("true", "false", "none", "null", "auto", "always", "never", "default")

    /** Between the words of `MY_KEY`, `my-key` and `myKey`. */
    private val parts = Regex("[^A-Za-z0-9]|(?<=[a-z0-9])(?=[A-Z])")

    fun isSecretName(name: String): Boolean {
        val words = words(name)
        val last = words.lastOrNull() ?: return false
        if (last in places) return false
        return anywhere.any { it in name.lowercase(Locale.ROOT) } || last == "auth" || words.size > 1 && last in setOf("pwd", "pat")
    }

    private fun words(name: String) = name.split(parts).filter { it.isNotEmpty() }.map { it.lowercase(Locale.ROOT) }

    /** Whether it is of a number of tokens, as a model has them. */
    internal fun countsTokens(name: String) = "tokens" in words(name)

    private fun isSecret(name: String, value: String) = isSecretName(name) && !isSetting(value) || Secrets.isShaped(value)

    /** Switches and numbers have such names, too: `MAX_TOKENS=8000`. */
    private fun isSetting(value: String) = value.lowercase(Locale.ROOT) in settings || value.length < 8 && value.all(Char::isDigit)

    /** Names of variables whose values are kept elsewhere. */
    fun kept(environment: String): Set<String> = EnvironmentText.parse(environment).filterValues { it == KEPT }.keys

    /**
     * Gives the secrets of an agent to [store], forgets those that are gone from the text, and answers the text that
     * may be stored.
     */
    fun move(agent: String, before: String, after: String, store: SecretStore): String {
        val lines = after.lines().map { line ->
            val (name, value) = EnvironmentText.parse(line).entries.firstOrNull() ?: return@map line
            if (value == KEPT || value.isBlank() || !isSecret(name, value)) return@map line
            store.put(agent, name, value)
            "$name=$KEPT"
        }
        val text = lines.joinToString("\n")
        (kept(before) - kept(text)).forEach { store.put(agent, it, null) }
        return text
    }
}

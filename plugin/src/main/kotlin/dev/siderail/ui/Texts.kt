package dev.siderail.ui

import java.text.MessageFormat
import java.util.Locale
import java.util.MissingResourceException
import java.util.ResourceBundle

/**
 * Every text that a person reads, by key. Plain Java: panels use it if there is no IDE, as in tests. A translation is
 * another file beside `messages/SiderailBundle.properties`.
 */
object Texts {
    private val bundle: ResourceBundle by lazy {
        ResourceBundle.getBundle("messages.SiderailBundle", Locale.getDefault(), Texts::class.java.classLoader)
    }

    /** The text of a key; a key without a text is a mistake that a test finds, and is shown as it is. */
    operator fun get(key: String, vararg arguments: Any): String = find(key, *arguments) ?: key

    /** The text of a key, or null if it has none. */
    fun find(key: String, vararg arguments: Any): String? = try {
        val text = bundle.getString(key)
        if (arguments.isEmpty()) text else MessageFormat.format(text, *arguments)
    } catch (_: MissingResourceException) {
        null
    }
}

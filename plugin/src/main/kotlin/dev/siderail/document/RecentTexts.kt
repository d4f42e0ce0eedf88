package dev.siderail.document

/**
 * Texts that were lately read or written, so that a stale edit can be told what has changed.
 *
 * Few and small: what has been dropped only costs the explanation.
 */
internal class RecentTexts {
    private data class Key(val path: String, val stamp: String)

    private val texts = LinkedHashMap<Key, String>()
    private var characters = 0

    @Synchronized
    fun keep(path: String, stamp: String, text: String) {
        if (text.length > MOST_CHARACTERS_OF_ONE) return
        forget(Key(path, stamp))
        texts[Key(path, stamp)] = text
        characters += text.length
        while (texts.size > MOST_TEXTS || characters > MOST_CHARACTERS) forget(texts.keys.first())
    }

    @Synchronized
    fun text(path: String, stamp: String): String? = texts[Key(path, stamp)]

    private fun forget(key: Key) {
        texts.remove(key)?.let { characters -= it.length }
    }

    private companion object {
        const val MOST_TEXTS = 64
        const val MOST_CHARACTERS = 8 * 1024 * 1024
        const val MOST_CHARACTERS_OF_ONE = 1024 * 1024
    }
}

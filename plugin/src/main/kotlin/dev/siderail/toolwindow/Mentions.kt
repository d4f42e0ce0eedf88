package dev.siderail.toolwindow

import dev.siderail.document.WrittenName
import dev.siderail.engine.Attachment

/** Hears what there was to attach, if anything, and what could not be read; blank where all of it could. */
fun interface Attaching {
    operator fun invoke(found: Attachment?, problem: String)

    operator fun invoke(found: Attachment?) = invoke(found, "")
}

/**
 * Something that `@` offers: [path] is put into the text, where the engine finds it, or [attach] makes what is
 * attached; [nothing] tells the person when there was nothing to attach.
 */
class Mention(
    override val label: String,
    override val detail: String,
    val path: String? = null,
    val nothing: String = "",
    val attach: ((Attaching) -> Unit)? = null,
) : Offer

/** A row of the list above the field. */
interface Offer {
    val label: String
    val detail: String
}

/** What is offered while something is being typed; the person takes one of it or writes on. */
abstract class Offers {
    /** The best first; empty when nothing is offered. */
    abstract val offered: List<Offer>

    /** The one of [offered] that would be taken. */
    var selected: Int = 0
        protected set
    val isOffering: Boolean get() = offered.isNotEmpty()

    fun move(by: Int) {
        if (offered.isNotEmpty()) selected = Math.floorMod(selected + by, offered.size)
    }

    fun select(at: Int) {
        if (at in offered.indices) selected = at
    }

    /** Offers nothing until something else is typed. */
    abstract fun putAside()
}

/** Completes what is typed behind an `@`. No Swing; owned by one thread. [find] answers on it, maybe later. */
class Mentions(private val find: (query: String, found: (List<Mention>) -> Unit) -> Unit) : Offers() {
    private var query: String? = null
    private var start = 0
    private var putAside: String? = null
    override var offered: List<Mention> = emptyList()
        private set

    /** The text before the caret; [changed] hears when something is found. */
    fun typed(before: String, changed: () -> Unit) {
        val found = WORD.find(before)
        val now = found?.groupValues?.get(1)?.let(::meant)
        start = found?.groups?.get(1)?.range?.first?.minus(1) ?: 0
        if (now == query) return
        query = now
        if (now != putAside) putAside = null
        if (now == null || now == putAside) return show(emptyList())
        find(now) { some ->
            if (query != now || putAside == now) return@find
            show(some)
            changed()
        }
    }

    private fun show(some: List<Mention>) {
        offered = some
        selected = 0
    }

    override fun putAside() {
        putAside = query
        show(emptyList())
    }

    /** The selected one, and the text before the caret with it. */
    fun taken(before: String): Pair<Mention, String>? {
        val mention = offered.getOrNull(selected) ?: return null
        val word = mention.path?.let(::written).orEmpty()
        putAside()
        return mention to before.take(start) + word
    }

    companion object {
        /** An `@` at the beginning of a word, and what follows it up to the caret: maybe a name whose quotes are open. */
        private val WORD = Regex("""(?U)(?:^|[\s(\[{])@("(?:\\[^\n]|[^"\\\n])*+\\?|[^\s"]*)$""")

        /**
         * A name: up to the next blank, or in double quotes, in which a backslash keeps the character behind it. One may
         * begin within another. `tests/boundary/rule.mentions.json` keeps this and the engine in step.
         */
        private val NAME = Regex("""(?U)(?<![^\s(\[{])@(?="((?:\\[^\n]|[^"\n])*+)|(\S*))""")
        private val BEHIND = ",.;:!?)]}\"'".toCharArray()
        private val BLANK = Regex("""(?U)\s""")

        /** What a prompt names, as it is written there, each once. */
        fun named(text: String): List<String> = names(text).map { it.first }.distinct().toList()

        /** The names as they are written, and whether in quotes. */
        private fun names(text: String): Sequence<Pair<String, Boolean>> = NAME.findAll(text).map { found ->
            val quoted = found.groups[1]?.value
            (quoted ?: found.groupValues[2].trimEnd(*BEHIND)) to (quoted != null)
        }.filter { it.first.isNotEmpty() }

        /**
         * The files that a prompt names and that are images by their extension, each once. A backslash in quotes may be the
         * name's own, so that there both readings count; there is one of the files at most, as a rule.
         */
        fun images(text: String): List<String> = names(text)
            .flatMap { (name, isQuoted) -> listOfNotNull(name, if (isQuoted) WrittenName.unquoted(name) else null) }
            .map { FilePlace.parse(it).path }.filter { ImageKind.named(it) != null }.distinct().toList()

        /** What is looked for: in quotes, as they are read, unless what is written in them is unfinished. */
        private fun meant(word: String): String {
            val quoted = if (word.startsWith('"')) word.drop(1) else return word
            return WrittenName.unquoted(quoted) ?: quoted
        }

        /** A path as a prompt writes it, in quotes where it would not be read back as it is. */
        fun written(path: String): String {
            val isPlain = WrittenName.of(path) == path && !BLANK.containsMatchIn(path) && path.trimEnd(*BEHIND) == path
            return if (isPlain) "@$path " else "@${WrittenName.quoted(path)} "
        }
    }
}

/** What the person wrote before, for the arrow that goes up in an empty field. No Swing. */
class PromptHistory(private val written: () -> List<String>) {
    private var at: Int? = null

    /**
     * The one before [now], which is the field's text; null if there is none, or the person has typed something else.
     */
    fun older(now: String): String? = step(now, -1)

    fun newer(now: String): String? = step(now, 1)

    private fun step(now: String, by: Int): String? {
        val all = written().distinct()
        val from = at?.takeIf { all.getOrNull(it) == now } ?: all.size.takeIf { now.isEmpty() } ?: return null
        val to = from + by
        if (to < 0 || to > all.size || from == all.size && by > 0) return null
        at = to
        return all.getOrNull(to).orEmpty()
    }
}

package dev.siderail.document

/**
 * What the turns that are running have done to files and what is still to be done when they end.
 *
 * An agent adds an import first and its use with a later edit. So the imports that a turn has brought in stay
 * until it ends, whatever the IDE thinks of them meanwhile.
 */
internal class TurnLedger {
    /** What is open for a file of a turn. */
    private class Open {
        val imports = LinkedHashSet<String>()
        var untidied = false
    }

    private data class Key(val session: Long, val path: String)

    private val open = LinkedHashMap<Key, Open>()

    /** An edit changed [before] into [after]. */
    @Synchronized
    fun edited(session: Long, path: String, before: String, after: String) {
        val brought = brought(before, after)
        if (brought.isNotEmpty()) open.getOrPut(Key(session, path), ::Open).imports.addAll(brought)
    }

    /** Import lines that have to stay. Another session's count too: its turn is not over either. */
    @Synchronized
    fun imports(path: String): Set<String> =
        open.filterKeys { it.path == path }.values.flatMapTo(LinkedHashSet()) { it.imports }

    /** Tidying was left to the turn's end. */
    @Synchronized
    fun leftUntidied(session: Long, path: String) {
        open.getOrPut(Key(session, path), ::Open).untidied = true
    }

    /** The turn is over: the files that are still to be tidied. */
    @Synchronized
    fun end(session: Long): List<String> {
        val ended = open.filterKeys { it.session == session }
        ended.keys.forEach(open::remove)
        return ended.filterValues { it.untidied }.keys.map { it.path }
    }

    companion object {
        /** Import lines that an edit brings in. */
        fun brought(before: String, after: String): Set<String> = ImportLines.of(after) - ImportLines.of(before)
    }
}

/** Import lines as most languages write them. It only decides what is left alone, so that a guess is enough. */
internal object ImportLines {
    private val IMPORT = Regex("""^\s*(import|from|using|use|#include|require|require_once|open|extern crate)\b.*""")

    fun of(text: String): Set<String> =
        linesOf(text).filter(IMPORT::matches).mapTo(LinkedHashSet()) { it.trim().replace(BLANKS, " ") }

    private val BLANKS = Regex("""\s+""")
}

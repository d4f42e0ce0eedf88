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

    /** An edit has brought in these import lines. */
    @Synchronized
    fun edited(session: Long, path: String, brought: Collection<String>) {
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
}

package dev.siderail.tools

import dev.siderail.ui.shortened

/** The last lines of an output, long ones cut: as many as fit into an answer. */
internal object LastLines {
    const val LINE = 500

    /** At most [most] of them, of at most [length] characters in all. */
    fun of(lines: List<String>, most: Int, length: Int): List<String> {
        var used = 0
        val cut = lines.takeLast(most).map { it.shortened(LINE + 1) }
        return cut.takeLastWhile {
            used += it.length + 1
            used <= length
        }
    }
}

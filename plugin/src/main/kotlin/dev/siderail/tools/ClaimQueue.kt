package dev.siderail.tools

import java.nio.file.Path

/**
 * Who may touch which path, in the order of asking; plain data.
 *
 * A claim waits for earlier claims on the same path, on a folder above it or on something below it, so that edits
 * of one file are neither mixed nor reordered while all others run side by side.
 */
internal class ClaimQueue {
    private class Claim(val id: Long, val paths: List<Path>, val begin: () -> Unit, var begun: Boolean = false)

    /** In the order of asking. */
    private val claims = ArrayList<Claim>()

    /** Takes a place; [begin] is called when its turn has come, here or in [release]. */
    fun take(id: Long, paths: List<Path>, begin: () -> Unit) {
        synchronized(this) { claims.add(Claim(id, paths, begin)) }
        beginWhatMay()
    }

    /** Gives a place back, begun or not. */
    fun release(id: Long) {
        synchronized(this) { claims.removeIf { it.id == id } }
        beginWhatMay()
    }

    private fun beginWhatMay() {
        val free = synchronized(this) {
            claims.filterIndexed { index, claim -> !claim.begun && claims.subList(0, index).none { it.blocks(claim) } }
                .onEach { it.begun = true }
        }
        free.forEach { it.begin() }
    }

    private fun Claim.blocks(later: Claim) =
        paths.any { mine -> later.paths.any { it.startsWith(mine) || mine.startsWith(it) } }
}

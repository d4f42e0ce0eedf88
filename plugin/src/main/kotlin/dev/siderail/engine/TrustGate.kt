package dev.siderail.engine

/**
 * Lets nothing of a project start before the person trusts it: an agent's launch reads the project's settings, and what runs
 * in it may run the project's programs. Pure.
 *
 * @param later runs its argument after a while; trust is looked up again then
 */
internal class TrustGate(
    private val isTrusted: () -> Boolean,
    private val isOver: () -> Boolean,
    private val later: (Runnable) -> Unit,
) {
    /** Calls [begin] once, as soon as the project is trusted; [hold] first, where it is not trusted yet. */
    fun pass(hold: () -> Unit, begin: () -> Unit) {
        if (isTrusted()) return begin()
        hold()
        later { look(begin) }
    }

    private fun look(begin: () -> Unit) {
        when {
            isOver() -> Unit
            isTrusted() -> begin()
            else -> later { look(begin) }
        }
    }
}

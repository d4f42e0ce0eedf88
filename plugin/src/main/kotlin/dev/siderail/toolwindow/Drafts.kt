package dev.siderail.toolwindow

/** What was typed in chats and not sent, for the next time the window is made. Chats may be closed in any order. */
class Drafts {
    private val closed = ArrayList<String>()

    /** A chat is closed with that text unsent. */
    fun closed(unsent: String) {
        closed += unsent
    }

    /** What is to be kept, where [open] is what the other chats have unsent. */
    fun kept(open: List<String>): String = (closed + open).filter { it.isNotBlank() }.joinToString("\n\n")
}

package dev.siderail.toolwindow

import com.google.gson.JsonObject

/** One of the agent's own commands: typed as a prompt that begins with `/` and its [name]. */
data class AgentCommand(val name: String, val description: String, val hint: String) : Offer {
    override val label: String get() = if (hint.isEmpty()) "/$name" else "/$name <$hint>"
    override val detail: String get() = description
}

/**
 * Completes the agent's commands while one is being typed at the beginning of a prompt. No Swing; owned by one thread.
 *
 * What was typed is never replaced unasked: a list is offered, the person takes one of it or writes on.
 */
class SlashCommands : Offers() {
    private var all: List<AgentCommand> = emptyList()
    private var typed: String? = null

    /** What was put aside with Escape; it stays aside until something else is typed. */
    private var putAside: String? = null
    override var offered: List<AgentCommand> = emptyList()
        private set

    /** Takes an `AGENT_COMMANDS`. */
    fun told(body: JsonObject) {
        all = body.objects("commands").filter { it.text("name").isNotBlank() }
            .map { AgentCommand(it.text("name").removePrefix("/"), it.text("description").firstLine(DESCRIPTION), it.text("hint").firstLine(HINT)) }
        offer()
    }

    fun forget() {
        all = emptyList()
        offer()
    }

    /** The field's text: a command is being typed as long as it is a slash and a word. */
    fun typed(text: String) {
        typed = text.drop(1).takeIf { text.startsWith("/") && text.none(Char::isWhitespace) }
        if (typed != putAside) putAside = null
        offer()
    }

    private fun offer() {
        val begun = typed
        val before = offered.getOrNull(selected)
        offered = if (begun == null || begun == putAside) emptyList() else fitting(begun)
        selected = offered.indexOf(before).coerceAtLeast(0)
    }

    /** Those that begin with it, then those that contain it. One that is complete already is not offered. */
    private fun fitting(begun: String): List<AgentCommand> {
        val (first, others) = all.filter { it.name.contains(begun, ignoreCase = true) }.partition { it.name.startsWith(begun, ignoreCase = true) }
        val found = (first + others).take(MOST)
        return if (found.size == 1 && found[0].name == begun) emptyList() else found
    }

    override fun putAside() {
        putAside = typed
        offer()
    }

    /** The selected command as the field writes it; null when nothing is offered. */
    fun completed(): String? = offered.getOrNull(selected)?.let { "/${it.name} " }

    private companion object {
        const val MOST = 8
        const val DESCRIPTION = 160
        const val HINT = 60
    }
}

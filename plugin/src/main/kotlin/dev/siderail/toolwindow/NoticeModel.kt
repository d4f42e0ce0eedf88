package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.settings.KnownAgents
import dev.siderail.settings.Texts

/** Something that a person is told beside the window. [text] is of agents: show it as plain text. */
data class Notice(val title: String, val text: String, val tone: Tone)

/**
 * What must not wait until somebody looks: a question or an error while the window is hidden, and, wherever they look,
 * that something ran unasked. No platform; owned by one thread.
 */
class NoticeModel(private val isWindowVisible: () -> Boolean) {
    private val unguarded = HashSet<Long>()

    /** [agent] names the agent of a session. */
    fun of(events: List<Event>, agent: (Long) -> String): List<Notice> = events.mapNotNull { of(it, KnownAgents.title(agent(it.session))) }

    private fun of(event: Event, agent: String): Notice? = when (event.name) {
        "PERMISSION_REQUEST", "PLAN_PROPOSED" -> if (event.body.flag("asks")) asks(agent) else null
        "UNGUARDED" -> if (unguarded.add(event.session)) Notice(Texts["notice.unguarded"], event.body.text("text"), Tone.WARNING) else null
        "ERROR" -> hidden {
            val kind = Texts.find("error.${event.body.text("kind")}") ?: Texts["error.other"]
            Notice("$agent: $kind", event.body.text("text").firstLine(), Tone.BAD)
        }
        else -> null
    }

    /** A question of that agent waits. */
    fun asks(agent: String): Notice? = hidden { Notice(Texts["notification.asks", agent], "", Tone.INFO) }

    private fun hidden(notice: () -> Notice): Notice? = if (isWindowVisible()) null else notice()
}

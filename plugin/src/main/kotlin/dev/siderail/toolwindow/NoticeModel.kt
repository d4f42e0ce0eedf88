package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.StopReason
import dev.siderail.settings.KnownAgents
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone

/** A message to the person beside the conversation. [text] comes from agents: show it as plain text. */
data class Notice(val title: String, val text: String, val tone: Tone)

/**
 * What must not wait until somebody looks: a question or an error while the window is hidden, and, wherever they look,
 * that something ran unasked. No platform; owned by one thread.
 */
class NoticeModel(private val isWindowVisible: () -> Boolean) {
    private val unguarded = HashSet<Long>()

    /** When the running turns began, by the engine's clock. */
    private val began = HashMap<Long, Double>()

    /** [agent] names the agent of a session. */
    fun of(events: List<Event>, agent: (Long) -> String): List<Notice> = events.mapNotNull { of(it, KnownAgents.title(agent(it.session))) }

    private fun of(event: Event, agent: String): Notice? = when (event.known) {
        EventName.PERMISSION_REQUEST, EventName.PLAN_PROPOSED -> if (event.body.flag("asks")) asks(agent) else null
        EventName.UNGUARDED -> if (unguarded.add(event.session)) Notice(Texts["notice.unguarded"], event.body.text("text"), Tone.WARNING) else null
        EventName.ERROR -> hidden {
            val kind = Texts.find("error.${event.body.text("kind")}") ?: Texts["error.other"]
            Notice("$agent: $kind", event.body.text("text").firstLine(), Tone.BAD)
        }
        EventName.TURN_STARTED -> null.also { began.putIfAbsent(event.session, event.t) }
        EventName.TURN_ENDED -> if (event.body.flag("continues")) null else done(event, agent)
        else -> null
    }

    /** A turn that took a while: the person has turned to something else. */
    private fun done(event: Event, agent: String): Notice? {
        val seconds = event.t - (began.remove(event.session) ?: event.t)
        return if (seconds < A_WHILE || event.body.text("stop_reason") == StopReason.CANCELLED.word) null else hidden { Notice(Texts["notification.done", agent], "", Tone.INFO) }
    }

    /** A question of that agent waits. */
    fun asks(agent: String): Notice? = hidden { Notice(Texts["notification.asks", agent], "", Tone.INFO) }

    private fun hidden(notice: () -> Notice): Notice? = if (isWindowVisible()) null else notice()

    private companion object {
        /** Seconds. */
        const val A_WHILE = 15.0
    }
}

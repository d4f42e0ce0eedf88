package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.OptionCategory
import dev.siderail.bridge.OptionKind

/*
 * What can be set in a running session, as `SESSION_OPTIONS` reports it: modes, the model, and whatever else the agent
 * has. No Swing. The agent has the last word: what a person picks is a wish until the agent confirms it.
 */

/** An agent, a mode, or a value of an option, as it is offered for choosing; [group] where choices are grouped. */
data class Choice(val id: String?, val title: String, val hint: String = "", val group: String = "")

/** One of the agent's options; one of an unknown kind is only shown. [current] is a choice's id, or `true` and `false`; empty when it is unknown. */
data class SessionOption(
    val id: String,
    val title: String,
    val category: String,
    val kind: OptionKind,
    val current: String,
    val choices: List<Choice>,
) {
    /** The choice in force, also where the agent names one that it does not offer. */
    val chosen: Choice? get() = choices.find { it.id == current } ?: current.takeIf { it.isNotEmpty() }?.let { Choice(it, it.firstLine(TITLE)) }
    val isOn: Boolean get() = current == "true"
    val isModel: Boolean get() = OptionCategory.of(category) == OptionCategory.MODEL

    internal companion object {
        const val TITLE = 60
        const val HINT = 300
    }
}

/** Modes and options of a session. */
data class SessionSettings(
    val mode: String? = null,
    val modes: List<Choice> = emptyList(),
    val options: List<SessionOption> = emptyList(),
) {
    companion object {
        /** Reads a `SESSION_OPTIONS`. The model comes first, then what else there is in the agent's order. */
        fun of(body: JsonObject): SessionSettings {
            val options = body.objects("options").filter { it.text("id").isNotEmpty() }.map(::option)
            val (models, others) = options.partition { it.isModel }
            return SessionSettings(body.textOrNull("mode"), body.objects("modes").map(::choice), models + others)
        }

        private fun option(body: JsonObject): SessionOption {
            val choices = body.objects("choices").map(::choice)
            val kind = OptionKind.of(body.text("kind"))?.takeIf { it != OptionKind.SELECT || choices.isNotEmpty() } ?: OptionKind.UNKNOWN
            val id = body.text("id")
            return SessionOption(id, body.text("name").ifBlank { id }.firstLine(SessionOption.TITLE), body.text("category"), kind, body.text("current"), choices)
        }

        private fun choice(body: JsonObject): Choice {
            val value = body.text("value")
            val title = body.text("name").ifBlank { value }.firstLine(SessionOption.TITLE)
            return Choice(value, title, body.text("description").firstLine(SessionOption.HINT), body.text("group").firstLine(SessionOption.TITLE))
        }
    }
}

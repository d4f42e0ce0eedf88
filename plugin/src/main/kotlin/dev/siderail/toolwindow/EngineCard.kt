package dev.siderail.toolwindow

import dev.siderail.engine.EngineState
import dev.siderail.ui.Card
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.named

/** Why no agent can be started here, and what to do. */
internal class EngineCard(state: EngineState) : Card(gap = 6) {
    init {
        val (title, text) = when (state) {
            is EngineState.Failed -> Texts["engine.failed"] to listOfNotNull(state.reason, state.hint).joinToString("\n")
            else -> Texts["engine.untrusted"] to Texts["engine.untrusted.text"]
        }
        add(Marked(Mark(Mark.Kind.WARNING), Prose(title, { Look.bold })))
        add(Prose(text))
        named(title, text)
    }

    companion object {
        /** Whether a person has to know of this state. */
        fun isNeeded(state: EngineState) = state is EngineState.Failed || state == EngineState.Untrusted
    }
}

package dev.siderail.toolwindow

import dev.siderail.ui.Badge
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import javax.swing.JComponent

/** Texts that wait for the agent: given to the running turn, taken back to be edited, or sent on after a stop. */
internal class WaitingPrompts(private val chat: ChatModel, private val changed: () -> Unit, private val edit: (String) -> Unit) : Column(gap = 3) {
    /** What a row shows; rows are made anew only when that changes, so that a focus in them stays. */
    private data class Shown(val prompt: WaitingPrompt, val state: WaitingState, val isHeld: Boolean, val canSteer: Boolean)

    private var shown: List<Shown> = emptyList()

    init {
        isVisible = false
    }

    fun refresh() {
        val now = chat.queue.map { Shown(it, it.state, chat.isHeld, chat.canSteer && it.isSteerable) }
        if (now == shown) return
        shown = now
        removeAll()
        now.forEachIndexed { at, one -> add(row(at, one)) }
        if (chat.isHeld) {
            add(
                LeftAligned(
                    LinkButton(Texts["queue.send"]) {
                        chat.release()
                        changed()
                    },
                ),
            )
        }
        isVisible = now.isNotEmpty()
        parent?.revalidate()
        parent?.repaint()
    }

    private fun row(at: Int, one: Shown): JComponent {
        val isSteering = one.state == WaitingState.STEERING
        val word = if (isSteering) Texts["queue.steering"] else if (one.isHeld) Texts["queue.held"] else Texts["queue.waits"]
        val said = (listOf(one.prompt.text.firstLine()) + one.prompt.attachments.map { it.name }).filter { it.isNotEmpty() }.joinToString(", ")
        val badge = Badge(word) { if (isSteering) Look.accent else Look.muted }
        return beside(badge, Line(said, { Look.font }, { Look.muted }).shortening(), links(at, one, isSteering), gap = 8)
    }

    private fun links(at: Int, one: Shown, isSteering: Boolean) = Flow(gap = 12).apply {
        if (one.canSteer && !isSteering) {
            val now = LinkButton(Texts["queue.steer"]) {
                chat.steer(at)
                changed()
            }
            now.toolTipText = Texts["queue.steer.tip"]
            add(now)
        }
        add(
            LinkButton(Texts["queue.edit"]) {
                chat.takeBack(at)?.let(edit)
                changed()
            },
        )
    }
}

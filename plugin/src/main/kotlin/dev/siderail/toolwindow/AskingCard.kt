package dev.siderail.toolwindow

import dev.siderail.ui.Card
import dev.siderail.ui.Look
import java.awt.Insets

/** A card that waits for the person. */
internal abstract class AskingCard(gap: Int) :
    Card(gap, padding = Insets(10, 12, 11, 12), ground = { Look.raised }, line = { Look.mix(Look.accent, Look.background, 0.55) }) {
    /** What the action Allow does, wherever the button is: a yes for this once. Nothing where a yes is not an answer. */
    open fun allow() = Unit

    /** What the action Deny does. Nothing where a no is not an answer. */
    open fun deny() = Unit

    /** Moves the focus here, because the person asked for it. */
    abstract fun takeFocus()
}

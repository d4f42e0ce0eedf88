package dev.siderail.toolwindow

/** A card that waits for the person. */
internal interface AskingCard {
    /**
     * What the action Allow does, wherever the button is: a yes for this once. Nothing where a yes
     * is not an answer.
     */
    fun allow() = Unit

    /** What the action Deny does. Nothing where a no is not an answer. */
    fun deny() = Unit

    /** Moves the focus here, because the person asked for it. */
    fun takeFocus()
}

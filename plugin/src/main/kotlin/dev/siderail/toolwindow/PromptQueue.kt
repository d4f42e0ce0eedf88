package dev.siderail.toolwindow

import dev.siderail.engine.Attachment

/** Where a text that waits for the agent is. */
enum class WaitingState {
    /** It is sent when the agent is done. */
    NEXT,

    /** It was given to the running turn; whether the model reads it is not known yet. */
    STEERING,
}

/** A text that waits. [plan]: a plan is wanted first; [images]: those that the text names. */
class WaitingPrompt internal constructor(
    val text: String,
    val plan: Boolean,
    val attachments: List<Attachment> = emptyList(),
    val images: List<String> = emptyList(),
) {
    /** A running turn takes text alone. */
    val isSteerable: Boolean get() = !plan && attachments.isEmpty() && images.isEmpty()
    var state: WaitingState = WaitingState.NEXT
        internal set
}

/**
 * What the person typed and no model has read yet, in order. No Swing; owned by one thread.
 *
 * A text leaves when it is sent as a prompt, when the running turn has taken it, or when the person takes it back:
 * never otherwise.
 */
class PromptQueue {
    private val list = ArrayList<WaitingPrompt>()
    val all: List<WaitingPrompt> get() = list
    val isEmpty: Boolean get() = list.isEmpty()

    fun add(text: String, plan: Boolean, attachments: List<Attachment> = emptyList(), images: List<String> = emptyList()) {
        list += WaitingPrompt(text, plan, attachments, images)
    }

    /** The next one that can be sent. One that the running turn may yet take would be read twice. */
    fun next(): WaitingPrompt? = list.firstOrNull { it.state == WaitingState.NEXT }?.also(list::remove)

    fun takeBack(index: Int): WaitingPrompt? = if (index in list.indices) list.removeAt(index) else null

    /** Marks one as given to the running turn. */
    fun steering(index: Int): WaitingPrompt? =
        list.getOrNull(index)?.takeIf { it.state == WaitingState.NEXT && it.isSteerable }?.also { it.state = WaitingState.STEERING }

    /** What became of one that was given to the turn: taken, it leaves; else it waits as before. */
    fun steered(text: String, taken: Boolean) {
        val which = list.firstOrNull { it.state == WaitingState.STEERING && it.text == text } ?: return
        if (taken) list -= which else which.state = WaitingState.NEXT
    }

    /** No answer will come any more. */
    fun sessionEnded() = list.forEach { it.state = WaitingState.NEXT }
}

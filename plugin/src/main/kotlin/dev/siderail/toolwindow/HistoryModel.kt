package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.ErrorKind
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName

/** A conversation that is kept. */
data class PastConversation(val id: String, val agent: String, val title: String, val startedMs: Long, val turns: Int)

/**
 * The project's kept conversations, as they are looked through. No Swing; owned by one thread.
 *
 * Answers may come late and out of turn with what is typed: only the one to the last search counts.
 */
class HistoryModel(private val list: (query: String?) -> Unit, private val export: (id: String) -> Unit) {
    /** What is searched for; blank for everything. */
    var query: String = ""
        private set

    /** The newest first; null before the first answer. */
    var conversations: List<PastConversation>? = null
        private set

    /** True while an answer is awaited. */
    var isAsking: Boolean = false
        private set

    /** Why the last thing asked for did not come, in the engine's words. */
    var failure: String? = null
        private set
    private val exporting = HashSet<String>()

    /** Asks anew, as when the page is shown. */
    fun refresh() = ask()

    fun search(typed: String) {
        if (typed.trim() == query) return
        query = typed.trim()
        ask()
    }

    private fun ask() {
        isAsking = true
        failure = null
        list(query.ifEmpty { null })
    }

    /** Asks for a conversation as Markdown; [apply] answers it. */
    fun export(conversation: PastConversation) {
        if (!exporting.add(conversation.id)) return
        failure = null
        export(conversation.id)
    }

    /** A page to be saved: its file's name and its text. */
    data class Page(val name: String, val text: String)

    /** Takes an event; answers a page that was asked for. */
    fun apply(event: Event): Page? {
        when (event.known) {
            EventName.HISTORY -> if (event.body.text("query") == query) {
                conversations = event.body.objects("conversations").map(::conversation)
                isAsking = false
            }
            EventName.ERROR -> if (isConcerned(event)) {
                failure = event.body.text("text")
                // Which of them it was is not said: both may be asked for again.
                isAsking = false
                exporting.clear()
            }
            EventName.HISTORY_EXPORTED -> return exported(event.body)
            else -> Unit
        }
        return null
    }

    private fun exported(body: JsonObject): Page? {
        val id = body.text("conversation")
        if (!exporting.remove(id)) return null
        val title = conversations?.find { it.id == id }?.title.orEmpty()
        val name = title.map { if (it.isLetterOrDigit()) it else '-' }.joinToString("").replace(Regex("-+"), "-").trim('-').take(NAME).ifEmpty { id }
        return Page("$name.md", body.text("markdown"))
    }

    private fun conversation(body: JsonObject) =
        PastConversation(body.text("id"), body.text("agent"), body.text("title").firstLine(), body.number("started_ms"), body.number("turns").toInt())

    companion object {
        private const val NAME = 60

        /** Whether an event is of the history: it belongs to no session. */
        fun isConcerned(event: Event): Boolean = when (event.known) {
            EventName.HISTORY, EventName.HISTORY_EXPORTED -> true
            EventName.ERROR -> event.session == 0L && event.body.text("kind") == ErrorKind.HISTORY.word
            else -> false
        }
    }
}

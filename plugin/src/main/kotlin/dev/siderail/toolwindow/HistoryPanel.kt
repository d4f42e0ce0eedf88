package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.settings.KnownAgents
import dev.siderail.ui.Column
import dev.siderail.ui.EdgeBorder
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.PlainScroll
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.named
import java.awt.BorderLayout
import java.awt.Color
import java.awt.Insets
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.Timer

/**
 * The project's kept conversations: searched, resumed in a chat of their own, saved as Markdown.
 */
internal class HistoryPanel(
    private val model: HistoryModel,
    private val actions: ChatActions,
    private val goOn: (PastConversation) -> Unit,
) : JPanel(BorderLayout()) {
    private val field: PlaceholderField = PlaceholderField("", Texts["history.search"]) { pause.restart() }
    val firstFocus: JComponent get() = this.field
    private val list = Column(gap = 2, padding = Insets(4, 12, 14, 12))
    private val scroll = PlainScroll(list)
    private var shown: List<PastConversation>? = null
    private var note: String? = null

    /** A search begins when typing pauses. */
    private val pause: Timer = Timer(PAUSE_MS) { model.search(field.text) }

    init {
        pause.isRepeats = false
        val head = beside(center = field)
        head.border = javax.swing.BorderFactory.createEmptyBorder(Look.px(10), Look.px(12), Look.px(6), Look.px(12))
        add(head, BorderLayout.NORTH)
        scroll.verticalScrollBar.unitIncrement = Look.px(20)
        add(scroll, BorderLayout.CENTER)
        field.addActionListener {
            pause.stop()
            model.search(field.text)
        }
        refresh()
    }

    override fun getBackground(): Color = Look.background

    /** What was talked about last. */
    val recent: List<PastConversation> get() = model.conversations.orEmpty().takeIf { model.query.isEmpty() }.orEmpty().take(RECENT)

    /** The page comes into view. */
    override fun addNotify() {
        super.addNotify()
        model.refresh()
    }

    /** Takes an event; a page that was asked for is saved where the person says. */
    fun apply(event: Event) {
        model.apply(event)?.let { actions.save(it.name, it.text) }
        refresh()
    }

    fun refresh() {
        val conversations = model.conversations
        val failure = model.failure
        val now = when {
            failure != null -> failure
            conversations == null -> Texts["history.asking"]
            conversations.isEmpty() && model.query.isNotEmpty() -> Texts["history.nothing", model.query]
            conversations.isEmpty() -> Texts["history.empty"]
            else -> null
        }
        if (conversations == shown && now == note && list.componentCount > 0) return
        shown = conversations
        note = now
        list.removeAll()
        now?.let { list.add(Prose(it, { Look.font }, { Look.muted })) }
        conversations?.forEach { list.add(row(it)) }
        revalidate()
        repaint()
    }

    private fun row(conversation: PastConversation): JComponent {
        val row = Column(gap = 1, padding = Insets(6, 0, 8, 0))
        row.border = EdgeBorder(bottom = true)
        val title = conversation.title.ifBlank { Texts["history.untitled"] }
        val links = Flow(gap = 12)
        links.add(LinkButton(Texts["history.go.on"]) { goOn(conversation) }.named(Texts["history.go.on.named", title]))
        links.add(LinkButton(Texts["history.export"]) { model.export(conversation) }.named(Texts["history.export.named", title]))
        row.add(beside(center = Line(title, { Look.bold }).shortening(), east = links, gap = 10))
        val facts = Texts["history.facts", KnownAgents.title(conversation.agent), Moments.brief(conversation.startedMs), conversation.turns]
        row.add(Line(facts, { Look.small }, { Look.muted }).shortening())
        return row
    }

    private companion object {
        const val PAUSE_MS = 250
        const val RECENT = 3
    }
}

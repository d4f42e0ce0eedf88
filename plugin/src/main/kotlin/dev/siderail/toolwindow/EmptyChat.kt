package dev.siderail.toolwindow

import dev.siderail.settings.KnownAgents
import dev.siderail.ui.Column
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.PlainScroll
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Visible
import java.awt.Insets
import javax.swing.JPanel

/** What is shown before the first prompt: how the agent works here, which agents there are, ways to begin, and what was talked about last. */
internal class EmptyChat(
    private val begin: (String) -> Unit,
    private val goOn: (PastConversation) -> Unit,
    private val agents: AgentList,
) : JPanel(null) {
    private val column = Column(gap = 10, padding = Insets(20, 24, 20, 24))
    private val scroll = PlainScroll(column)
    private val past = Column(gap = 4)
    private var shown: List<PastConversation> = emptyList()

    init {
        isOpaque = false
        column.add(Prose(Texts["empty.title"], { Look.bold.deriveFont(Look.font.size2D + 4f) }))
        column.add(Prose(Texts["empty.text"], { Look.font }, { Look.muted }))
        for (key in listOf("empty.edits", "empty.asks", "empty.told")) {
            column.add(Marked(Mark(Mark.Kind.CHECK), Prose(Texts[key])))
        }
        column.add(agents)
        column.add(Line(Texts["empty.try"], { Look.small }, { Look.muted }))
        for (key in listOf("empty.try.explain", "empty.try.test", "empty.try.problems")) {
            column.add(LeftAligned(LinkButton(Texts[key]) { begin(Texts[key]) }))
        }
        column.add(past)
        past.isVisible = false
        add(scroll)
    }

    fun agents(all: List<AgentOnMachine>) {
        agents.show(all)
        revalidate()
    }

    fun recent(conversations: List<PastConversation>) {
        if (conversations == shown) return
        shown = conversations
        past.removeAll()
        past.isVisible = conversations.isNotEmpty()
        past.add(Line(Texts["empty.recent"], { Look.small }, { Look.muted }))
        for (one in conversations) past.add(LeftAligned(LinkButton(title(one)) { goOn(one) }))
        revalidate()
        repaint()
    }

    private fun title(one: PastConversation) =
        Texts["empty.recent.one", Visible.text(one.title.firstLine(TITLE)).ifBlank { Texts["history.untitled"] }, KnownAgents.title(one.agent)]

    override fun doLayout() {
        val wide = width.coerceAtMost(Look.px(520))
        val high = column.heightFor(wide)
        scroll.setBounds((width - wide) / 2, ((height - high) / 2).coerceAtLeast(0), wide, minOf(high, height))
    }

    private companion object {
        const val TITLE = 24
    }
}

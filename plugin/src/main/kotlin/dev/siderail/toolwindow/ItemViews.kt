package dev.siderail.toolwindow

import com.intellij.ui.components.JBLabel
import dev.siderail.bridge.PlanEntryStatus
import dev.siderail.ui.Badge
import dev.siderail.ui.Card
import dev.siderail.ui.CardButton
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Flowing
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Tone
import dev.siderail.ui.beside
import dev.siderail.ui.heightAt
import dev.siderail.ui.named
import dev.siderail.ui.smooth
import dev.siderail.ui.wrapped
import java.awt.Insets
import javax.swing.JComponent
import javax.swing.JPanel

/** Shows one item; [refresh] is called when its item has changed, and only then. */
internal interface ItemView {
    fun refresh()
}

/** Makes views of items. What is of an earlier conversation is dimmed. */
internal class ItemViews(
    private val texts: ToolTexts,
    private val actions: ChatActions,
    private val chat: ChatModel,
    private val restart: () -> Unit,
    private val review: Review,
) {
    fun of(item: ConversationItem): JComponent = view(item).let { if (item.isPast && item !is DividerItem) Dimmed(it) else it }

    private fun view(item: ConversationItem): JComponent = when (item) {
        is PromptItem -> PromptView(item, review)
        is ProposalItem -> ProposalView(item, actions)
        is ChangesItem -> ChangesView(item, chat, actions, review)
        is DividerItem -> DividerView(item)
        is SpeechItem -> if (item.isThought) ThoughtView(item, actions) else MessageView(item, actions)
        is ToolItem -> ToolView(item, texts, actions)
        is GroupItem -> GroupView(item, texts, actions)
        is PlanItem -> PlanView(item)
        is NoticeItem -> NoticeView(item, actions, restart)
    }
}

internal class PromptView(private val item: PromptItem, private val review: Review) : Column(padding = Insets(8, 0, 4, 0)), ItemView {
    /** Undoes work, so that it asks before it does. */
    private var isAsking = false
    private val back = LinkButton("", { Look.small }) {
        isAsking = !isAsking
        if (!isAsking) review.goBack(item)
        follow()
    }
    private val no = LinkButton(Texts["back.no"], { Look.small }, { Look.muted }) {
        isAsking = false
        follow()
    }

    init {
        val bubble = Card(gap = 2, padding = Insets(8, 12, 8, 12), ground = { Look.prompt }, line = { null })
        val way = Texts.find("prompt.${item.way.name.lowercase()}")
        way?.let { bubble.add(Line(it, { Look.small }, { Look.muted })) }
        if (item.text.isNotBlank()) bubble.add(Prose(item.text.capped(SHOWN)))
        if (item.attached.isNotEmpty()) {
            bubble.add(Flow(gap = 4).apply { item.attached.forEach { name -> add(Badge(name) { Look.muted }.shortening()) } })
        }
        bubble.named(way ?: Texts["prompt.yours"], item.text.firstLine())
        add(bubble)
        add(Flow(gap = 12).apply {
            add(back)
            add(no)
        })
        follow()
    }

    override fun refresh() = Unit

    /** Offers to revert while there is something to revert. */
    fun follow() {
        val isPossible = review.canGoBack(item)
        isAsking = isAsking && isPossible
        back.text = Texts[if (isAsking) "back.sure" else "back"]
        back.toolTipText = Texts["back.hint"]
        no.isVisible = isAsking
        back.isVisible = isPossible
        back.parent.isVisible = isPossible
        revalidate()
    }

    private companion object {
        const val SHOWN = 20_000
    }
}

/** The plan, with how far it is. */
internal class PlanView(private val item: PlanItem) : Column(padding = Insets(6, 0, 6, 0)), ItemView {
    private val card = Card(gap = 3, padding = Insets(8, 12, 10, 12))

    init {
        add(card)
        refresh()
    }

    override fun refresh() {
        card.removeAll()
        val done = item.steps.count { it.status == PlanEntryStatus.COMPLETED }
        val progress = Line(Texts["plan.progress", done, item.steps.size], { Look.small }, { Look.muted })
        card.add(beside(Line(Texts["plan.title"], { Look.bold }), east = progress))
        for (step in item.steps) {
            val kind = when (step.status) {
                PlanEntryStatus.COMPLETED -> Mark.Kind.CIRCLE_DONE
                PlanEntryStatus.IN_PROGRESS -> Mark.Kind.RUNNING
                PlanEntryStatus.PENDING -> Mark.Kind.RING
            }
            val isDone = step.status == PlanEntryStatus.COMPLETED
            val text = Prose(step.text, { if (step.status == PlanEntryStatus.IN_PROGRESS) Look.bold else Look.font }) { if (isDone) Look.muted else Look.foreground }
            text.named("${step.text}, ${Texts["plan.${step.status.name.lowercase()}"]}")
            card.add(Marked(Mark(kind), text))
        }
        revalidate()
    }
}

/** A mark beside text that wraps. */
internal class Marked(mark: Mark, private val body: JComponent, private val gap: Int = 6) : JPanel(null), Flowing {
    private val icon = JBLabel(mark)

    init {
        isOpaque = false
        add(icon)
        add(body)
    }

    private fun left() = icon.preferredSize.width + Look.px(gap)

    /** The mark is in the middle of the first line. */
    private fun top() = ((getFontMetrics(Look.font).height - icon.preferredSize.height) / 2).coerceAtLeast(0)

    override fun heightFor(width: Int): Int = maxOf(body.heightAt(width - left()), top() + icon.preferredSize.height)

    override fun getPreferredSize() = java.awt.Dimension(body.preferredSize.width + left(), heightFor(if (width > 0) width else 400))

    override fun doLayout() {
        val size = icon.preferredSize
        icon.setBounds(0, top(), size.width, size.height)
        body.setBounds(left(), 0, width - left(), heightFor(width))
    }
}

/** Something to know, on a ground of its tone; the agent's death offers to start it again. */
internal class NoticeView(private val item: NoticeItem, actions: ChatActions, restart: () -> Unit) :
    Column(padding = Insets(4, 0, 4, 0)), ItemView {
    init {
        if (item.tone == Tone.INFO) quiet() else loud(actions, restart)
    }

    private fun quiet() {
        val text = if (item.text.isBlank()) item.title else "${item.title}: ${item.text.firstLine(400)}"
        add(Prose(text, { Look.small }, { Look.muted }))
    }

    private fun loud(actions: ChatActions, restart: () -> Unit) {
        val color = { Look.tone(item.tone) }
        val card = Card(gap = 4, padding = Insets(9, 12, 10, 12), ground = { Look.tinted(color()) }, line = { Look.mix(color(), Look.background, 0.4) })
        card.add(Marked(Mark(Mark.Kind.WARNING, color = color), Prose(item.title, { Look.bold })))
        if (item.text.isNotBlank()) card.add(Prose(item.text))
        if (item.details.isNotBlank()) {
            card.add(Line(Texts["notice.stderr"], { Look.small }, { Look.muted }))
            card.add(CodeView(actions).apply { show(Piece.Code("", item.details), isWhole = true) })
        }
        if (item.offersRestart) {
            card.add(
                Flow(gap = 8).apply {
                    add(CardButton(Texts["notice.restart"], isMain = false, restart))
                },
            )
        }
        add(card)
    }

    override fun refresh() = Unit
}

/** A plan that was put before the person: what became of it, and, unfolded, the plan. While it waits, a card shows it. */
internal class ProposalView(private val item: ProposalItem, actions: ChatActions) : FoldedSpeech(actions, Insets(4, 0, 4, 0)) {
    init {
        refresh()
    }

    override fun title() = Texts["proposal.${item.state.name.lowercase()}"]

    override fun fill(speech: SpeechBody) = speech.show(item.pieces, emptyList())

    override fun refresh() {
        super.refresh()
        fold.named(fold.text)
    }
}

/** A line across the conversation with a word in it. */
internal class DividerView(private val item: DividerItem) : JPanel(null), Flowing, ItemView {
    init {
        isOpaque = false
        named(item.text)
    }

    override fun refresh() = Unit

    override fun heightFor(width: Int): Int = getFontMetrics(Look.small).height * lines(width).size + Look.px(18)

    override fun getPreferredSize() = java.awt.Dimension(Look.px(200), heightFor(if (width > 0) width else Look.px(400)))

    private fun lines(width: Int) = wrapped(item.text, getFontMetrics(Look.small), width - Look.px(72))

    override fun paintComponent(graphics: java.awt.Graphics) {
        val g = graphics.create() as java.awt.Graphics2D
        smooth(g)
        g.font = Look.small
        val metrics = g.fontMetrics
        val lines = lines(width)
        val wide = lines.maxOf { metrics.stringWidth(it) }
        val middle = height / 2
        val gap = Look.px(10)
        g.color = Look.border
        g.fillRect(0, middle, (width - wide) / 2 - gap, Look.px(1))
        g.fillRect((width + wide) / 2 + gap, middle, width, Look.px(1))
        g.color = Look.muted
        var base = (height - metrics.height * lines.size) / 2 + metrics.ascent
        for (line in lines) {
            g.drawString(line, (width - metrics.stringWidth(line)) / 2, base)
            base += metrics.height
        }
        g.dispose()
    }
}

/** Shows a view of the past: there to be read, fainter than what happens now. */
internal class Dimmed(private val view: JComponent) : Column(), ItemView {
    init {
        add(view)
    }

    override fun refresh() = (view as ItemView).refresh()

    /** What is repainted within begins here, so that it is as faint as the rest. */
    override fun isPaintingOrigin() = true

    override fun paint(graphics: java.awt.Graphics) {
        val g = graphics.create() as java.awt.Graphics2D
        g.composite = java.awt.AlphaComposite.getInstance(java.awt.AlphaComposite.SRC_OVER, STRENGTH)
        super.paint(g)
        g.dispose()
    }

    private companion object {
        const val STRENGTH = 0.68f
    }
}

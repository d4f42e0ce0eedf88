package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.BorderLayout
import java.awt.Insets
import javax.swing.JComponent
import javax.swing.JPanel

/** Shows one item; [refresh] is called when its item has changed, and only then. */
internal interface ItemView {
    fun refresh()
}

/** Makes views of items. */
internal class ItemViews(private val texts: ToolTexts, private val actions: ChatActions, private val restart: () -> Unit) {
    fun of(item: ConversationItem): JComponent = when (item) {
        is PromptItem -> PromptView(item)
        is SpeechItem -> if (item.isThought) ThoughtView(item, actions) else MessageView(item, actions)
        is ToolItem -> ToolView(item, texts, actions)
        is PlanItem -> PlanView(item)
        is NoticeItem -> NoticeView(item, actions, restart)
    }
}

internal class PromptView(item: PromptItem) : Column(padding = Insets(8, 0, 4, 0)), ItemView {
    init {
        val bubble = Card(gap = 0, padding = Insets(8, 12, 8, 12), ground = { Look.prompt }, line = { null })
        bubble.add(Prose(item.text.capped(SHOWN)))
        bubble.named(Texts["prompt.yours"], item.text.firstLine())
        add(bubble)
    }

    override fun refresh() = Unit

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
        val done = item.steps.count { it.status == StepStatus.COMPLETED }
        val head = JPanel(BorderLayout())
        head.isOpaque = false
        head.add(Line(Texts["plan.title"], { Look.bold }), BorderLayout.WEST)
        head.add(Line(Texts["plan.progress", done, item.steps.size], { Look.small }, { Look.muted }), BorderLayout.EAST)
        card.add(head)
        for (step in item.steps) {
            val kind = when (step.status) {
                StepStatus.COMPLETED -> Mark.Kind.CIRCLE_DONE
                StepStatus.IN_PROGRESS -> Mark.Kind.RUNNING
                StepStatus.PENDING -> Mark.Kind.RING
            }
            val isDone = step.status == StepStatus.COMPLETED
            val text = Prose(step.text, { if (step.status == StepStatus.IN_PROGRESS) Look.bold else Look.font }) { if (isDone) Look.muted else Look.foreground }
            text.named("${step.text}, ${Texts["plan.${step.status.name.lowercase()}"]}")
            card.add(Marked(Mark(kind), text))
        }
        revalidate()
    }
}

/** A mark beside text that wraps. */
internal class Marked(mark: Mark, private val body: JComponent, private val gap: Int = 6) : JPanel(null), Flowing {
    private val icon = javax.swing.JLabel(mark)

    init {
        isOpaque = false
        add(icon)
        add(body)
    }

    private fun left() = icon.preferredSize.width + Look.px(gap)

    override fun heightFor(width: Int): Int = maxOf(body.heightAt(width - left()), icon.preferredSize.height)

    override fun getPreferredSize() = java.awt.Dimension(body.preferredSize.width + left(), heightFor(if (width > 0) width else 400))

    override fun doLayout() {
        val line = getFontMetrics(Look.font).height
        val size = icon.preferredSize
        icon.setBounds(0, ((line - size.height) / 2).coerceAtLeast(0), size.width, size.height)
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
            card.add(CodeView(actions).apply { show(Block.Code("", item.details)) })
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

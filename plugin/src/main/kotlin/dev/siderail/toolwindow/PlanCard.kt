package dev.siderail.toolwindow

import dev.siderail.engine.PermissionAnswer
import dev.siderail.ui.CardButton
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Flowing
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.focusMovesOnTab
import dev.siderail.ui.listener
import dev.siderail.ui.named
import dev.siderail.ui.onKey
import dev.siderail.ui.outline
import dev.siderail.ui.repaintsWithFocus
import dev.siderail.ui.smooth
import java.awt.event.InputEvent
import java.awt.event.KeyEvent
import javax.swing.JComponent
import javax.swing.JTextArea
import javax.swing.KeyStroke

/**
 * A plan that waits for approval: the plan as the agent wrote it, and what may become of it. Approving begins the
 * work; sending it back takes a word about what is to be different. It takes no focus when it appears.
 */
internal class PlanCard(private val ask: PermissionAsk, agent: String, private val actions: ChatActions, private val answer: (PermissionAnswer) -> Unit) :
    AskingCard(gap = 8) {
    private val feedback = feedback()
    private val approve = CardButton(Texts["permission.plan.approve"], isMain = true) { answer(PermissionAnswer.Allow) }
    private val back = CardButton(Texts["permission.plan.back"]) { sendBack() }
    private val down = CardButton(Texts["permission.plan.down"]) { answer(PermissionAnswer.Deny("")) }

    init {
        val headline = ask.headline(agent)
        named(headline, ask.text.firstLine())
        add(Marked(Mark(Mark.Kind.ASK), Prose(headline, { Look.bold })))
        add(plan())
        add(feedback)
        approve.toolTipText = Texts["permission.digit", 1]
        down.toolTipText = Texts["permission.digit", 2]
        add(Flow(gap = 6).apply { listOf(approve, back, down).forEach(::add) })
        bindDigits()
        typed()
    }

    private fun plan(): JComponent {
        if (ask.plan.isEmpty()) return steps()
        return SpeechBody(actions).apply { show(ask.plan, emptyList()) }
    }

    private fun steps() = Column(gap = 3).apply { ask.steps.forEach { add(Marked(Mark(Mark.Kind.RING), Prose(it))) } }

    private fun feedback() = HintedArea(ask.reason, Texts["permission.plan.feedback"]).apply {
        document.addDocumentListener(
            listener {
                ask.reason = text
                typed()
            },
        )
        onKey(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, InputEvent.CTRL_DOWN_MASK), "send-back") { sendBack() }
    }

    private fun typed() {
        back.isEnabled = ask.reason.isNotBlank()
        back.toolTipText = if (back.isEnabled) Texts["permission.plan.back.key"] else Texts["permission.plan.back.needs"]
    }

    private fun sendBack() {
        if (ask.reason.isNotBlank()) answer(ask.deny())
    }

    private fun bindDigits() = listOf(approve, down).forEachIndexed { at, button ->
        for (host in listOf(approve, back, down)) {
            host.onKey(KeyStroke.getKeyStroke(KeyEvent.VK_1 + at, 0), "choose-$at") { button.doClick(0) }
        }
    }

    override fun allow() = answer(PermissionAnswer.Allow)

    /** What was typed goes along. */
    override fun deny() = answer(ask.deny())

    override fun takeFocus() {
        approve.requestFocusInWindow()
    }
}

/** A few lines to write in that say what belongs there while they are empty; grows with its text. */
internal class HintedArea(initial: String, private val hint: String) : JTextArea(initial), Flowing {
    init {
        lineWrap = true
        wrapStyleWord = true
        named(hint)
        focusMovesOnTab(this)
        repaintsWithFocus()
    }

    override fun updateUI() {
        super.updateUI()
        isOpaque = false
        font = Look.font
        border = javax.swing.BorderFactory.createEmptyBorder(Look.px(6), Look.px(8), Look.px(6), Look.px(8))
    }

    override fun heightFor(width: Int): Int {
        val inside = width - insets.left - insets.right
        val view = getUI().getRootView(this)
        view.setSize(inside.toFloat(), 0f)
        val text = view.getPreferredSpan(javax.swing.text.View.Y_AXIS).toInt()
        val line = getFontMetrics(font).height
        return text.coerceIn(line, line * MOST_LINES) + insets.top + insets.bottom
    }

    override fun paintComponent(graphics: java.awt.Graphics) {
        val g = graphics.create() as java.awt.Graphics2D
        smooth(g)
        g.color = if (isFocusOwner) Look.focus else Look.mix(Look.foreground, Look.background, 0.28)
        outline(g, if (isFocusOwner) 2f else 1f)
        if (document.length == 0) {
            g.font = font
            g.color = Look.muted
            g.drawString(shortened(hint, g.fontMetrics, width - insets.left - insets.right), insets.left, insets.top + g.fontMetrics.ascent)
        }
        g.dispose()
        foreground = Look.foreground
        caretColor = Look.foreground
        super.paintComponent(graphics)
    }

    private companion object {
        const val MOST_LINES = 8
    }
}

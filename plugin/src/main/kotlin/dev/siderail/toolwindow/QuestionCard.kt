package dev.siderail.toolwindow

import com.intellij.ui.components.JBRadioButton
import dev.siderail.bridge.QuestionKind
import dev.siderail.ui.Badge
import dev.siderail.ui.CardButton
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.focusMovesOnTab
import dev.siderail.ui.listener
import dev.siderail.ui.named
import dev.siderail.ui.onKey
import java.awt.event.KeyEvent
import javax.swing.ButtonGroup
import javax.swing.JComponent
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.KeyStroke

/** A question of the agent (`ask_user`): free text, yes or no, a value, one of several, a file. Takes no focus. */
internal class QuestionCard(private val draft: QuestionDraft, agent: String, private val actions: ChatActions) :
    AskingCard(gap = 7) {
    private val question = draft.question
    private val obstacle = Line("", { Look.small }, { Look.warning })
    private var first: JComponent? = null

    init {
        named(Texts["question.headline", agent], question.text)
        val headline = Marked(Mark(Mark.Kind.ASK), Prose(Texts["question.headline", agent], { Look.bold }))
        add(beside(center = headline, east = if (question.required) null else Badge(Texts["question.optional"]) { Look.muted }))
        add(Prose(question.text.capped(TEXT)))
        when (draft.kind) {
            QuestionKind.CONFIRMATION -> Unit
            QuestionKind.CHOICE -> add(choices())
            QuestionKind.CLARIFICATION -> add(area())
            QuestionKind.INPUT -> add(field(Texts["question.value"]))
            QuestionKind.FILE_SELECTION -> add(file())
        }
        obstacle.isVisible = false
        add(obstacle)
        add(buttons())
    }

    private fun choices(): JComponent {
        val column = Column(gap = 2)
        val group = ButtonGroup()
        for (option in question.options) {
            val radio = JBRadioButton(option.firstLine(OPTION), option == draft.text)
            radio.putClientProperty("html.disable", true)
            radio.isOpaque = false
            radio.toolTipText = option.takeIf { it.length > OPTION && !it.startsWith("<html") }
            radio.addActionListener { type(option) }
            group.add(radio)
            column.add(radio)
            if (first == null || option == draft.text) first = radio
        }
        return column
    }

    private fun area(): JComponent {
        val area = JTextArea(draft.text, 3, 20)
        area.lineWrap = true
        area.wrapStyleWord = true
        area.font = Look.font
        area.named(Texts["question.answer"])
        area.document.addDocumentListener(listener { type(area.text) })
        area.onKey(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, java.awt.event.InputEvent.CTRL_DOWN_MASK), "answer") { submit() }
        focusMovesOnTab(area)
        first = area
        return JScrollPane(area)
    }

    private fun field(hint: String): PlaceholderField {
        val field = PlaceholderField(draft.text, hint) { type(it) }
        field.addActionListener { submit() }
        first = field
        return field
    }

    private fun file(): JComponent {
        val field = field(Texts["question.file"])
        return beside(center = field, east = CardButton(Texts["question.browse"]) { actions.chooseFile { field.text = it } }, gap = 6)
    }

    private fun buttons() = Flow(gap = 6).apply {
        if (draft.kind == QuestionKind.CONFIRMATION) {
            val yes = CardButton(Texts["question.yes"], isMain = true) { draft.confirm(true) }
            add(yes)
            add(CardButton(Texts["question.no"]) { draft.confirm(false) })
            first = yes
        } else {
            add(CardButton(Texts["question.send"], isMain = true) { submit() })
        }
        add(CardButton(if (question.required) Texts["question.decline"] else Texts["question.skip"]) { draft.decline() })
    }

    private fun type(text: String) {
        draft.text = text
        if (obstacle.isVisible) complain()
    }

    private fun submit() {
        if (!draft.submit()) complain()
    }

    private fun complain() {
        val key = draft.obstacle
        obstacle.text = key?.let { Texts[it] } ?: ""
        obstacle.isVisible = key != null
        revalidate()
        repaint()
    }

    override fun allow() = confirm(true)

    override fun deny() = confirm(false)

    private fun confirm(isYes: Boolean) {
        if (draft.kind == QuestionKind.CONFIRMATION) draft.confirm(isYes)
    }

    override fun takeFocus() {
        first?.requestFocusInWindow()
    }

    private companion object {
        const val TEXT = 4_000
        const val OPTION = 90
    }
}

package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.BorderLayout
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import java.awt.event.ActionEvent
import java.awt.event.FocusEvent
import java.awt.event.FocusListener
import java.awt.event.InputEvent
import java.awt.event.KeyEvent
import javax.swing.AbstractAction
import javax.swing.JCheckBox
import javax.swing.JPanel
import javax.swing.JPopupMenu
import javax.swing.JRadioButtonMenuItem
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.KeyStroke
import javax.swing.undo.UndoManager

/** An agent or a mode as it is offered for choosing. */
data class Choice(val id: String?, val title: String)

/** A choice among a few, as text that opens a menu. */
internal class Picker(private var choices: List<Choice>, initial: Choice?, private val what: String, private val picked: () -> Unit) : LinkButton("", { Look.font }, { Look.muted }) {
    var selected: Choice? = initial ?: choices.firstOrNull()
        private set

    /** Offers others; nothing counts as picked by that. */
    fun offer(others: List<Choice>, chosen: Choice?) {
        if (others == choices && chosen == selected) return
        choices = others
        selected = chosen ?: others.firstOrNull()
        showChoice()
    }

    init {
        icon = Mark(Mark.Kind.CHEVRON_DOWN, 12)
        horizontalTextPosition = LEADING
        toolTipText = what
        addActionListener { menu(choices).show(this, 0, height) }
        showChoice()
    }

    private fun menu(choices: List<Choice>) = JPopupMenu().apply {
        for (choice in choices) {
            val item = JRadioButtonMenuItem(choice.title, choice == selected)
            item.putClientProperty("html.disable", true)
            item.addActionListener {
                selected = choice
                showChoice()
                picked()
            }
            add(item)
        }
    }

    private fun showChoice() {
        text = selected?.title ?: what
        named("$what: $text")
    }
}

/**
 * Where the person writes: a field that grows, agent and mode, one button that sends, and one that stops while
 * the agent works. Enter sends, Shift+Enter starts a line; sending while the agent works queues.
 */
internal class Composer(
    private val chat: ChatModel,
    agents: List<Choice>,
    private val modes: List<Choice>,
    private val changed: () -> Unit,
) : Card(gap = 4, padding = Insets(8, 10, 6, 6), ground = { Look.raised }, line = { null }) {
    private val field = Field()
    private val scroll = JScrollPane(field, JScrollPane.VERTICAL_SCROLLBAR_AS_NEEDED, JScrollPane.HORIZONTAL_SCROLLBAR_NEVER)
    private val agentPicker = Picker(agents, agents.find { it.id == chat.agent }, Texts["composer.agent"]) { picked() }
    private val modePicker = Picker(modes, modes.find { it.id == chat.mode }, Texts["composer.mode"]) { picked() }
    private val plan = JCheckBox(Texts["composer.plan"])
    private val send = MarkButton({ Mark.Kind.ARROW_UP }, { field.document.length > 0 }) { send() }
    private val stop = MarkButton({ Mark.Kind.STOP }, { true }) {
        chat.stop()
        changed()
    }

    init {
        field.text = chat.draft
        field.document.addDocumentListener(
            listener {
                chat.draft = field.text
                refresh()
                revalidate()
            },
        )
        add(Grown(scroll))
        val row = JPanel(BorderLayout())
        row.isOpaque = false
        row.add(Flow(gap = 14).apply { add(agentPicker); add(modePicker); add(plan) }, BorderLayout.CENTER)
        row.add(Flow(gap = 4).apply { add(stop); add(send) }, BorderLayout.EAST)
        add(row)
        plan.isOpaque = false
        plan.toolTipText = Texts["composer.plan.tip"]
        plan.addActionListener { chat.wantsPlan = plan.isSelected }
        send.named(Texts["composer.send"])
        stop.named(Texts["composer.stop"])
        stop.toolTipText = Texts["composer.stop"]
        refresh()
    }

    private fun picked() {
        val agent = agentPicker.selected?.id ?: return
        chat.choose(agent, modePicker.selected?.id)
        changed()
    }

    fun refresh() {
        val offered = chat.modes.ifEmpty { modes }
        modePicker.offer(offered, offered.find { it.id == chat.mode })
        modePicker.isVisible = offered.size > 1
        plan.isSelected = chat.wantsPlan
        stop.isVisible = chat.isBusy
        stop.isEnabled = chat.phase != ChatPhase.STOPPING || chat.isHeld
        send.isEnabled = field.document.length > 0
        send.isVisible = send.isEnabled || !chat.isBusy
        send.toolTipText = if (chat.isBusy) Texts["composer.queue"] else Texts["composer.send"]
        field.repaint()
        send.repaint()
    }

    /** Puts a queued prompt back to be edited, ahead of what is being typed. */
    fun takeBack(text: String) {
        field.text = if (field.text.isBlank()) text else text + "\n" + field.text
    }

    private fun send() {
        if (!chat.send(field.text)) return
        field.text = ""
        field.forgetUndo()
        changed()
    }

    fun takeFocus() {
        field.requestFocusInWindow()
    }

    override fun paintComponent(graphics: Graphics) {
        super.paintComponent(graphics)
        val g = graphics.create() as Graphics2D
        smooth(g)
        g.color = if (field.isFocusOwner) Look.focus else Look.mix(Look.foreground, Look.background, 0.28)
        outline(g, if (field.isFocusOwner) 2f else 1f)
        g.dispose()
    }

    /** Grows with its text up to a bound, then scrolls. */
    private inner class Grown(private val inner: JScrollPane) : JPanel(BorderLayout()), Flowing {
        init {
            isOpaque = false
            inner.border = null
            inner.isOpaque = false
            inner.viewport.isOpaque = false
            add(inner)
        }

        override fun heightFor(width: Int): Int {
            val line = field.getFontMetrics(field.font).height
            return field.heightFor(width).coerceIn(line * 2, line * 9)
        }

        override fun getPreferredSize() = Dimension(Look.px(120), heightFor(if (width > 0) width else Look.px(300)))
    }

    private inner class Field : JTextArea(), Flowing {
        private val undo = UndoManager()

        init {
            lineWrap = true
            wrapStyleWord = true
            named(Texts["composer.field"])
            focusMovesOnTab(this)
            document.addUndoableEditListener(undo)
            bind(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, 0), "send") { send() }
            bind(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, InputEvent.SHIFT_DOWN_MASK), "break") { replaceSelection("\n") }
            val menu = runCatching { toolkit.menuShortcutKeyMaskEx }.getOrDefault(InputEvent.CTRL_DOWN_MASK)
            bind(KeyStroke.getKeyStroke(KeyEvent.VK_Z, menu), "undo") { if (undo.canUndo()) undo.undo() }
            bind(KeyStroke.getKeyStroke(KeyEvent.VK_Z, menu or InputEvent.SHIFT_DOWN_MASK), "redo") { if (undo.canRedo()) undo.redo() }
            addFocusListener(
                object : FocusListener {
                    override fun focusGained(event: FocusEvent) = this@Composer.repaint()

                    override fun focusLost(event: FocusEvent) = this@Composer.repaint()
                },
            )
        }

        override fun updateUI() {
            super.updateUI()
            border = null
            isOpaque = false
            font = Look.font
        }

        fun forgetUndo() = undo.discardAllEdits()

        private fun bind(key: KeyStroke, name: String, action: () -> Unit) {
            inputMap.put(key, name)
            actionMap.put(
                name,
                object : AbstractAction() {
                    override fun actionPerformed(event: ActionEvent) = action()
                },
            )
        }

        override fun heightFor(width: Int): Int = getUI().getRootView(this).let {
            it.setSize(width.toFloat(), 0f)
            it.getPreferredSpan(javax.swing.text.View.Y_AXIS).toInt()
        }

        override fun paintComponent(graphics: Graphics) {
            foreground = Look.foreground
            super.paintComponent(graphics)
            if (document.length > 0) return
            val g = graphics.create() as Graphics2D
            smooth(g)
            g.font = font
            g.color = Look.muted
            g.drawString(if (chat.isBusy) Texts["composer.hint.busy"] else Texts["composer.hint"], 0, g.fontMetrics.ascent)
            g.dispose()
        }
    }
}

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
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.KeyStroke
import javax.swing.undo.UndoManager

/**
 * Where the person writes: a field that grows, agent, mode and options, one button that sends, and one that stops while
 * the agent works. Enter sends, Shift+Enter starts a line. While the agent works, Enter queues and Ctrl+Enter gives the
 * text to the running turn. What begins with a slash is completed from [list].
 */
internal class Composer(
    private val chat: ChatModel,
    agents: List<Choice>,
    private val modes: List<Choice>,
    private val typed: () -> Unit,
    private val changed: () -> Unit,
) : Card(gap = 4, padding = Insets(8, 10, 6, 6), ground = { Look.raised }, line = { null }) {
    private val field = Field()
    val input: JComponent get() = this.field
    private val scroll = JScrollPane(field, JScrollPane.VERTICAL_SCROLLBAR_AS_NEEDED, JScrollPane.HORIZONTAL_SCROLLBAR_NEVER)
    internal val list = CommandList(chat.commands) { complete() }
    private val agentPicker = Picker(agents, agents.find { it.id == chat.agent }, Texts["composer.agent"]) { picked() }
    private val modePicker = Picker(modes, modes.find { it.id == chat.mode }, Texts["composer.mode"]) { picked() }
    private val options = OptionPickers { option, value ->
        chat.setOption(option, value)
        changed()
    }
    private val pickers = Flow(gap = 12, lineGap = 4)
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
                chat.commands.typed(field.text)
                typed()
                refresh()
                revalidate()
            },
        )
        add(Grown(scroll))
        val row = JPanel(BorderLayout())
        row.isOpaque = false
        listOf(agentPicker, modePicker, plan).forEach(pickers::add)
        row.add(pickers, BorderLayout.CENTER)
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
        if (options.show(chat.settings.options, pickers, FIXED)) revalidate()
        list.refresh()
        // Tab is the way out of the field, unless there is something to take with it.
        field.focusTraversalKeysEnabled = !chat.commands.isOffering
        plan.isSelected = chat.wantsPlan
        stop.isVisible = chat.isBusy
        stop.isEnabled = chat.phase != ChatPhase.STOPPING || chat.isHeld
        send.isEnabled = field.document.length > 0
        send.isVisible = send.isEnabled || !chat.isBusy
        send.toolTipText = when {
            !chat.isBusy -> Texts["composer.send"]
            chat.canSteer -> Texts["composer.queue.steer"]
            else -> Texts["composer.queue"]
        }
        field.repaint()
        send.repaint()
    }

    /** Puts a queued prompt back to be edited, ahead of what is being typed. */
    fun takeBack(text: String) {
        field.text = if (field.text.isBlank()) text else text + "\n" + field.text
    }

    /** Shows the draft that the model holds. */
    fun takeDraft() {
        if (field.text != chat.draft) field.text = chat.draft
    }

    /** Takes the command that is offered. */
    private fun complete() {
        chat.commands.completed()?.let { field.text = it }
        refresh()
    }

    private fun send(steers: Boolean = false) {
        if (!steers && chat.commands.isOffering) return complete()
        val isSent = if (steers) chat.sendNow(field.text) else chat.send(field.text)
        if (!isSent) return
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
            bind(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, InputEvent.CTRL_DOWN_MASK), "steer") { send(steers = true) }
            bindInList(KeyEvent.VK_UP, "list-up") { chat.commands.move(-1) }
            bindInList(KeyEvent.VK_DOWN, "list-down") { chat.commands.move(1) }
            bindInList(KeyEvent.VK_TAB, "list-take") { complete() }
            bindInList(KeyEvent.VK_ESCAPE, "list-away") { chat.commands.putAside() }
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

        /** A key that belongs to the list while one is shown, and else does what it does anywhere. */
        private fun bindInList(code: Int, name: String, action: () -> Unit) {
            val key = KeyStroke.getKeyStroke(code, 0)
            val usual = inputMap.get(key)?.let(actionMap::get)
            inputMap.put(key, name)
            actionMap.put(
                name,
                object : AbstractAction() {
                    override fun isEnabled() = chat.commands.isOffering || usual != null

                    override fun actionPerformed(event: ActionEvent) {
                        if (!chat.commands.isOffering) return usual?.actionPerformed(event) ?: Unit
                        action()
                        refresh()
                    }
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

    private companion object {
        /** Parts of the row of pickers that are always there. */
        const val FIXED = 3
    }
}

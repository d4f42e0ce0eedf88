package dev.siderail.toolwindow

import com.intellij.ui.components.JBCheckBox
import dev.siderail.ui.Card
import dev.siderail.ui.Flow
import dev.siderail.ui.Flowing
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.MarkButton
import dev.siderail.ui.PlainScroll
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.focusMovesOnTab
import dev.siderail.ui.listener
import dev.siderail.ui.named
import dev.siderail.ui.onKey
import dev.siderail.ui.outline
import dev.siderail.ui.repaintsWithFocus
import dev.siderail.ui.smooth
import java.awt.BorderLayout
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import java.awt.event.ActionEvent
import java.awt.event.InputEvent
import java.awt.event.KeyEvent
import java.io.File
import javax.swing.AbstractAction
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.KeyStroke
import javax.swing.undo.UndoManager

/**
 * Where the person writes: a field that grows, agent, mode and options, one button that sends, and one that stops while
 * the agent works. Enter sends, Shift+Enter starts a line. While the agent works, Enter queues and Ctrl+Enter gives the
 * text to the running turn. What begins with a slash or an `@` is completed from [list]; the arrow that goes up brings back
 * what was written before.
 */
internal class Composer(
    private val chat: ChatModel,
    private val agents: List<Choice>,
    private val modes: List<Choice>,
    private val actions: ChatActions,
    private val typed: () -> Unit,
    private val changed: () -> Unit,
) : Card(gap = 4, padding = Insets(8, 10, 6, 6), ground = { Look.raised }, line = { null }) {
    private val field = Field()
    val input: JComponent get() = this.field
    private val scroll = PlainScroll(field)
    private val mentions = Mentions(actions::findContext)
    private val history = PromptHistory { chat.conversation.prompts }
    internal val list = CommandList(::offers) { complete() }
    private val chips = Chips(chat.attachments) { changed() }
    private val agentPicker = Picker(agents, agents.find { it.id == chat.agent }, Texts["composer.agent"]) { picked() }
    private val modePicker = Picker(modes, modes.find { it.id == chat.mode }, Texts["composer.mode"]) { picked() }
    private val options = OptionPickers { option, value ->
        chat.setOption(option, value)
        changed()
    }
    private val pickers = Flow(gap = 12, lineGap = 4)
    private val plan = JBCheckBox(Texts["composer.plan"])
    private val send = MarkButton({ Mark.Kind.ARROW_UP }, { canSend() }) { send() }
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
        field.addCaretListener { lookForMention() }
        add(chips)
        add(Grown(scroll))
        listOf(agentPicker, modePicker, plan).forEach(pickers::add)
        add(beside(center = pickers, east = Flow(gap = 4).apply { add(stop); add(send) }))
        plan.isOpaque = false
        plan.toolTipText = Texts["composer.plan.tip"]
        plan.addActionListener { chat.wantsPlan = plan.isSelected }
        send.named(Texts["composer.send"])
        stop.named(Texts["composer.stop"])
        stop.toolTipText = Texts["composer.stop"]
        refresh()
    }

    private fun canSend() = field.document.length > 0 || chat.attachments.all.isNotEmpty()

    private fun offers(): Offers = if (mentions.isOffering) mentions else chat.commands

    private fun beforeCaret(): String = field.text.take(field.caretPosition)

    private fun lookForMention() {
        val before = mentions.offered
        mentions.typed(beforeCaret()) { refresh() }
        if (mentions.offered !== before) refresh()
    }

    private fun picked() {
        val agent = agentPicker.selected?.id ?: return
        chat.choose(agent, modePicker.selected?.id)
        changed()
    }

    fun refresh() {
        agentPicker.offer(agents, agents.find { it.id == chat.agent })
        val offered = chat.modes.ifEmpty { modes }
        modePicker.offer(offered, offered.find { it.id == chat.mode })
        modePicker.isVisible = offered.size > 1
        if (options.show(chat.settings.options, pickers, FIXED)) revalidate()
        chips.refresh()
        list.refresh()
        // Tab is the way out of the field, unless there is something to take with it.
        field.focusTraversalKeysEnabled = !offers().isOffering
        plan.isSelected = chat.wantsPlan
        stop.isVisible = chat.isBusy
        stop.isEnabled = chat.phase != ChatPhase.STOPPING || chat.isHeld
        send.isEnabled = canSend()
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

    /** Takes what is offered. */
    private fun complete() {
        val mention = mentions.taken(beforeCaret())
        if (mention == null) chat.commands.completed()?.let { field.text = it } else put(mention.first, mention.second)
        refresh()
    }

    /** Attaches what is offered, without a word in the text. */
    fun take(mention: Mention) {
        put(mention, beforeCaret())
        takeFocus()
    }

    private fun put(mention: Mention, before: String) {
        field.text = before + field.text.drop(field.caretPosition)
        field.caretPosition = before.length
        mention.path?.let(::check)
        mention.attach?.invoke { attachment, problem ->
            if (attachment != null) chat.attachments.add(attachment)
            if (problem.isNotEmpty()) chat.attachments.refuse(problem) else if (attachment == null) chat.attachments.refuse(mention.nothing)
            changed()
        }
    }

    /**
     * Takes a name out of the text again where its file is not an image that can be sent, or goes along in another way.
     */
    private fun check(path: String) = look(listOf(path)) { files ->
        val word = Mentions.written(path)
        if (files.isNotEmpty() && chat.attachments.add(files).isEmpty() && word in field.text) {
            val at = field.text.lastIndexOf(word)
            field.document.remove(at, word.length)
        }
        changed()
    }

    /** Files of the project, as the disk has them; it may be slow. */
    private fun look(paths: List<String>, seen: (List<SeenFile>) -> Unit) {
        val base = actions.projectFolder
        val files = paths.map { File(FilePlace.parse(it).absolute(base)).normalize() }
        actions.look(files) { found -> seen(found.filter { it.path != null && it.isImage }) }
    }

    /** Files below the project's folder are named in the text, others and images under a false name go along. */
    private fun takeFiles(files: List<File>) = actions.look(files) { seen ->
        chat.attachments.add(seen).forEach { field.replaceSelection(Mentions.written(it)) }
        changed()
    }

    private fun takeImage(bytes: ByteArray) {
        chat.attachments.add(bytes)
        changed()
    }

    private fun recall(text: String?): Boolean {
        field.text = text ?: return false
        return true
    }

    private fun send(steers: Boolean = false) {
        if (!steers && offers().isOffering) return complete()
        val text = field.text
        val images = Mentions.images(text)
        if (images.isEmpty()) return send(text, emptyList(), steers)
        look(images) { files ->
            // Somebody who has typed on in the meantime sends that.
            if (field.text != text) return@look
            if (chat.attachments.addNamed(files)) send(text, files.mapNotNull { it.path }, steers) else changed()
        }
    }

    private fun send(text: String, images: List<String>, steers: Boolean) {
        val isSent = if (steers) chat.sendNow(text, images) else chat.send(text, images)
        if (!isSent) return changed()
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
    private inner class Grown(inner: JScrollPane) : JPanel(BorderLayout()), Flowing {
        init {
            isOpaque = false
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
            transferHandler?.let { transferHandler = ContextDrop(it, ::takeFiles, ::takeImage) }
            onKey(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, 0), "send") { send() }
            onKey(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, InputEvent.CTRL_DOWN_MASK), "steer") { send(steers = true) }
            bindInList(KeyEvent.VK_UP, "list-up", { recall(history.older(text)) }) { offers().move(-1) }
            bindInList(KeyEvent.VK_DOWN, "list-down", { recall(history.newer(text)) }) { offers().move(1) }
            bindInList(KeyEvent.VK_TAB, "list-take") { complete() }
            bindInList(KeyEvent.VK_ESCAPE, "list-away") { offers().putAside() }
            onKey(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, InputEvent.SHIFT_DOWN_MASK), "break") { replaceSelection("\n") }
            val menu = runCatching { toolkit.menuShortcutKeyMaskEx }.getOrDefault(InputEvent.CTRL_DOWN_MASK)
            onKey(KeyStroke.getKeyStroke(KeyEvent.VK_Z, menu), "undo") { if (undo.canUndo()) undo.undo() }
            onKey(KeyStroke.getKeyStroke(KeyEvent.VK_Z, menu or InputEvent.SHIFT_DOWN_MASK), "redo") { if (undo.canRedo()) undo.redo() }
            repaintsWithFocus(this@Composer)
        }

        override fun updateUI() {
            super.updateUI()
            border = null
            isOpaque = false
            font = Look.font
        }

        fun forgetUndo() = undo.discardAllEdits()

        /** A key that belongs to the list while one is shown, and else does what it does anywhere. */
        private fun bindInList(code: Int, name: String, otherwise: () -> Boolean = { false }, action: () -> Unit) {
            val key = KeyStroke.getKeyStroke(code, 0)
            val usual = inputMap.get(key)?.let(actionMap::get)
            inputMap.put(key, name)
            actionMap.put(
                name,
                object : AbstractAction() {
                    override fun isEnabled() = offers().isOffering || usual != null

                    override fun actionPerformed(event: ActionEvent) {
                        if (!offers().isOffering) {
                            if (!otherwise()) usual?.actionPerformed(event)
                            return
                        }
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

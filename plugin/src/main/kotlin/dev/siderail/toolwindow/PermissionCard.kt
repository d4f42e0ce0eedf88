package dev.siderail.toolwindow

import dev.siderail.engine.PermissionAnswer
import dev.siderail.ui.Card
import dev.siderail.ui.CardButton
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Visible
import dev.siderail.ui.listener
import dev.siderail.ui.named
import dev.siderail.ui.onKey
import dev.siderail.ui.smooth
import java.awt.Insets
import java.awt.event.KeyEvent
import javax.swing.JComponent
import javax.swing.JTextField
import javax.swing.KeyStroke

/**
 * A question for permission, in the window and not in the way of anything. It takes no focus when it appears;
 * in it, 1 allows, 2 denies, further digits choose what lasts, A shows all of a text that is cut, Enter presses the button
 * that has the focus, and Enter in the reason denies.
 */
internal class PermissionCard(
    private val ask: PermissionAsk,
    agent: String,
    private val texts: ToolTexts,
    private val actions: ChatActions,
    private val answer: (PermissionAnswer) -> Unit,
) : AskingCard(gap = 7) {
    private val buttons = ArrayList<CardButton>()

    /** What is for this once, and what lasts. */
    private val once = ask.choices.filter { it.kind == ChoiceKind.ALLOW_ONCE }
    private val lasting = ask.choices - once.toSet()

    /** What the digits do. */
    private val keys = LinkedHashMap<Int, () -> Unit>()

    /** Shows all of the text, where it is cut. */
    private var showAll: (() -> Unit)? = null

    init {
        val headline = ask.headline(agent)
        named(headline, ask.text)
        add(Marked(Mark(Mark.Kind.ASK), Prose(headline, { Look.bold })))
        if (ask.text.isNotBlank()) add(subject())
        if (ask.paths.isNotEmpty()) add(paths())
        ask.glance?.let(::change)
        if (ask.destroys.isNotBlank()) add(Marked(Mark(Mark.Kind.WARNING), Prose(Visible.code(ask.destroys.capped(TEXT)))))
        add(reason())
        add(choices())
        bindKeys()
    }

    private fun subject(): JComponent {
        val whole = Visible.code(ask.text)
        val shown = if (whole.length > TEXT || whole.count { it == '\n' } >= TEXT_LINES) whole.cutInLines() else whole
        val text = if (ask.isCommand) Prose(shown, { Look.mono }) else Prose(shown)
        val box = if (ask.isCommand) Card(gap = 4, padding = Insets(7, 10, 7, 10), ground = { Look.code }, line = { null }) else Column(4)
        box.add(text)
        if (shown != whole) {
            val expand = Flow(gap = 0)
            val show = {
                text.text = whole
                box.remove(expand)
                box.revalidate()
                box.repaint()
            }
            val link = LinkButton(Texts["permission.all"], onClick = show)
            link.named(Texts["permission.all"], Texts["permission.all.hint"])
            link.toolTipText = Texts["permission.all.hint"]
            expand.add(link)
            box.add(expand)
            showAll = show
        }
        return box
    }

    private fun paths() = Flow(gap = 10).apply {
        // What lies outside comes first, so that it is never among those that are only counted.
        for (path in ask.paths.sortedBy { it !in ask.outside }.take(PATHS)) {
            add(LinkButton(Visible.code(texts.relative(path)), { Look.mono }) { actions.openFile(path) })
            if (path in ask.outside) add(Line(Texts["permission.outside"], { Look.bold }, { Look.warning }))
        }
        if (ask.paths.size > PATHS) add(Line(Texts["permission.paths.more", ask.paths.size - PATHS], { Look.font }, { Look.muted }))
    }

    private fun change(change: Glance) {
        add(DiffView(change.lines.take(DIFF_LINES)))
        val row = Flow(gap = 12)
        row.add(Line(change.counts, { Look.small }, { Look.muted }))
        if (change.all > DIFF_LINES) row.add(Line(Texts["permission.diff.more", change.all - DIFF_LINES], { Look.small }, { Look.warning }))
        row.add(LinkButton(Texts["tool.diff"]) { actions.showDiff(ask.paths.joinToString(), ask.changes) })
        add(row)
    }

    private fun reason() = PlaceholderField(ask.reason, Texts["permission.reason"]) { ask.reason = it }
        .also { field -> field.addActionListener { answer(ask.deny()) } }

    /** Allow and Deny side by side; what lasts is behind a list, which says where it is saved. */
    private fun choices() = Flow(gap = 6).apply {
        once.forEachIndexed { at, choice ->
            val button = CardButton(choice.meaning, at == 0 && !choice.contradicts) { answer(choice.answer) }
            button.isDangerous = ask.isIrrevocable
            add(keyed(button, if (ask.isIrrevocable) Texts["permission.hint.irrevocable"] else ""))
        }
        add(keyed(CardButton(Texts["permission.deny"]) { answer(ask.deny()) }, Texts["permission.hint.deny"]))
        if (lasting.isEmpty()) return@apply
        val always = CardButton(Texts["permission.lasting"]) {}
        always.named(Texts["permission.lasting"], lasting.joinToString { it.meaning })
        always.toolTipText = Texts["permission.hint.lasting"]
        always.addActionListener { chooseLasting(always) }
        buttons += always
        lasting.forEachIndexed { at, choice -> keys[firstLasting + at] = { answer(choice.answer) } }
        add(always)
    }

    /** Gives a button the next digit. */
    private fun keyed(button: CardButton, hint: String): CardButton {
        val digit = keys.size + 1
        button.key = "$digit"
        button.named(button.text, listOf(hint, Texts["permission.digit", digit]).filter { it.isNotEmpty() }.joinToString(" "))
        button.toolTipText = button.accessibleContext.accessibleDescription
        buttons += button
        keys[digit] = { button.doClick(0) }
        return button
    }

    /** The digit of the first choice that lasts: behind those for this once, and Deny. */
    private val firstLasting get() = once.size + 2

    /** Each choice with its digit, grouped by where it is saved. */
    private fun chooseLasting(owner: JComponent) {
        val choices = lasting.mapIndexed { at, choice ->
            val kind = choice.kind.name.lowercase()
            val (hint, saved) = listOf(Texts.find("permission.hint.$kind"), Texts.find("permission.saved.$kind")).map { it.orEmpty() }
            Choice("$at", "${firstLasting + at}  ${choice.meaning}", hint, saved)
        }
        Popups.opener.choose(choices, null, Texts["permission.lasting"], owner) { answer(lasting[choices.indexOf(it)].answer) }
    }

    /** Keys work while a button of this card has the focus, never while a reason is being typed. */
    private fun bindKeys() {
        keys.forEach { (digit, act) -> bind(KeyEvent.VK_0 + digit, "choose-$digit", act) }
        showAll?.let { bind(KeyEvent.VK_A, "show-all", it) }
    }

    private fun bind(code: Int, name: String, act: () -> Unit) = buttons.forEach { it.onKey(KeyStroke.getKeyStroke(code, 0), name, act = act) }

    override fun allow() = answer(ask.allow())

    override fun deny() = answer(ask.deny())

    override fun takeFocus() {
        buttons.firstOrNull()?.requestFocusInWindow()
    }

    /** Beginning and end, because what matters may come last. */
    private fun String.cutInLines(): String {
        val lines = split('\n')
        val left = lines.size - TEXT_LINES
        if (left <= 0) return capped(TEXT)
        val half = TEXT_LINES / 2
        return (lines.take(half) + Texts["permission.text.more", left] + lines.takeLast(half)).joinToString("\n").capped(TEXT)
    }

    private companion object {
        const val TEXT = 6_000
        const val TEXT_LINES = 60
        const val PATHS = 6
        const val DIFF_LINES = 24
    }
}

/** A text field that says what belongs into it while it is empty. */
internal class PlaceholderField(initial: String, private val hint: String, private val typed: (String) -> Unit) : JTextField(initial) {
    init {
        named(hint)
        document.addDocumentListener(listener { typed(text) })
    }

    override fun paintComponent(graphics: java.awt.Graphics) {
        super.paintComponent(graphics)
        if (document.length > 0) return
        val g = graphics.create() as java.awt.Graphics2D
        smooth(g)
        g.font = font
        g.color = Look.muted
        val metrics = g.fontMetrics
        g.clipRect(0, 0, width - insets.right, height)
        g.drawString(hint, insets.left, (height - metrics.height) / 2 + metrics.ascent)
        g.dispose()
    }
}

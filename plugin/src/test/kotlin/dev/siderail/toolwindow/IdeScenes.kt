package dev.siderail.toolwindow

import com.google.gson.JsonPrimitive
import com.intellij.openapi.ui.JBMenuItem
import com.intellij.openapi.ui.JBPopupMenu
import dev.siderail.document.ReviewedFile
import dev.siderail.document.Standing
import dev.siderail.screens.Recordings
import dev.siderail.ui.Card
import dev.siderail.ui.CardButton
import dev.siderail.ui.Column
import dev.siderail.ui.EdgeBorder
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.smooth
import java.awt.BasicStroke
import java.awt.BorderLayout
import java.awt.Component
import java.awt.Container
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import java.awt.Rectangle
import java.awt.geom.Line2D
import javax.swing.AbstractButton
import javax.swing.Icon
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JPopupMenu
import javax.swing.SwingUtilities

/** What opens over the window, and what Siderail shows elsewhere in the IDE, whose editor and status bar are drawn here. */
internal object IdeScenes {
    fun always(): JComponent {
        val scene = Scenes.scene()
        scene.chat.send("Build it and run the tests")
        scene.panel.apply(
            listOf(
                Recordings.event(5_000, "SESSION_STARTED"),
                Recordings.event(
                    5_001, "PERMISSION_REQUEST",
                    """"request_id":1,"tool":"Bash","kind":"execute","text":"npm run build","paths":[],"may_be_remembered":true,"asks":true,
                    "options":[{"id":"y","name":"Yes","kind":"allow_once"},{"id":"a","name":"Yes, and don't ask again","kind":"allow_always"},
                    {"id":"n","name":"No, never","kind":"reject_always"}]""",
                ),
            ),
        )
        return withList(scene.panel, all(scene.panel).filterIsInstance<CardButton>().single { it.text == Texts["permission.lasting"] })
    }

    fun policies(): JComponent {
        val panel = Scenes.scene().panel
        return withList(panel, all(panel).filterIsInstance<Picker>().single { Texts["policy.name"] in it.accessibleContext.accessibleName })
    }

    /** With the list that the button opens. */
    private fun withList(panel: JComponent, button: AbstractButton): JComponent =
        MenuOver(panel, Opened.by { button.doClick(0) }.menu()) { SwingUtilities.convertRectangle(button.parent, button.bounds, this) }

    /** A file after a message that changed four parts of it; the first is kept already. */
    fun gutter(): JComponent {
        val (file, text) = backoff()
        file.keep(setOf(file.open.min()))
        return withMarks(file, text, canRevert = true)
    }

    /** The same after a person has typed into the last part: it is shown and can be kept, but not be undone. */
    fun gutterChanged(): JComponent {
        val (file, text) = backoff()
        return withMarks(file, text.replace("public int attempts() {", "public synchronized int attempts() {"), canRevert = false)
    }

    private fun backoff(): Pair<ReviewedFile, String> {
        val before = """
            class Backoff {
                private static final long DELAY = 500;
                private int attempts;

                void pause() throws InterruptedException {
                    Thread.sleep(DELAY);
                    attempts++;
                }

                int attempts() { return attempts; }
            }
        """.trimIndent()
        val after = before
            .replace("    private static final long DELAY = 500;\n", "    private final long delay;\n")
            .replace("    private int attempts;\n", "    private int attempts;\n\n    Backoff(long delay) {\n        this.delay = delay;\n    }\n")
            .replace("sleep(DELAY)", "sleep(delay)")
            .replace("int attempts() {", "public int attempts() {")
        return reviewed("src/Backoff.java", before, after) to after
    }

    /** The file in an editor, with the menu of its last mark. */
    private fun withMarks(file: ReviewedFile, text: String, canRevert: Boolean): JComponent {
        val lines = EditorLines(file, text)
        val menu = JBPopupMenu()
        for (name in listOf("keep", "revert", "diff", "keep.file", "revert.file")) {
            menu.add(JBMenuItem(Texts["review.$name"]).also { it.isEnabled = canRevert || name != "revert" })
        }
        check(lines.canRevert.last() == canRevert)
        return MenuOver(lines, menu) { Rectangle(lines.markRight, lines.top(lines.marks.last()), 0, lines.lineHeight) }
    }

    fun statusBar(): JComponent = Column(gap = 12, padding = Insets(12, 0, 12, 0)).apply {
        for ((asking, working) in listOf(0 to 0, 0 to 1, 1 to 1)) {
            val bar = JPanel(BorderLayout())
            bar.isOpaque = false
            bar.border = EdgeBorder(top = true, bottom = true)
            val words = Flow(gap = 16)
            words.border = javax.swing.BorderFactory.createEmptyBorder(Look.px(4), Look.px(12), Look.px(4), Look.px(12))
            listOf(ChatStatus {}.also { it.show(asking, working) }.text, "12:5", "LF", "UTF-8").forEach { words.add(Line(it, { Look.small })) }
            bar.add(words, BorderLayout.EAST)
            add(bar)
        }
    }

    /** The icon of the window in the stripe, drawn, as it is and while somebody is asked. */
    fun badge(): JComponent = Column(gap = 12, padding = Insets(12, 12, 12, 12)).apply {
        for ((icon, words) in listOf(StripeIcon to Texts["status.idle"], DottedIcon(StripeIcon) to Texts["status.asks"])) {
            add(Line(words).also { it.icon = icon; it.iconTextGap = Look.px(12) })
        }
    }

    /** After a turn that took a while, with the window hidden, and at a question. */
    fun notification(): JComponent = Column(gap = 12, padding = Insets(12, 12, 12, 12)).apply {
        val model = NoticeModel { false }
        val notices = model.of(listOf(turn(0, "TURN_STARTED"), turn(300, "TURN_ENDED")), { "claude" }) + listOfNotNull(model.asks("Claude Code"))
        for (notice in notices) {
            val balloon = Card(gap = 6)
            balloon.add(Marked(Mark(Mark.Kind.CIRCLE_DONE) { Look.accent }, Prose(notice.title, { Look.bold })))
            balloon.add(Flow().also { it.add(LinkButton(Texts["notification.show"])) })
            add(balloon)
        }
    }

    private fun turn(seq: Long, name: String) = Recordings.event(6_000 + seq, name, if (name == "TURN_ENDED") """"stop_reason":"end_turn","continues":false""" else """"origin":"user","text":"go"""")

    private fun all(root: Component): List<Component> = listOf(root) + (root as? Container)?.components.orEmpty().flatMap(::all)

    /** As `siderail.svg` has it, which Java does not paint. */
    private object StripeIcon : Icon {
        override fun getIconWidth() = Look.px(20)

        override fun getIconHeight() = Look.px(20)

        override fun paintIcon(component: Component?, graphics: Graphics, x: Int, y: Int) {
            val g = graphics.create() as Graphics2D
            smooth(g)
            g.translate(x, y)
            g.scale(iconWidth / 16.0, iconHeight / 16.0)
            g.color = Look.muted
            g.stroke = BasicStroke(1.5f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND)
            for ((x1, y1, x2, y2) in LINES) g.draw(Line2D.Double(x1, y1, x2, y2))
            g.dispose()
        }

        private val LINES = listOf(
            listOf(2.5, 13.5, 2.5, 2.5), listOf(13.5, 13.5, 13.5, 2.5), listOf(8.0, 12.5, 8.0, 4.5), listOf(5.4, 6.9, 8.0, 4.2), listOf(8.0, 4.2, 10.6, 6.9),
        )
    }

    /** An editor's lines and numbers, drawn, with the marks where [dev.siderail.document.ReviewMarks] puts them. */
    private class EditorLines(file: ReviewedFile, text: String) : JComponent() {
        private val lines = text.lines()
        private val open = file.change.standing(text).filter { it.part.number in file.open && it.state != Standing.State.REVERTED }
        val marks = open.map { it.lines.start }
        val canRevert = open.map { it.state == Standing.State.STANDS }
        val lineHeight get() = getFontMetrics(Look.mono).height + Look.px(3)
        val markRight get() = Look.px(52)

        fun top(line: Int) = Look.px(10) + line * lineHeight

        override fun getPreferredSize() = Dimension(Look.px(300), top(lines.size))

        override fun paintComponent(graphics: Graphics) {
            val g = graphics.create() as Graphics2D
            smooth(g)
            g.color = Look.raised
            g.fillRect(0, 0, width, height)
            g.font = Look.mono
            val metrics = g.fontMetrics
            val mark = Mark.ofChange()
            lines.forEachIndexed { at, line ->
                val base = top(at) + metrics.ascent
                val number = "${at + 1}"
                g.color = Look.muted
                g.drawString(number, Look.px(28) - metrics.stringWidth(number), base)
                if (at in marks) mark.paintIcon(this, g, Look.px(36), top(at) + (metrics.height - mark.iconHeight) / 2)
                g.color = Look.foreground
                g.drawString(line, Look.px(62), base)
            }
            g.color = Look.border
            g.fillRect(markRight, 0, Look.px(1), height)
            g.dispose()
        }
    }
}

/** A component with a menu over it, which no screen opens: below [anchor], or above it where there is no room. */
internal class MenuOver(below: JComponent, val menu: JPopupMenu, private val anchor: JComponent.() -> Rectangle) : JPanel(BorderLayout()) {
    init {
        isOpaque = false
        add(below)
    }

    override fun paint(graphics: Graphics) {
        super.paint(graphics)
        val at = anchor()
        val size = menu.preferredSize
        check(size.width <= width) { "the menu needs ${size.width}, has $width" }
        menu.size = size
        menu.doLayout()
        val isBelow = at.y + at.height + size.height <= height
        val g = graphics.create(at.x.coerceAtMost(width - size.width), if (isBelow) at.y + at.height else at.y - size.height, size.width, size.height)
        menu.paint(g)
        g.dispose()
    }
}

/** What a press would open, in place of opening it. */
internal class Opened private constructor(val choices: List<Choice>, val selected: Choice?, val take: (Choice) -> Unit) {
    fun menu(): JPopupMenu = MenuPopups.menu(choices, selected, take)

    companion object {
        fun by(press: () -> Unit): Opened {
            var opened: Opened? = null
            val usual = Popups.opener
            Popups.opener = object : Popups {
                override fun choose(choices: List<Choice>, selected: Choice?, what: String, owner: JComponent, take: (Choice) -> Unit) {
                    opened = Opened(choices, selected, take)
                }
            }
            try {
                press()
            } finally {
                Popups.opener = usual
            }
            return checkNotNull(opened) { "nothing opened" }
        }
    }
}

/** A file that a prompt changed, with its parts as the engine tells them. */
private fun reviewed(path: String, before: String, after: String): ReviewedFile {
    val (old, new) = listOf(before, after).map(::JsonPrimitive)
    val changes = conversation()
    changes.apply(Recordings.event(1, "CHANGES", """"files":[{"path":"$path","kind":"changed","old_text":$old,"new_text":$new}]"""))
    return checkNotNull((changes.items.single() as ChangesItem).files.single().reviewed)
}

package dev.siderail.toolwindow

import dev.siderail.document.ReviewedFile
import dev.siderail.document.Standing
import dev.siderail.screens.Recordings
import dev.siderail.settings.Texts
import java.awt.BorderLayout
import java.awt.Component
import java.awt.Container
import java.awt.Dimension
import java.awt.Graphics
import java.awt.Graphics2D
import java.awt.Insets
import java.awt.Point
import javax.swing.JComponent
import javax.swing.JMenuItem
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
        val card = all(scene.panel).filterIsInstance<PermissionCard>().single()
        val button = all(card).filterIsInstance<CardButton>().single { it.text == Texts["permission.lasting"] }
        return WithMenu(scene.panel, card.lastingMenu(), room = 40) { SwingUtilities.convertPoint(button, 0, button.height, this) }
    }

    /** A file after a message that changed four parts of it; the first is kept already. */
    fun gutter(): JComponent {
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
        val file = ReviewedFile("src/Backoff.java", before, after)
        file.keep(setOf(file.open.min()))
        val lines = EditorLines(file, after)
        val menu = JPopupMenu()
        listOf("keep", "revert", "diff", "keep.file", "revert.file").forEach { menu.add(JMenuItem(Texts["review.$it"])) }
        return WithMenu(lines, menu, room = 0) { Point(lines.markRight, lines.top(lines.marks.last()) + lines.lineHeight) }
    }

    fun statusBar(): JComponent = Column(gap = 12, padding = Insets(12, 0, 12, 0)).apply {
        for ((asking, working) in listOf(0 to 0, 0 to 1, 1 to 1)) {
            val bar = JPanel(BorderLayout())
            bar.isOpaque = false
            bar.border = EdgeBorder(top = true, bottom = true)
            val words = Flow(gap = 16)
            words.border = javax.swing.BorderFactory.createEmptyBorder(Look.px(4), Look.px(12), Look.px(4), Look.px(12))
            listOf(ChatStatus {}.also { it.show(asking, working) }.text, "12:5", "LF", "UTF-8", "4 spaces").forEach { words.add(Line(it, { Look.small })) }
            bar.add(words, BorderLayout.EAST)
            add(bar)
        }
    }

    private fun all(root: Component): List<Component> = listOf(root) + (root as? Container)?.components.orEmpty().flatMap(::all)

    /** A component with a menu over it, which no screen opens. [place] says where it would open; it is kept inside. */
    private class WithMenu(below: JComponent, private val menu: JPopupMenu, room: Int, private val place: JComponent.() -> Point) : JPanel(BorderLayout()) {
        init {
            isOpaque = false
            border = javax.swing.BorderFactory.createEmptyBorder(0, 0, Look.px(room), 0)
            add(below)
        }

        override fun paint(graphics: Graphics) {
            super.paint(graphics)
            val at = place()
            menu.size = menu.preferredSize
            menu.doLayout()
            val x = at.x.coerceAtMost(width - menu.width - Look.px(8)).coerceAtLeast(0)
            val y = at.y.coerceAtMost(height - menu.height - Look.px(8))
            val g = graphics.create(x, y, menu.width, menu.height)
            menu.paint(g)
            g.dispose()
        }
    }

    /** An editor's lines and numbers, drawn, with the marks where [dev.siderail.document.ReviewMarks] puts them. */
    private class EditorLines(file: ReviewedFile, text: String) : JComponent() {
        private val lines = text.lines()
        val marks = file.change.standing(text).filter { it.part.number in file.open && it.state == Standing.State.STANDS }.map { it.lines.start }
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

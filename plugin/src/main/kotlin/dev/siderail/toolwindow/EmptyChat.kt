package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.Insets
import javax.swing.JPanel

/** What is shown before the first prompt. */
internal class EmptyChat : JPanel(null) {
    private val column = Column(gap = 10, padding = Insets(24, 28, 24, 28))

    init {
        isOpaque = false
        column.add(Prose(Texts["empty.title"], { Look.bold.deriveFont(Look.font.size2D + 4f) }))
        column.add(Prose(Texts["empty.text"], { Look.font }, { Look.muted }))
        for (key in listOf("empty.edits", "empty.asks", "empty.told")) {
            column.add(Marked(Mark(Mark.Kind.CHECK), Prose(Texts[key])))
        }
        add(column)
    }

    override fun doLayout() {
        val wide = width.coerceAtMost(Look.px(520))
        val high = column.heightFor(wide)
        column.setBounds((width - wide) / 2, ((height - high) / 2).coerceAtLeast(0), wide, high)
    }
}

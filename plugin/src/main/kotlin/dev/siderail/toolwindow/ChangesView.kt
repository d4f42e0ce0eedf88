package dev.siderail.toolwindow

import dev.siderail.bridge.ChangeKind
import dev.siderail.ui.Card
import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.named
import dev.siderail.ui.smooth
import java.awt.Color
import java.awt.Insets
import javax.swing.JComponent

/** The files that a prompt changed: each with its change in the IDE's viewer, and a way to revert it. */
internal class ChangesView(private val item: ChangesItem, private val chat: ChatModel, private val actions: ChatActions, private val review: Review) :
    Column(padding = Insets(6, 0, 6, 0)), ItemView {
    private val card = Card(gap = 3, padding = Insets(8, 12, 10, 12))
    private val links = ArrayList<LinkButton>()

    /** "Revert all" was pressed once: it asks before it does. */
    private var isAsking = false
    private var isShortened = item.files.size > SHOWN

    init {
        add(card)
        refresh()
    }

    override fun refresh() {
        card.removeAll()
        links.clear()
        card.add(head())
        val files = if (isShortened) item.files.take(SHOWN) else item.files
        for (file in files) {
            card.add(row(file))
            if (file.state == RevertState.REFUSED) card.add(refusal(file))
        }
        if (isShortened) {
            card.add(
                LeftAligned(
                    LinkButton(Texts["changes.more", item.files.size - SHOWN]) {
                        isShortened = false
                        refresh()
                    },
                ),
            )
        }
        foot().takeIf { it.componentCount > 0 }?.let(card::add)
        revalidate()
        repaint()
    }

    private fun head(): JComponent {
        // What the lines below say: not of files that were reverted, and no sum of which a part is not known.
        val standing = item.files.filter { it.state != RevertState.REVERTED }.map { it.count }
        val known = standing.filterNotNull()
        val title = Flow(gap = 8)
        title.add(Line(Texts["changes.title", item.files.size], { Look.bold }))
        if (known.isNotEmpty() && known.size == standing.size) title.add(Counts(known.sumOf { it.first }, known.sumOf { it.second }))
        val right = Flow(gap = 12)
        val all = item.files.mapNotNull { it.change }
        if (all.size > 1) right.add(LinkButton(Texts["changes.diff.all"]) { actions.showDiff(Texts["changes.diff.title"], all) })
        return beside(center = title, east = right, gap = 10)
    }

    /** What concerns all files at once. */
    private fun foot(): Flow = Flow(gap = 12).apply {
        if (item.files.any { review.canKeep(item, it) }) add(LinkButton(Texts["review.show"]) { review.show(item) })
        if (item.files.count { review.canKeep(item, it) } > 1) add(LinkButton(Texts["review.keep.all"]) { review.keep(item) })
        if (revertible.size > 1) revertAll(this)
    }

    private val revertible: List<FileEntry> get() = item.files.filter { review.canRevert(item, it) }

    private fun revertAll(row: Flow) {
        if (!isAsking) {
            row.add(reverting(Texts["changes.revert.all"], Texts["changes.revert.all"]) { ask(true) })
            return
        }
        row.add(
            reverting(Texts["changes.revert.sure", revertible.size], Texts["changes.revert.all"]) {
                isAsking = false
                review.revert(item)
            },
        )
        row.add(LinkButton(Texts["changes.revert.no"], { Look.font }, { Look.muted }) { ask(false) })
    }

    private fun ask(isAsking: Boolean) {
        this.isAsking = isAsking
        refresh()
    }

    private fun row(file: FileEntry): JComponent {
        val isGone = file.state == RevertState.REVERTED
        val kind = Line(Texts["changes.kind.${file.kind.word}"], { Look.mono }) { if (isGone) Look.muted else tone(file.kind) }
        val name = PathLink(file.path, { if (isGone) Look.muted else Look.foreground }) { actions.openFile(file.path) }
        return beside(kind, name, results(file), gap = 8)
    }

    private fun results(file: FileEntry) = Flow(gap = 12).apply {
        file.count?.takeIf { file.state != RevertState.REVERTED }?.let { (added, removed) -> add(Counts(added, removed)) }
        file.change?.let { change ->
            add(LinkButton(Texts["changes.diff"]) { actions.showDiff(file.path, listOf(change)) }.named(Texts["changes.diff.named", file.path]))
        }
        when (file.state) {
            RevertState.REVERTED -> add(Line(Texts["changes.reverted"], { Look.font }, { Look.good }))
            RevertState.REVERTING -> add(Line(Texts["changes.reverting"], { Look.font }, { Look.muted }))
            RevertState.KEPT -> add(Line(Texts["review.kept"], { Look.font }, { Look.muted }))
            RevertState.STANDS, RevertState.REFUSED -> {
                file.reviewed?.takeIf { it.isDecided }?.let { add(Line(Texts["review.left", it.open.size], { Look.small }, { Look.muted })) }
                if (review.canKeep(item, file)) add(LinkButton(Texts["review.keep.one"]) { review.keep(item, listOf(file)) }.named(Texts["review.keep.named", file.path]))
                if (review.canRevert(item, file)) {
                    add(reverting(Texts["changes.revert"], Texts["changes.revert.named", file.path]) { review.revert(item, listOf(file)) })
                }
            }
        }
    }

    /** Something that reverts; while a turn runs it says why it does not. */
    private fun reverting(text: String, name: String, action: () -> Unit) = LinkButton(text) { if (chat.canRevert) action() }.apply {
        named(name)
        isEnabled = chat.canRevert
        toolTipText = if (chat.canRevert) null else Texts["changes.revert.busy"]
        links += this
    }

    /** Follows whether the agent works, without making anything anew. */
    fun follow() = links.forEach {
        it.isEnabled = chat.canRevert
        it.toolTipText = if (chat.canRevert) null else Texts["changes.revert.busy"]
    }

    private fun refusal(file: FileEntry) = Marked(
        Mark(Mark.Kind.WARNING),
        Prose(if (file.refusal.isBlank()) Texts["changes.refused"] else Texts["changes.refused.why", file.refusal], { Look.small }, { Look.warning }),
    )

    private fun tone(kind: ChangeKind): Color = when (kind) {
        ChangeKind.CREATED -> Look.good
        ChangeKind.DELETED -> Look.bad
        ChangeKind.CHANGED -> Look.accent
    }

    private companion object {
        /** Files that are shown at once; the rest on demand. */
        const val SHOWN = 12
    }
}

/** Lines added and removed, each in its colour. */
internal class Counts(added: Int, removed: Int) : Flow(gap = 4) {
    init {
        add(Line("+$added", { Look.small }, { if (added > 0) Look.good else Look.muted }))
        add(Line("−$removed", { Look.small }, { if (removed > 0) Look.bad else Look.muted }))
    }
}

/** A path that opens its file; if there is no room for all of it, its beginning is left out. */
internal class PathLink(private val path: String, private val ink: () -> Color, onClick: () -> Unit) : LinkButton(path, { Look.mono }, ink, onClick) {
    init {
        named(path)
        toolTipText = path.takeIf { !it.startsWith("<") }
        horizontalAlignment = LEADING
    }

    /** Whole folders are left out, as long as that helps. */
    private fun fitting(metrics: java.awt.FontMetrics): String {
        if (metrics.stringWidth(path) <= width) return path
        val shorter = path.indices.filter { path[it] == '/' && it > 0 }.map { "…" + path.drop(it) }
        shorter.firstOrNull { metrics.stringWidth(it) <= width }?.let { return it }
        return shortened(path.substringAfterLast('/'), metrics, width)
    }

    override fun getPreferredSize() = java.awt.Dimension(Look.px(60).coerceAtMost(super.getPreferredSize().width), super.getPreferredSize().height)

    override fun paintComponent(graphics: java.awt.Graphics) {
        val g = graphics.create() as java.awt.Graphics2D
        smooth(g)
        val metrics = g.getFontMetrics(font)
        val shown = fitting(metrics)
        g.color = ink()
        val isMarked = model.isRollover || isFocusOwner
        g.font = if (isMarked) font.deriveFont(mapOf(java.awt.font.TextAttribute.UNDERLINE to java.awt.font.TextAttribute.UNDERLINE_ON)) else font
        g.drawString(shown, 0, (height - metrics.height) / 2 + metrics.ascent)
        g.dispose()
    }
}

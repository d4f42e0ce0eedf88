package dev.siderail.toolwindow

import dev.siderail.ui.Column
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.PlainScroll
import dev.siderail.ui.Texts
import dev.siderail.ui.named
import java.awt.BorderLayout
import java.awt.Insets
import javax.swing.JComponent
import javax.swing.JPanel

/**
 * The conversation on the screen: the last items as views, earlier ones on demand, so that a long session costs
 * what is seen of it. Follows the end while the end is in view; a person who has scrolled up is left alone.
 */
internal class ConversationPanel(private val model: ConversationModel, private val views: ItemViews, private val empty: JComponent) : JPanel(BorderLayout()) {
    private val byId = LinkedHashMap<Long, JComponent>()
    private val earlier = LinkButton("") { showEarlier() }
    private val list = Column(gap = 3)
    private val page = Column(gap = 4, padding = Insets(10, 12, 14, 12))
    private val scroll = PlainScroll(page)
    private var window = WINDOW
    private var isFollowing = true
    private var measured = 0 to 0

    init {
        isOpaque = false
        scroll.verticalScrollBar.unitIncrement = Look.px(20)
        page.add(LeftAligned(earlier))
        page.add(list)
        named(Texts["conversation.name"])
        scroll.verticalScrollBar.model.addChangeListener { follow() }
        refresh()
    }

    override fun updateUI() {
        super.updateUI()
        isOpaque = false
    }

    /** Brings the screen up to date with the model; looks only at what changed. */
    fun refresh() {
        val changed = model.takeChanged()
        if (isFollowing && byId.size > 2 * WINDOW) window = WINDOW
        val shown = model.items.takeLast(window)
        val ids = shown.mapTo(HashSet()) { it.id }
        if (byId.keys.any { it !in ids }) {
            byId.entries.removeIf { (id, view) -> (id !in ids).also { if (it) list.remove(view) } }
        }
        shown.forEachIndexed { at, item ->
            if (item.id !in byId) {
                val view = views.of(item)
                byId[item.id] = view
                list.add(view, at.coerceAtMost(list.componentCount))
            }
        }
        changed.forEach { (byId[it.id] as? ItemView)?.refresh() }
        byId.values.forEach {
            (it as? ChangesView)?.follow()
            (it as? PromptView)?.follow()
        }
        val hidden = model.items.size - shown.size
        earlier.text = Texts["conversation.earlier", hidden + model.dropped]
        earlier.parent.isVisible = hidden > 0 || model.dropped > 0
        earlier.isEnabled = hidden > 0
        swapEmpty()
        if (changed.isNotEmpty()) {
            revalidate()
            repaint()
        }
    }

    private fun swapEmpty() {
        val wanted: JComponent = if (model.items.isEmpty()) empty else scroll
        if (wanted.parent === this) return
        removeAll()
        add(wanted, BorderLayout.CENTER)
        revalidate()
        repaint()
    }

    private fun showEarlier() {
        window += WINDOW
        val before = page.height - scroll.viewport.viewPosition.y
        refresh()
        validate()
        scroll.viewport.viewPosition = java.awt.Point(0, (page.height - before).coerceAtLeast(0))
    }

    /** When the page or the view changed its height, the end stays in view; when the person scrolled, it is noted. */
    private fun follow() {
        val bar = scroll.verticalScrollBar.model
        val now = bar.maximum to bar.extent
        if (now == measured) {
            isFollowing = bar.value + bar.extent >= bar.maximum - Look.px(24)
        } else {
            measured = now
            if (isFollowing) bar.value = bar.maximum - bar.extent
        }
    }

    /** The view of an item, while it is on the screen. */
    internal fun viewOf(item: ConversationItem): JComponent? = byId[item.id]

    internal val viewCount: Int get() = list.componentCount

    private companion object {
        const val WINDOW = 200
    }
}

package dev.siderail.toolwindow

import dev.siderail.ui.Flowing
import dev.siderail.ui.Html
import dev.siderail.ui.Look
import java.awt.Graphics
import java.net.URL
import javax.swing.JEditorPane
import javax.swing.event.HyperlinkEvent
import javax.swing.text.Element
import javax.swing.text.View
import javax.swing.text.ViewFactory
import javax.swing.text.html.HTML
import javax.swing.text.html.HTMLDocument
import javax.swing.text.html.HTMLEditorKit
import javax.swing.text.html.InlineView
import javax.swing.text.html.StyleSheet

/**
 * Shows HTML of [Piece.Html] in the theme's fonts and colours. It loads nothing: even if a tag that would load
 * something came this far, it has no view here, and addresses only reach [onLink] when they are clicked.
 */
internal class HtmlPane(private val onLink: (String) -> Unit) : JEditorPane(), Flowing {
    private var html = ""
    private var measured = -1 to 0

    init {
        isEditable = false
        isOpaque = false
        border = null
        putClientProperty(HONOR_DISPLAY_PROPERTIES, true)
        putClientProperty("html.disable", false)
        addHyperlinkListener { if (it.eventType == HyperlinkEvent.EventType.ACTIVATED) onLink(it.description.orEmpty()) else hint(it) }
        install()
    }

    /** Replaces what is shown; the same text again costs nothing. */
    fun show(html: String) {
        if (html == this.html) return
        this.html = html
        install()
    }

    override fun updateUI() {
        super.updateUI()
        isOpaque = false
        border = null
        @Suppress("SENSELESS_COMPARISON")
        if (html != null) install()
    }

    private fun install() {
        font = Look.font
        val kit = InertKit(styles())
        editorKit = kit
        val document = kit.createDefaultDocument() as HTMLDocument
        document.asynchronousLoadPriority = -1
        this.document = document
        text = "<html><body>$html</body></html>"
        measured = -1 to 0
        foreground = Look.foreground
    }

    private fun hint(event: HyperlinkEvent) {
        val isOver = event.eventType == HyperlinkEvent.EventType.ENTERED
        toolTipText = if (isOver) event.description?.removePrefix(Html.FILE) else null
    }

    override fun getPage(): URL? = null

    override fun heightFor(width: Int): Int {
        if (measured.first == width) return measured.second
        val root = getUI().getRootView(this)
        root.setSize(width.toFloat(), 0f)
        val height = root.getPreferredSpan(View.Y_AXIS).toInt()
        measured = width to height
        return height
    }

    override fun paintComponent(graphics: Graphics) {
        foreground = Look.foreground
        super.paintComponent(graphics)
    }

    private fun styles(): StyleSheet {
        val sheet = StyleSheet()
        val font = Look.font
        val size = font.size
        val mono = Look.monoFamily
        listOf(
            "body { margin: 0; font-family: '${font.family}'; font-size: ${size}pt; color: ${Look.css(Look.foreground)} }",
            "p { margin: 0 0 ${Look.px(7)} 0 }",
            "h1 { margin: ${Look.px(4)} 0 ${Look.px(6)} 0; font-size: ${size + 4}pt; font-weight: bold }",
            "h2 { margin: ${Look.px(4)} 0 ${Look.px(6)} 0; font-size: ${size + 2}pt; font-weight: bold }",
            "h3, h4 { margin: ${Look.px(4)} 0 ${Look.px(4)} 0; font-size: ${size}pt; font-weight: bold }",
            "ul { margin: 0 0 ${Look.px(7)} ${Look.px(18)}; list-style-type: disc }",
            "ol { margin: 0 0 ${Look.px(7)} ${Look.px(22)}; list-style-type: decimal }",
            // Swing paints a bullet some pixels from the text, whatever the size of both.
            "li { margin: 0 0 ${Look.px(2)} 0; padding-left: ${(Look.px(BULLET_GAP) - BULLET_GAP).coerceAtLeast(0)} }",
            "li p { margin: 0 0 ${Look.px(2)} 0 }",
            "code { font-family: '$mono'; background-color: ${Look.css(Look.code)} }",
            "pre { font-family: '$mono'; margin: 0 0 ${Look.px(7)} 0; background-color: ${Look.css(Look.code)} }",
            "blockquote { margin: 0 0 ${Look.px(7)} ${Look.px(10)}; color: ${Look.css(Look.muted)} }",
            "a { color: ${Look.css(Look.accent)}; text-decoration: none }",
            "table { margin: 0 0 ${Look.px(7)} 0; border-width: 0 }",
            "th { text-align: left; font-weight: bold; padding: ${Look.px(3)} ${Look.px(12)} ${Look.px(3)} 0 }",
            "td { padding: ${Look.px(3)} ${Look.px(12)} ${Look.px(3)} 0; border-top-width: 1; border-top-style: solid; border-color: ${Look.css(Look.border)} }",
        ).forEach(sheet::addRule)
        return sheet
    }

    /** A kit whose style sheet is its own and which has no view for what would load or embed something. */
    private class InertKit(private val sheet: StyleSheet) : HTMLEditorKit() {
        override fun getStyleSheet(): StyleSheet = StyleSheet().also {
            it.addStyleSheet(DEFAULT)
            it.addStyleSheet(sheet)
        }

        override fun getViewFactory(): ViewFactory = object : HTMLFactory() {
            override fun create(element: Element): View {
                val tag = element.attributes.getAttribute(javax.swing.text.StyleConstants.NameAttribute)
                return if (tag in LOADING) InlineView(element) else super.create(element)
            }
        }

        private companion object {
            val DEFAULT: StyleSheet = HTMLEditorKit().styleSheet
            val LOADING = setOf<Any>(
                HTML.Tag.IMG, HTML.Tag.OBJECT, HTML.Tag.APPLET, HTML.Tag.FRAME, HTML.Tag.FRAMESET, HTML.Tag.INPUT,
                HTML.Tag.SELECT, HTML.Tag.TEXTAREA, HTML.Tag.LINK, HTML.Tag.SCRIPT,
            )
        }
    }

    private companion object {
        /** Swing's, in pixels. */
        const val BULLET_GAP = 6
    }
}

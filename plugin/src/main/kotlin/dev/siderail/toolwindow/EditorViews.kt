package dev.siderail.toolwindow

import dev.siderail.ui.Flowing
import dev.siderail.ui.Look
import java.awt.BorderLayout
import java.awt.Dimension
import javax.swing.JComponent
import javax.swing.JPanel

/**
 * Shows a text that will not change as an editor does. The conversation reaches the IDE's editors only through this, so that
 * it is painted and tested without them.
 */
internal interface EditorViews {
    /** Code in the colours of a language, named as in Markdown; null where it is better drawn. */
    fun code(text: String, language: String): JComponent?

    /** A change, each line behind its sign; null where it is better drawn. */
    fun diff(lines: List<String>): JComponent?

    companion object {
        /** Those of the IDE, where there is one. */
        @Volatile
        var views: EditorViews? = null

        /** How files of a language end that Markdown names otherwise. */
        fun extension(language: String): String = ENDINGS[language.lowercase()] ?: language.lowercase()

        private val ENDINGS = mapOf(
            "kotlin" to "kt", "python" to "py", "python3" to "py", "javascript" to "js", "typescript" to "ts", "rust" to "rs",
            "bash" to "sh", "shell" to "sh", "zsh" to "sh", "console" to "sh", "c++" to "cpp", "c#" to "cs", "csharp" to "cs",
            "golang" to "go", "markdown" to "md", "yml" to "yaml", "ruby" to "rb", "jsonc" to "json",
        )
    }
}

/** Has the height of its lines, also before its editor is there; with a bar below where a line is too long. */
internal class EditorBlock(private val content: JComponent, private val lines: Int, private val widest: Int, private val cell: () -> Dimension) :
    JPanel(BorderLayout()), Flowing {
    init {
        isOpaque = false
        add(content)
    }

    override fun heightFor(width: Int): Int {
        val size = cell()
        val bar = if (widest * size.width > width) Look.px(12) else 0
        return lines * size.height + bar
    }

    override fun getPreferredSize() = Dimension(minOf(widest * cell().width, Look.px(400)), heightFor(if (width > 0) width else Look.px(400)))
}

package dev.siderail.toolwindow

import com.intellij.openapi.ui.popup.JBPopupFactory
import javax.swing.JComponent

/** Shows [content] below [owner] with the focus in [focus], and answers how to close it. */
internal fun interface Popups {
    fun open(content: JComponent, focus: JComponent, owner: JComponent): () -> Unit

    companion object {
        /** The IDE's own: in a menu of Swing a field gets neither the focus nor all its keys. Another one in tests. */
        @Volatile
        var opener: Popups = Popups { content, focus, owner ->
            val popup = JBPopupFactory.getInstance().createComponentPopupBuilder(content, focus).setRequestFocus(true).createPopup()
            popup.showUnderneathOf(owner)
            popup::cancel
        }
    }
}

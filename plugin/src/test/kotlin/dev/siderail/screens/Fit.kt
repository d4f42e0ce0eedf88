package dev.siderail.screens

import dev.siderail.ui.Flowing
import java.awt.Component
import java.awt.Container
import javax.swing.AbstractButton
import javax.swing.JLabel
import javax.swing.JTable
import javax.swing.JViewport
import javax.swing.text.JTextComponent
import javax.swing.text.View

/** Looks for text that its component has no room for. */
internal object Fit {
    fun faults(root: Component): List<String> = ArrayList<String>().also { look(root, it) }

    private fun look(component: Component, faults: MutableList<String>) {
        if (!component.isVisible || component is JTable) return
        when (component) {
            is JLabel -> if (!component.text.isNullOrBlank()) wide(component, component.text, faults)
            is AbstractButton -> if (!component.text.isNullOrBlank()) wide(component, component.text, faults)
            is JTextComponent -> high(component, faults)
        }
        if (component.parent !is JViewport && component.parent != null) inside(component, faults)
        (component as? Container)?.components?.forEach { look(it, faults) }
    }

    private fun wide(component: Component, text: String, faults: MutableList<String>) {
        val needs = component.preferredSize
        if (component is Flowing && component.width < needs.width) {
            if (component.height < component.heightFor(component.width)) faults += "`$text` is too low for its lines"
            return
        }
        if (component.width < needs.width && component.name != MAY_SHORTEN) faults += "`$text` needs ${needs.width}, has ${component.width}"
        if (component.height < needs.height - 1) faults += "`$text` is ${component.height} high, needs ${needs.height}"
    }

    private fun high(component: JTextComponent, faults: MutableList<String>) {
        if (component.parent is JViewport || component.width == 0) return
        val view = component.ui.getRootView(component)
        view.setSize(component.width.toFloat(), 0f)
        val needs = view.getPreferredSpan(View.Y_AXIS).toInt()
        if (component.height < needs - 1) faults += "text `${component.document.getText(0, minOf(40, component.document.length))}` is ${component.height} high, needs $needs"
    }

    private fun inside(component: Component, faults: MutableList<String>) {
        val parent = component.parent
        if (component.x < 0 || component.y < 0 || component.x + component.width > parent.width || component.y + component.height > parent.height) {
            faults += "${component.javaClass.simpleName} ${component.bounds} leaves ${parent.javaClass.simpleName} ${parent.size}"
        }
    }

    private const val MAY_SHORTEN = "may-shorten"
}

package dev.siderail.toolwindow

import dev.siderail.screens.Painter
import java.awt.Component
import java.awt.Container
import java.nio.file.Files
import java.nio.file.Path
import javax.swing.JMenu
import javax.swing.JPopupMenu
import javax.swing.JTextField
import javax.swing.text.JTextComponent
import kotlin.io.path.extension
import kotlin.io.path.name
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** A menu of Swing takes the keys of a field in it for its own, so that nobody can type there: what is typed into belongs in a card. */
class PopupMenusTest {
    private fun all(root: Component): List<Component> {
        val inside = (root as? Container)?.components.orEmpty().toList() + listOfNotNull((root as? JMenu)?.popupMenu)
        return listOf(root) + inside.flatMap(::all)
    }

    private fun fields(menu: JPopupMenu): List<String> = all(menu).filterIsInstance<JTextComponent>().map { it.javaClass.simpleName }

    @Test
    fun `no menu of the window has a field to type into`() = Painter.under(Painter.Theme.LIGHT) {
        val menu = MenuPopups.menu(listOf(Choice("a", "Fast", group = "Vendor"), Choice("b", "Slow")), null) {}
        assertTrue(menu.componentCount > 0)
        assertEquals(emptyList<String>(), fields(menu))
        assertEquals(listOf("JTextField"), fields(JPopupMenu().apply { add(JMenu("more").apply { add(JTextField()) }) }), "they are found")
    }

    @Test
    fun `there are no menus but those`() {
        val sources = Path.of(System.getProperty("siderail.root"), "plugin/src/main")
        val files = Files.walk(sources).use { files -> files.filter { it.extension in setOf("kt", "java") }.toList() }
        val making = files.filter { Regex("""\b(?:JB|J)PopupMenu\(""").containsMatchIn(it.readText()) }.map { it.name }.sorted()
        assertEquals(listOf("Popups.kt"), making, "a menu of another file belongs into the test above")
    }
}

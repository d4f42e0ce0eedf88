package dev.siderail.screens

import com.intellij.openapi.ui.JBMenuItem
import com.intellij.openapi.ui.JBPopupMenu
import com.intellij.ui.JBIntSpinner
import com.intellij.ui.components.JBCheckBox
import com.intellij.ui.components.JBLabel
import com.intellij.ui.components.JBRadioButton
import dev.siderail.toolwindow.MenuOver
import dev.siderail.toolwindow.Picture
import dev.siderail.toolwindow.Pictures
import java.awt.Component
import java.awt.Container
import java.nio.file.Files
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.MethodOrderer
import org.junit.jupiter.api.Order
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestMethodOrder
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import java.nio.file.Path
import javax.swing.CellRendererPane
import javax.swing.JCheckBox
import javax.swing.JLabel
import javax.swing.JMenuItem
import javax.swing.JPopupMenu
import javax.swing.JRadioButton
import javax.swing.JRadioButtonMenuItem
import javax.swing.JSpinner
import javax.swing.JSplitPane

/** The pictures are painted before the folder is looked at. */
@TestMethodOrder(MethodOrderer.OrderAnnotation::class)
class ScreensTest {
    /** Writes docs/screens with `-Dscreens=docs/screens`; without it, the pictures are painted and looked at. */
    @ParameterizedTest
    @EnumSource(Painter.Theme::class)
    @Order(1)
    fun `every panel is painted, not blank, and cuts no text off`(theme: Painter.Theme) {
        val target = System.getProperty("screens")?.takeIf { it.isNotBlank() }
        val found = ArrayList<String>()
        for (picture in Pictures.all) {
            val (image, faults) = Painter.under(theme) {
                val component = picture.make()
                val image = Painter.paint(component, picture.width, picture.height)
                image to Fit.faults(component)
            }
            target?.let { Painter.write(image, Path.of(it, fileOf(picture, theme))) }
            assertTrue(Painter.colours(image) > 30) { "${picture.name} in ${theme.word} is blank" }
            found += faults.map { "${picture.name} in ${theme.word}: $it" }
        }
        assertTrue(found.isEmpty()) { found.joinToString("\n") }
    }

    /** They follow what the IDE does with its own, such as smoothing of text; tests can paint no others than these. */
    @Test
    fun `no panel has a plain part of Swing where the platform has one that is painted without an IDE`() {
        val found = Painter.under(Painter.Theme.LIGHT) {
            Pictures.all.flatMap { picture -> below(picture.make()).filter(::isPlain).map { "${picture.name}: ${it.javaClass.name}" } }
        }
        assertEquals(emptyList<String>(), found.distinct())
    }

    private fun isPlain(part: Component) = when (part) {
        is JCheckBox -> part !is JBCheckBox
        is JRadioButton -> part !is JBRadioButton
        is JSpinner -> part !is JBIntSpinner
        is JSplitPane -> true
        is JLabel -> part !is JBLabel && part.parent !is CellRendererPane
        is JPopupMenu -> part !is JBPopupMenu
        // The platform has no radio item.
        is JMenuItem -> part !is JBMenuItem && part !is JRadioButtonMenuItem
        else -> false
    }

    private fun below(part: Component): List<Component> {
        val inside = (part as? Container)?.components.orEmpty().toList() + listOfNotNull((part as? MenuOver)?.menu)
        return listOf(part) + inside.flatMap(::below)
    }

    /** `-Dscreens` writes the list, too. */
    @Test
    @Order(1)
    fun `the list of states beside the pictures is that of the pictures`() {
        val text = README + Pictures.all.filterNot { it.name.endsWith("-350") }.joinToString("") { "| `${it.name}` | ${it.state} |\n" }
        System.getProperty("screens")?.takeIf { it.isNotBlank() }?.let { Files.writeString(Files.createDirectories(Path.of(it)).resolve("README.md"), text) }
        assertEquals(text, Files.readString(FOLDER.resolve("README.md")), "paint them again, as docs/internals/ide.md says")
    }

    /** Painting leaves alone what it no longer paints. */
    @Test
    @Order(2)
    fun `beside the list is each picture, light and dark, and no other`() {
        val expected = Pictures.all.flatMap { picture -> Painter.Theme.entries.map { fileOf(picture, it) } } + "README.md"
        val found = Files.list(FOLDER).use { files -> files.map { it.fileName.toString() }.toList() }
        assertEquals(emptyList<String>(), expected - found.toSet(), "paint them, as docs/internals/ide.md says")
        assertEquals(emptyList<String>(), found - expected.toSet(), "nothing paints them: remove them")
    }

    private fun fileOf(picture: Picture, theme: Painter.Theme) = "${picture.name}-${theme.word}.png"

    private companion object {
        val FOLDER: Path = Path.of(System.getProperty("siderail.root"), "docs/screens")

        val README = """
            # States of the window

            Painted by a test without an IDE, under a light and a dark theme: `NAME-THEME.png` is 500 pixels wide,
            `NAME-350-THEME.png` 350 (`debug` is 860 pixels wide). [The plugin](../internals/ide.md) says how.

            The pictures are of Swing under FlatLaf. Inside of an IDE the marks are its icons, finished code and diffs its editors,
            choices its lists; the rest is the same. None of these three could be painted: of the platform's classes Maven Central
            has those of 2020.1, not all of them, and none of its icons. Tried without a screen:

            | component | what came of it |
            |---|---|
            | `AllIcons`, `AnimatedIcon` | can be made; the jar has no picture for them, so that they are empty squares |
            | `JBColor`, `JBUI` | work: all colours and lengths come from them, through `Look` |
            | `JBCheckBox`, `JBRadioButton`, `JBIntSpinner`, `JBSplitter` | painted, and used |
            | `JBLabel` | painted, and used; wants an empty bundle of messages in place of the missing one, and Swing opened to reflection |
            | `JBPopupMenu`, `JBMenuItem` | painted, and used; the platform has no radio item, so that these are Swing's |
            | `JBPanel` | can be made, not used: it adds nothing here to what Swing has |
            | `LinkLabel` | painted, not used: a link of the panels is a button, which the keyboard reaches, as is `ActionLink`, which the jar lacks |
            | `OnOffButton`, `JBTabbedPane`, `TitledSeparator`, `SeparatorComponent` | painted; no panel has such a part |
            | `JBTextArea`, `JBTextField`, `JBPasswordField`, `ComboBox`, `JBList`, `SearchTextField` | need `ColoredTextContainer` and `SimpleTextAttributes`, which the jar lacks: painted only with stand-ins for these |
            | `JBTable` | needs `TableCell`, which the jar lacks, and those two |
            | `JBScrollPane` | needs `EdtExecutorService`, which the jar lacks, and Swing opened to reflection |
            | `Tree`, `HyperlinkLabel` | need `ColoredTextContainer` and `BusyObject.Impl`, `HighlightedRegion`, which the jar lacks |
            | `OnePixelSplitter` | wants a window with a glass pane around it |
            | `EditorNotificationPanel` | asks an application for services when it is made |
            | `IntelliJLaf`, `DarculaLaf` | need `EdtExecutorService`, which the jar lacks, and AWT opened to reflection |
            | `ActionButton` | needs an action manager when it is shown |
            | `EditorTextField` | its editor needs `EdtExecutorService` and at least nine services and extension points; not seen painted |

            `permission-always` and `policy` show what the plugin offers, in a menu; inside of an IDE it is the platform's list with
            speed search. In `gutter` and `gutter-changed` the icon, the lines that have one and the words of the menu are the plugin's;
            the editor is drawn, and its menu is the platform's inside of an IDE. In `status-bar` the first word of each bar is the
            plugin's, from the class that the widget asks; the bar and the other words are drawn. In `badge` the dot is the plugin's and
            the icon drawn after its SVG, in `notification` the words are the plugin's and the balloons drawn.

            There is no picture of the window's title: the tabs and the three buttons beside them are `Content` and actions, which the
            platform paints, and the buttons have icons of `AllIcons` alone, which the jar lacks.

            | picture | what is to be seen |
            |---|---|

        """.trimIndent()
    }
}

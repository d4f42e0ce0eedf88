package dev.siderail.screens

import com.formdev.flatlaf.FlatDarkLaf
import com.formdev.flatlaf.FlatLaf
import com.formdev.flatlaf.FlatLightLaf
import com.intellij.ui.JBColor
import com.intellij.ui.scale.JBUIScale
import dev.siderail.ui.Mark
import java.awt.Color
import java.awt.Component
import java.awt.Container
import java.awt.Font
import java.awt.image.BufferedImage
import java.nio.file.Files
import java.nio.file.Path
import javax.imageio.ImageIO
import javax.swing.JComponent
import javax.swing.SwingUtilities
import javax.swing.UIManager
import javax.swing.plaf.FontUIResource
import javax.swing.text.JTextComponent

/**
 * Paints components without a screen, under a light and a dark theme, at twice the size: fonts and lengths are
 * twice as large, so that text is measured as it is painted.
 */
object Painter {
    enum class Theme(val word: String) { LIGHT("light"), DARK("dark") }

    fun <T> under(theme: Theme, fontSize: Int = 13, body: () -> T): T {
        var result: Result<T>? = null
        SwingUtilities.invokeAndWait {
            use(theme, fontSize)
            result = runCatching(body)
        }
        return result!!.getOrThrow()
    }

    /** Switches to a theme, on the event dispatch thread. */
    fun use(theme: Theme, fontSize: Int = 13) {
        FlatLaf.setGlobalExtraDefaults(colours(theme))
        UIManager.put("defaultFont", FontUIResource(Font("DejaVu Sans", Font.PLAIN, fontSize * SCALE)))
        UIManager.setLookAndFeel(if (theme == Theme.LIGHT) FlatLightLaf() else FlatDarkLaf())
        JBColor.setDark(theme == Theme.DARK)
        JBUIScale.setUserScaleFactorForTest(SCALE * maxOf(fontSize / 13f, 0.9f))
        // 2020.1 keeps there what it fell back on, which is of another theme.
        UIManager.getDefaults().keys.filter { "$it".startsWith("Siderail.") }.forEach { UIManager.put(it, null) }
    }

    /** The grounds of the IDE's own themes of today. */
    private fun colours(theme: Theme): Map<String, String> = when (theme) {
        Theme.LIGHT -> mapOf("@background" to "#f7f8fa", "@foreground" to "#1c1e24")
        Theme.DARK -> mapOf("@background" to "#2b2d30", "@foreground" to "#dfe1e5")
    }

    /** Lays the component out as a window would. */
    fun lay(component: JComponent, width: Int, height: Int) {
        component.setSize(width * SCALE, height * SCALE)
        component.addNotify()
        quiet(component)
        repeat(4) {
            invalidate(component)
            component.validate()
        }
    }

    /** A text's accessible side asks for the window, and there is no window. */
    private fun quiet(component: Component) {
        if (component is JTextComponent) {
            component.componentListeners.filter { "Accessible" in it.javaClass.name }.forEach(component::removeComponentListener)
        }
        (component as? Container)?.components?.forEach(::quiet)
    }

    private fun invalidate(component: Component) {
        component.invalidate()
        (component as? Container)?.components?.forEach(::invalidate)
    }

    fun paint(component: JComponent, width: Int, height: Int): BufferedImage {
        Mark.isStill = true
        lay(component, width, height)
        val image = BufferedImage(width * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB)
        val g = image.createGraphics()
        g.color = UIManager.getColor("Panel.background")
        g.fillRect(0, 0, image.width, image.height)
        component.paint(g)
        g.dispose()
        return image
    }

    /** Writes the image with a palette: a quarter of the size, no difference to the eye. */
    fun write(image: BufferedImage, file: Path) {
        Files.createDirectories(file.parent)
        ImageIO.write(Palette.reduce(image), "png", file.toFile())
    }

    fun colours(image: BufferedImage): Int {
        val seen = HashSet<Int>()
        for (y in 0 until image.height step 2) for (x in 0 until image.width step 2) seen += image.getRGB(x, y)
        return seen.size
    }

    private const val SCALE = 2
}

/** Reduces an image to 256 colours: the most frequent ones, the others to their nearest. */
private object Palette {
    fun reduce(image: BufferedImage): BufferedImage {
        val counts = HashMap<Int, Int>()
        for (y in 0 until image.height) for (x in 0 until image.width) counts.merge(image.getRGB(x, y) or OPAQUE, 1, Int::plus)
        val kept = counts.entries.sortedByDescending { it.value }.map { it.key }.take(256)
        val nearest = HashMap<Int, Int>()
        val bytes = { shift: Int -> ByteArray(kept.size) { (kept[it] shr shift).toByte() } }
        val model = java.awt.image.IndexColorModel(8, kept.size, bytes(16), bytes(8), bytes(0))
        val reduced = BufferedImage(image.width, image.height, BufferedImage.TYPE_BYTE_INDEXED, model)
        for (y in 0 until image.height) for (x in 0 until image.width) {
            val index = nearest.getOrPut(image.getRGB(x, y) or OPAQUE) { nearest(kept, image.getRGB(x, y)) }
            reduced.raster.setSample(x, y, 0, index)
        }
        return reduced
    }

    private fun nearest(kept: List<Int>, rgb: Int): Int {
        val color = Color(rgb)
        return kept.indices.minBy {
            val other = Color(kept[it])
            val (r, g, b) = Triple(other.red - color.red, other.green - color.green, other.blue - color.blue)
            r * r + g * g + b * b
        }
    }

    private const val OPAQUE = 0xFF shl 24
}

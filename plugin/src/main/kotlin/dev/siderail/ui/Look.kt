package dev.siderail.ui

import com.intellij.ui.JBColor
import com.intellij.util.ui.JBUI
import java.awt.BasicStroke
import java.awt.Color
import java.awt.Font
import javax.swing.JComponent
import javax.swing.UIManager
import kotlin.math.max
import kotlin.math.pow
import kotlin.math.roundToInt

/** How something is to be taken. */
enum class Tone { INFO, GOOD, WARNING, BAD }

/**
 * Colours, fonts and sizes, asked of the theme each time they are needed, so that a change of theme or of the
 * font's size is followed without a restart. A theme may set `Siderail.*` colours; what it does not name is made
 * out of the colours that every theme has. Of the platform it knows what works without an IDE: [JBColor] and [JBUI].
 */
object Look {
    /** The editor's font family, where there is an editor. */
    var monoFamily: String = Font.MONOSPACED

    val background: Color get() = themed("ToolWindow.background", "Panel.background", otherwise = JBColor(0xF7F8FA, 0x2B2D30))
    val foreground: Color get() = themed("Label.foreground", "Panel.foreground", otherwise = JBColor(0x1C1E24, 0xDFE1E5))
    val isDark: Boolean get() = !JBColor.isBright()

    /** Text that matters less, still readable. */
    val muted: Color get() = readable("muted", mix(foreground, background, if (isDark) 0.66 else 0.68))
    val border: Color get() = named("border", mix(foreground, background, if (isDark) 0.17 else 0.15))
    val accent: Color get() = readable("accent", themed("Component.linkColor", "Link.activeForeground", otherwise = JBColor(0x2E5FD0, 0x6B9BFA)))
    val good: Color get() = readable("good", JBColor(0x1E7A3C, 0x6AAB73))
    val bad: Color get() = readable("bad", JBColor(0xC0242E, 0xF28B82))
    val warning: Color get() = readable("warning", JBColor(0x8A5300, 0xE0A64B))
    val focus: Color get() = named("focus", themed("Component.focusedBorderColor", "Component.focusColor", otherwise = accent))

    /** Ground of cards and fields, a little off the panel's. */
    val raised: Color get() = named("raised", if (isDark) mix(Color.WHITE, background, 0.045) else Color.WHITE)
    val code: Color get() = named("code", if (isDark) mix(Color.BLACK, background, 0.22) else mix(Color.BLACK, background, 0.035))
    val prompt: Color get() = named("prompt", mix(accent, background, if (isDark) 0.20 else 0.10))
    val hover: Color get() = named("hover", mix(foreground, background, 0.07))
    val added: Color get() = named("added", mix(good, raised, if (isDark) 0.20 else 0.13))
    val removed: Color get() = named("removed", mix(bad, raised, if (isDark) 0.22 else 0.11))

    fun tone(tone: Tone): Color = when (tone) {
        Tone.INFO -> muted
        Tone.GOOD -> good
        Tone.WARNING -> warning
        Tone.BAD -> bad
    }

    /** A ground that carries a tone. */
    fun tinted(color: Color): Color = mix(color, background, if (isDark) 0.16 else 0.08)

    val font: Font get() = UIManager.getFont("Label.font") ?: Font(Font.SANS_SERIF, Font.PLAIN, 13)
    val bold: Font get() = font.deriveFont(Font.BOLD)
    val small: Font get() = font.deriveFont(max(font.size2D - 1.5f, 9f))
    val mono: Font get() = Font(monoFamily, Font.PLAIN, font.size).deriveFont(font.size2D - 0.5f)

    /** A length in pixels of the IDE's scale. */
    fun px(length: Int): Int = JBUI.scale(length)

    /** A line of that many pixels of the IDE's scale. */
    fun stroke(width: Float): BasicStroke = BasicStroke(px(1) * width)

    fun css(color: Color): String = "#%02x%02x%02x".format(color.red, color.green, color.blue)

    fun mix(over: Color, under: Color, share: Double): Color {
        fun part(a: Int, b: Int) = (a * share + b * (1 - share)).roundToInt().coerceIn(0, 255)
        return Color(part(over.red, under.red), part(over.green, under.green), part(over.blue, under.blue))
    }

    /** Contrast of two colours, from 1 to 21, as accessibility guidelines count it. */
    fun contrast(one: Color, other: Color): Double {
        val (a, b) = luminance(one) to luminance(other)
        return (max(a, b) + 0.05) / (minOf(a, b) + 0.05)
    }

    private fun luminance(color: Color): Double {
        fun part(value: Int): Double {
            val share = value / 255.0
            return if (share <= 0.03928) share / 12.92 else ((share + 0.055) / 1.055).pow(2.4)
        }
        return 0.2126 * part(color.red) + 0.7152 * part(color.green) + 0.0722 * part(color.blue)
    }

    /** The colour, moved towards the foreground until it can be read on the panel's ground and on a card's. */
    private fun readable(name: String, color: Color): Color {
        val grounds = listOf(background, raised)
        var share = 0.0
        var tried = color
        while (share < 1 && grounds.any { contrast(tried, it) < READABLE }) {
            share += 0.1
            tried = mix(if (isDark) Color.WHITE else Color.BLACK, color, share)
        }
        return named(name, tried)
    }

    private const val READABLE = 4.6

    private fun named(name: String, otherwise: Color): Color = themed("Siderail.$name", otherwise = otherwise)

    /** The first of these that the theme has, as it is now: a [JBColor] would look it up anew for each of red, green and blue. */
    private fun themed(vararg keys: String, otherwise: Color): Color =
        Color(keys.foldRight(otherwise) { key, next -> JBColor.namedColor(key, next) }.rgb, true)
}

/** Names a component for people who hear the screen. */
internal fun <C : JComponent> C.named(name: String, description: String? = null): C = apply {
    accessibleContext.accessibleName = name
    description?.let { accessibleContext.accessibleDescription = it }
}

package dev.siderail.ui

import dev.siderail.screens.Painter
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files
import java.nio.file.Path
import java.util.Properties
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.io.path.walk

class LookTest {
    @Test
    fun `every text can be read on every ground, in light and dark`() {
        for (theme in Painter.Theme.entries) Painter.under(theme) {
            val inks = mapOf("text" to Look.foreground, "muted" to Look.muted, "accent" to Look.accent, "good" to Look.good, "bad" to Look.bad, "warning" to Look.warning)
            for ((name, ink) in inks) for (ground in listOf(Look.background, Look.raised)) {
                assertTrue(Look.contrast(ink, ground) >= 4.5) { "$name in $theme: ${Look.contrast(ink, ground)}" }
            }
            for (ground in listOf(Look.code, Look.prompt, Look.hover, Look.added, Look.removed, Look.tinted(Look.bad), Look.tinted(Look.warning))) {
                assertTrue(Look.contrast(Look.foreground, ground) >= 5.5) { "text on $ground in $theme: ${Look.contrast(Look.foreground, ground)}" }
            }
        }
    }

    @Test
    fun `lengths grow with the font`() {
        val small = Painter.under(Painter.Theme.LIGHT, 6) { Look.px(100) }
        val large = Painter.under(Painter.Theme.LIGHT, 26) { Look.px(100) }
        assertEquals(4.0, large.toDouble() / 100, 0.05)
        assertTrue(small < large)
    }

    @Test
    fun `every text that is used exists, and every text that exists is used`() {
        val keys = Properties().apply { Texts::class.java.getResourceAsStream("/messages/SiderailBundle.properties")!!.reader().use(::load) }.stringPropertyNames()
        val root = listOf("src", "plugin/src", "../../src").map { Path.of(it, "main") }.first { Files.isDirectory(it) }
        val sources = root.walk().filter { it.extension == "kt" || it.extension == "java" || it.extension == "xml" }.joinToString("\n") { it.readText() }
        val exact = Regex("""Texts(?:\.find)?[(\[]"([^"$]+)"""").findAll(sources).map { it.groupValues[1] }.toSet()
        val prefixes = Regex("""Texts(?:\.find)?[(\[]"([^"$]+)\$""").findAll(sources).map { it.groupValues[1] }.toSet()
        assertEquals(emptyList<String>(), (exact - keys).toList(), "texts without an entry")
        val quoted = Regex(""""([a-z.]+)"""").findAll(sources).map { it.groupValues[1] }.toSet()
        val unused = keys.filter { key -> key !in exact && key !in quoted && prefixes.none { key.startsWith(it) } }
        assertEquals(emptyList<String>(), unused, "entries that nothing uses")
    }
}

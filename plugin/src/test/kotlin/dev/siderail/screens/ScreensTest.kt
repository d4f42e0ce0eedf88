package dev.siderail.screens

import dev.siderail.toolwindow.Pictures
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import java.nio.file.Path

class ScreensTest {
    /** Writes docs/screens with `-Dscreens=docs/screens`; without it, the pictures are painted and looked at. */
    @ParameterizedTest
    @EnumSource(Painter.Theme::class)
    fun `every panel is painted, not blank, and cuts no text off`(theme: Painter.Theme) {
        val target = System.getProperty("screens")?.takeIf { it.isNotBlank() }
        val found = ArrayList<String>()
        for (picture in Pictures.all) {
            val (image, faults) = Painter.under(theme) {
                val component = picture.make()
                val image = Painter.paint(component, picture.width, picture.height)
                image to Fit.faults(component)
            }
            target?.let { Painter.write(image, Path.of(it, "${picture.name}-${theme.word}.png")) }
            assertTrue(Painter.colours(image) > 30) { "${picture.name} in ${theme.word} is blank" }
            found += faults.map { "${picture.name} in ${theme.word}: $it" }
        }
        assertTrue(found.isEmpty()) { found.joinToString("\n") }
    }
}

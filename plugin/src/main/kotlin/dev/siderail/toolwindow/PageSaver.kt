package dev.siderail.toolwindow

import dev.siderail.ui.Texts
import java.io.IOException
import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.Path

/**
 * Saves a text where the person says. The page may come with a batch of events, and the question to the person holds up
 * its caller: so that is left for [later], and the disk for [background].
 *
 * [choose] asks for a place and answers null where the person thinks better of it. [failed] gets a title and a reason.
 */
internal class PageSaver(
    private val choose: (name: String) -> Path?,
    private val later: (() -> Unit) -> Unit,
    private val background: (() -> Unit) -> Unit,
    private val failed: (title: String, why: String) -> Unit,
) {
    fun save(name: String, text: String) = later {
        choose(name)?.let { place -> background { write(place, text) } }
    }

    private fun write(place: Path, text: String) {
        try {
            Files.write(place, text.toByteArray(StandardCharsets.UTF_8))
        } catch (error: IOException) {
            later { failed(Texts["save.failed", place.fileName.toString()], "$place: ${error.message ?: error.javaClass.simpleName}") }
        }
    }
}

package dev.siderail

import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.isDirectory
import kotlin.io.path.name
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** The plugin's packages use each other one way. */
class PackagesTest {
    private val folder = Path.of(System.getProperty("siderail.root"), "plugin/src/main/kotlin/dev/siderail")

    private fun within(folder: Path): List<Path> = Files.list(folder).use { it.sorted().toList() }

    @Test
    fun `there are these packages and no others`() {
        assertEquals(ORDER.sorted(), within(folder).filter { it.isDirectory() }.map { it.name })
    }

    @Test
    fun `a package uses those ahead of it only`() {
        val wrong = ORDER.flatMapIndexed { at, own ->
            within(folder.resolve(own)).filter { it.extension == "kt" }.flatMap { file ->
                val used = USE.findAll(file.readText()).map { it.groupValues[1] }.toSet()
                used.filter { ORDER.indexOf(it) > at }.map { "$own/${file.name} uses $it" }
            }
        }
        assertEquals(emptyList<String>(), wrong)
    }

    private companion object {
        val ORDER = listOf("ui", "bridge", "document", "engine", "psi", "settings", "tools", "toolwindow")
        val USE = Regex("""\bdev\.siderail\.([a-z]+)\.""")
    }
}

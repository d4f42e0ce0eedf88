package dev.siderail.api

import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** An IDE may lack the terminal plugin, or have it switched off: then its types must not be needed. */
class OptionalPluginTest {
    private val packages = Files.list(Path.of(System.getProperty("siderail.classes"), "dev/siderail")).use { it.toList() }

    private fun terminalTypesIn(folder: Path) =
        ApiUse.of(folder).filter { "com/intellij/terminal/" in it || "org/jetbrains/plugins/terminal/" in it }

    @Test
    fun `no class outside of one package names a type of the terminal plugin`() {
        val (own, others) = packages.filter { Files.isDirectory(it) }.partition { it.fileName.toString() == "terminal" }
        assertTrue(own.single().let(::terminalTypesIn).isNotEmpty())
        assertTrue(others.size > 5)
        assertEquals(emptyList<String>(), others.flatMap(::terminalTypesIn))
    }

    @Test
    fun `the package is registered nowhere but in the part that is read with the terminal plugin`() {
        val main = descriptor("plugin.xml")
        assertTrue("""<depends optional="true" config-file="siderail-terminal.xml">org.jetbrains.plugins.terminal</depends>""" in main)
        assertTrue("dev.siderail.terminal." !in main)
        assertTrue("dev.siderail.terminal.IdeTerminals" in descriptor("siderail-terminal.xml"))
    }

    private fun descriptor(name: String): String =
        checkNotNull(javaClass.getResourceAsStream("/META-INF/$name")) { name }.use { it.readAllBytes().decodeToString() }
}

package dev.siderail.archive

import com.jetbrains.plugin.structure.base.plugin.IconTheme
import com.jetbrains.plugin.structure.base.plugin.PluginCreationFail
import com.jetbrains.plugin.structure.base.plugin.PluginCreationSuccess
import com.jetbrains.plugin.structure.intellij.plugin.IdePlugin
import com.jetbrains.plugin.structure.intellij.plugin.IdePluginManager
import java.net.URI
import java.nio.file.FileSystem
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.PosixFilePermission
import java.util.zip.ZipInputStream
import javax.xml.parsers.DocumentBuilderFactory
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource

/** The archive that people install. */
class PluginZipIT {
    @TempDir
    lateinit var folder: Path

    private val zip = Path.of(System.getProperty("siderail.zip"))

    @Test
    fun `the marketplace's own reader accepts the archive without a word`() {
        val success = assertInstanceOf(PluginCreationSuccess::class.java, read(zip)) as PluginCreationSuccess<*>
        assertEquals(emptyList<Any>(), success.warnings + success.unacceptableWarnings)
        val plugin = success.plugin as IdePlugin
        assertEquals("dev.siderail", plugin.pluginId)
        assertEquals(253, plugin.sinceBuild?.baselineVersion)
        assertEquals(null, plugin.untilBuild)
    }

    @Test
    fun `the marketplace's page has what it shows`() {
        val plugin = (read(zip) as PluginCreationSuccess<*>).plugin as IdePlugin
        assertEquals(listOf("Siderail", true, true), listOf(plugin.vendor, '@' in plugin.vendorEmail!!, plugin.vendorUrl!!.startsWith("https://")))
        val description = plugin.description!!
        assertTrue("<li>" in description && "no telemetry" in description, description)
        val notes = plugin.changeNotes!!
        val changelog = Files.readString(Path.of(System.getProperty("siderail.root"), "CHANGELOG.md"))
        val first = Regex("(?m)^- `(siderail [a-z]+)`").find(changelog)!!.groupValues[1]
        assertTrue("<li><code>$first</code>" in notes, notes)
        assertTrue(notes.all { it.code < 127 } && "](" !in notes && notes.length < 65_000, notes)
        assertEquals(setOf(IconTheme.DEFAULT, IconTheme.DARCULA), plugin.icons.map { it.theme }.toSet())
        for (icon in plugin.icons) assertTrue("width=\"40\" height=\"40\"" in icon.content.decodeToString(), icon.fileName)
    }

    @ParameterizedTest
    @CsvSource(
        "<name>Siderail</name>, '', name",
        "<version>0.1.0</version>, '', version",
        ">Siderail</vendor>, '></vendor>', vendor",
        "since-build=\"253\", since-build=\"later\", since-build",
        "</idea-plugin>, '', plugin.xml",
    )
    fun `a broken descriptor is refused with a reason`(there: String, instead: String, about: String) {
        val jar = folder.resolve("broken.jar")
        val descriptor = descriptor()
        assertTrue(there in descriptor, "nothing is broken: $there")
        open(jar, create = true).use { files ->
            Files.createDirectory(files.getPath("META-INF"))
            Files.writeString(files.getPath("META-INF/plugin.xml"), descriptor.replace(there, instead))
        }
        val complaints = when (val result = read(jar)) {
            is PluginCreationFail<*> -> result.errorsAndWarnings
            // What is said of a plugin that can be read and is not let in all the same.
            is PluginCreationSuccess<*> -> result.unacceptableWarnings
        }
        assertTrue(about in complaints.joinToString { it.message }, complaints.toString())
    }

    @Test
    fun `the archive holds one jar with classes of ours alone`() {
        open(zip).use { files ->
            val libraries = Files.list(files.getPath("siderail/lib")).use { it.toList() }
            assertEquals(1, libraries.size, libraries.toString())
        }
        val foreign = jarEntries().keys.filter { it.endsWith(".class") && !it.startsWith("dev/siderail/") }
        assertEquals(emptyList<String>(), foreign)
    }

    @Test
    fun `every class that the descriptor names is there`() {
        val files = jarEntries()
        val classes = files.keys
        val main = values(files.getValue("META-INF/plugin.xml"))
        val parts = main.filter { it.endsWith(".xml") }.map { values(files.getValue("META-INF/$it")) }
        assertEquals(1, parts.size, "what is there with the terminal plugin alone")
        val named = (main + parts.flatten())
            .filter { it.startsWith("dev.siderail.") && it.substringAfterLast('.').first().isUpperCase() }
        assertTrue("dev.siderail.terminal.IdeTerminals" in named)
        assertEquals(emptyList<String>(), named.filter { it.replace('.', '/') + ".class" !in classes })
    }

    @Test
    fun `library and relay of this platform are there, and the relay may be run`() {
        val arch = if (System.getProperty("os.arch") == "amd64") "x86_64" else System.getProperty("os.arch")
        val os = System.getProperty("os.name").lowercase().let { if (it.startsWith("mac")) "macos" else it.substringBefore(' ') }
        open(zip).use { files ->
            val folder = files.getPath("siderail/native/$os-$arch")
            assertTrue(Files.isDirectory(folder), "no natives: run `cargo xtask natives` first")
            val names = Files.list(folder).use { found -> found.map { it.fileName.toString() }.toList() }
            assertTrue(System.mapLibraryName("siderail_jni") in names, names.toString())
            val relay = folder.resolve(names.single { it.startsWith("siderail-relay") })
            assertTrue(PosixFilePermission.OWNER_EXECUTE in Files.getPosixFilePermissions(relay))
        }
    }

    /** Of all attributes of a descriptor but ids: an action's is written like the name of a class. */
    private fun values(descriptor: ByteArray): List<String> {
        val xml = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(descriptor.inputStream())
        val all = xml.getElementsByTagName("*")
        return (0 until all.length).map { all.item(it).attributes }
            .flatMap { attributes -> (0 until attributes.length).map(attributes::item) }
            .filter { it.nodeName != "id" }
            .map { it.nodeValue }
    }

    private fun read(archive: Path) = IdePluginManager.createManager().createPlugin(archive)

    private fun open(archive: Path, create: Boolean = false): FileSystem = FileSystems.newFileSystem(
        URI.create("jar:${archive.toUri()}"),
        mapOf("create" to create.toString(), "enablePosixFileAttributes" to "true"),
    )

    private fun descriptor() = jarEntries().getValue("META-INF/plugin.xml").decodeToString()

    /** What is in our jar, by path. */
    private fun jarEntries(): Map<String, ByteArray> = open(zip).use { files ->
        val jar = Files.list(files.getPath("siderail/lib")).use { it.toList() }.single()
        ZipInputStream(Files.newInputStream(jar)).use { entries ->
            generateSequence { entries.nextEntry }.filter { !it.isDirectory }
                .associate { it.name to entries.readAllBytes() }
        }
    }
}

package dev.siderail.builds

import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** One plugin, two builds: what both say must be the same, or one of them builds something else. */
class BuildsAgreeTest {
    private val root = Path.of(System.getProperty("siderail.root"))
    private val pom = text("plugin/pom.xml")
    private val module = text("plugin/maven/siderail/pom.xml")
    private val gradle = text("build.gradle.kts")
    private val settings = text("settings.gradle.kts")
    private val descriptor = text("plugin/src/main/resources/META-INF/plugin.xml")

    private fun text(path: String): String = Files.readString(root.resolve(path))

    private fun String.one(pattern: String): String =
        checkNotNull(Regex(pattern).find(this)) { "nothing like $pattern" }.groupValues[1]

    @Test
    fun `the plugin has one version, which is the workspace's`() {
        val version = text("Cargo.toml").one("""(?m)^version = "(.*)"""")
        assertEquals(version, pom.one("<version>(.*)</version>"))
        assertEquals(version, gradle.one("""(?m)^version = "(.*)""""))
        assertEquals(version, descriptor.one("<version>(.*)</version>"))
    }

    @Test
    fun `both builds want the same IDE`() {
        assertEquals(descriptor.one("""since-build="(.*?)""""), gradle.one("""sinceBuild = "(.*)""""))
        assertEquals("2025.3", gradle.one("""intellijIdea\("(.*?)"\)"""))
    }

    @Test
    fun `both builds compile alike`() {
        assertEquals(pom.one("<kotlin.version>(.*)</"), settings.one("""kotlin\.jvm"\) version "(.*)""""))
        val level = pom.one("<jvmTarget>(.*)</")
        assertEquals(level, gradle.one("""JvmTarget\.JVM_(\d+)"""))
        assertEquals(level, pom.one("<maven.compiler.release>(.*)</"))
        assertEquals(level, gradle.one("""options\.release = (\d+)"""))
        for (kind in listOf("languageVersion", "apiVersion")) {
            val version = pom.one("<$kind>(.*)</")
            assertEquals(version, gradle.one("$kind = KotlinVersion.KOTLIN_(.*)").replace('_', '.'))
        }
        for (argument in Regex("<arg>(.*)</arg>").findAll(pom).map { it.groupValues[1] }) {
            assertTrue("\"$argument\"" in gradle, argument)
        }
    }

    @Test
    fun `both builds test with the same libraries`() {
        assertEquals(pom.one("<junit.version>(.*)</"), gradle.one("junit-bom:(.*?)\""))
        assertEquals(pom.one("<flatlaf.version>(.*)</"), gradle.one("flatlaf:(.*?)\""))
        val junit4 = module.one("""<artifactId>junit</artifactId>\s*<version>(.*)</""")
        assertEquals(junit4, gradle.one("junit:junit:(.*?)\""))
    }

    @Test
    fun `the modules of the Maven build have its version`() {
        for (name in listOf("stubs", "siderail", "archive")) {
            assertEquals(pom.one("<version>(.*)</version>"), text("plugin/maven/$name/pom.xml").one("<version>(.*)</version>"))
        }
    }
}

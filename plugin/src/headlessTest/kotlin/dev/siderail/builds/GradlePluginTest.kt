package dev.siderail.builds

import java.nio.file.Files
import java.nio.file.Path
import java.util.Properties
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.objectweb.asm.ClassReader
import org.objectweb.asm.Opcodes
import org.objectweb.asm.tree.ClassNode

/**
 * What the Gradle scripts name of the IntelliJ Platform Gradle Plugin, looked up in its classes of the version that they ask
 * for: plugin ids, imported classes, tasks, and every member in the blocks of its extensions. Gradle itself is not run.
 */
class GradlePluginTest {
    private val root = Path.of(System.getProperty("siderail.root")).normalize()
    private val build = GradleScript(Files.readString(root.resolve("build.gradle.kts")))
    private val settings = GradleScript(Files.readString(root.resolve("settings.gradle.kts")))

    @Test
    fun `the scripts ask for the version whose classes are read here`() {
        val pom = Files.readString(root.resolve("plugin/pom.xml"))
        val version = Regex("<intellij.gradle.version>(.*)</").find(pom)!!.groupValues[1]
        assertTrue("id(\"org.jetbrains.intellij.platform.settings\") version \"$version\"" in settings.text)
        val jar = javaClass.classLoader.getResource("$ROOT/tasks/PrepareSandboxTask.class")
        assertTrue("$version.jar" in "$jar", "$jar")
    }

    @Test
    fun `every plugin id of it is known to it`() {
        val ids = listOf(build, settings).flatMap { it.pluginIds }.filter { it.startsWith("org.jetbrains.intellij") }
        assertEquals(2, ids.size, "$ids")
        for (id in ids) {
            val file = javaClass.classLoader.getResourceAsStream("META-INF/gradle-plugins/$id.properties")
            val properties = Properties().apply { load(checkNotNull(file) { "no plugin $id" }) }
            classNode(properties.getProperty("implementation-class").replace('.', '/'))
        }
    }

    @Test
    fun `every class that is imported from it is there`() {
        val names = listOf(build, settings).flatMap { it.imports }.filter { it.startsWith("org.jetbrains.intellij") }
        assertTrue(names.any { it.endsWith(".PrepareSandboxTask") }, "$names")
        for (name in names.filter { it.substringAfterLast('.').first().isUpperCase() }) classNode(name.replace('.', '/'))
        val functions = names.filter { it.substringAfterLast('.').first().isLowerCase() }
        val declared = classNode("$ROOT/extensions/IntelliJPlatformRepositoriesExtensionKt").methods.map { it.name }
        for (name in functions) assertTrue(name.substringAfterLast('.') in declared, "$name in $declared")
    }

    @Test
    fun `every task that is configured by name is one of its own or Gradle's`() {
        val tasks = classNode("$ROOT/Constants\$Tasks").fields.mapNotNull { it.value as? String }
        val named = build.blocks("tasks").flatMap { it.names() } - setOf("withType")
        assertTrue("buildPlugin" in named, "$named")
        assertEquals(emptyList<String>(), named - tasks.toSet() - GRADLE_TASKS)
        val shown = Files.readString(root.resolve("docs/install.md")) + settings.comments
        val asked = Regex("""gradlew? ([a-z][A-Za-z]+)""").findAll(shown).map { it.groupValues[1] }.toSet()
        assertTrue("runIde" in asked, "$asked")
        assertEquals(emptySet<String>(), asked - tasks.toSet() - GRADLE_TASKS - build.registered)
    }

    @Test
    fun `what drives an IDE is registered as the extension for testing has it`() {
        val members = members("$ROOT/extensions/IntelliJPlatformTestingExtension")
        assertTrue("getTestIdeUi" in members.keys, "${members.keys}")
        assertTrue("val ideTest by intellijPlatformTesting.testIdeUi.registering {" in build.text)
        val parameters = classNode("$ROOT/extensions/IntelliJPlatformTestingExtension\$CommonParameters")
        assertTrue(parameters.methods.any { it.name == "task" }, "${parameters.methods.map { it.name }}")
        val frameworks = classNode("$ROOT/TestFrameworkType")
        assertTrue(frameworks.innerClasses.any { it.name.endsWith("TestFrameworkType\$Starter") }, "${frameworks.innerClasses.map { it.name }}")
    }

    @Test
    fun `every member in the blocks of its extensions is there`() {
        val dependencies = build.blocks("dependencies").flatMap { it.blocks("intellijPlatform") }
        val repositories = settings.blocks("dependencyResolutionManagement").flatMap { it.blocks("repositories") }
            .flatMap { it.blocks("intellijPlatform") }
        val members = build.blocks("intellijPlatform").flatMap { missing(it, "IntelliJPlatformExtension") } +
            dependencies.flatMap { missing(it, "IntelliJPlatformDependenciesExtension") } +
            repositories.flatMap { missing(it, "IntelliJPlatformRepositoriesExtension") }
        assertEquals(listOf(1, 1, 1), listOf(build.blocks("intellijPlatform"), dependencies, repositories).map { it.size })
        assertEquals(emptyList<String>(), members)
        val sandbox = build.blocks("tasks").single().blocks("withType<PrepareSandboxTask>().configureEach").single()
        assertTrue("pluginName" in sandbox.text && "getPluginName" in members("$ROOT/tasks/PrepareSandboxTask").keys)
    }

    @Test
    fun `a name that is not there is found at any depth`() {
        val script = GradleScript(
            """
            pluginConfiguration { ideaVersion { sinceBuild = "253"; beforeBuild = "1" } }
            pluginVerification { ides { advised() } } // forgotten()
            buildSearchOptions = "quoted()" == "x"
            """.trimIndent(),
        )
        assertEquals(listOf("buildSearchOptions", "beforeBuild", "advised"), missing(script, "IntelliJPlatformExtension"))
        assertThrows(IllegalStateException::class.java) { classNode("$ROOT/tasks/PrepareSandbox") }
    }

    /** The names in a block of this type, and in the blocks within, that the type has no member for. */
    private fun missing(script: GradleScript, type: String): List<String> {
        val members = members("$ROOT/extensions/$type")
        val here = script.names().filter { name ->
            name !in members && "get" + name.replaceFirstChar(Char::uppercase) !in members && name !in LANGUAGE
        }
        val below = script.names().filter { it in members }.distinct().flatMap { name ->
            val inner = script.blocks(name)
            if (inner.isEmpty()) return@flatMap emptyList()
            val action = members.getValue(name).firstNotNullOfOrNull { ACTION.find(it) }
            val its = checkNotNull(action) { "$name takes no block" }.groupValues[1].substringAfter("/extensions/")
            inner.flatMap { missing(it, its) }
        }
        return here + below
    }

    /** Public methods by name, with their signatures, those of its own super types included. */
    private fun members(type: String): Map<String, List<String>> {
        val node = classNode(type)
        val own = node.methods.filter { it.access and Opcodes.ACC_PUBLIC != 0 }
            .groupBy({ it.name }, { it.signature ?: it.desc })
        val above = (node.interfaces + node.superName).filter { it.startsWith(ROOT) }
        return above.map(::members).fold(own) { all, more -> more + all }
    }

    private fun classNode(name: String): ClassNode {
        val file = javaClass.classLoader.getResourceAsStream("$name.class")
        return checkNotNull(file) { "no class $name" }.use { bytes ->
            ClassNode().also { ClassReader(bytes).accept(it, ClassReader.SKIP_CODE) }
        }
    }

    private companion object {
        const val ROOT = "org/jetbrains/intellij/platform/gradle"
        val GRADLE_TASKS = setOf("test", "wrapper")
        /** Kotlin's words, and what is Gradle's everywhere in a script. */
        val LANGUAGE = setOf("if", "provider", "listOf")
        val ACTION = Regex("""Lorg/gradle/api/Action<-L(.*?);>;""")
    }
}

package dev.siderail.builds

import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** One plugin, two builds: what both say must be the same, or one of them builds something else. */
class BuildsAgreeTest {
    private val root = Path.of(System.getProperty("siderail.root")).normalize()
    private val pom = text("plugin/pom.xml")
    private val module = text("plugin/maven/siderail/pom.xml")
    private val gradle = text("build.gradle.kts")
    private val settings = text("settings.gradle.kts")
    private val descriptor = text("plugin/src/main/resources/META-INF/plugin.xml")

    private fun text(path: String): String = Files.readString(root.resolve(path))

    private fun String.one(pattern: String): String =
        checkNotNull(Regex(pattern).find(this)) { "nothing like $pattern" }.groupValues[1]

    /** What is between the braces after a name. */
    private fun String.block(name: String): String {
        val start = indexOf("$name {").also { check(it >= 0) { "no block $name" } } + name.length + 2
        var depth = 1
        val end = (start until length).first { at ->
            depth += when (this[at]) {
                '{' -> 1
                '}' -> -1
                else -> 0
            }
            depth == 0
        }
        return substring(start, end)
    }

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
        assertEquals(setOf(pom.one("<junit.version>(.*)</")), Regex("junit-bom:(.*?)\"").findAll(gradle).map { it.groupValues[1] }.toSet())
        val junit4 = module.one("""<artifactId>junit</artifactId>\s*<version>(.*)</""")
        assertEquals(junit4, gradle.one("junit:junit:(.*?)\""))
    }

    @Test
    fun `both builds give the tests the same system properties`() {
        val inMaven = Regex("<(siderail\\..*?)>.*</").findAll(module).map { it.groupValues[1] }.toSet()
        val inGradle = Regex("""systemProperty\("(siderail\..*?)",""").findAll(gradle.substringAfter("\ntasks {").block("test")).map { it.groupValues[1] }.toSet()
        assertTrue("siderail.classes" in inMaven, "$inMaven")
        assertEquals(inMaven, inGradle)
        assertTrue("-Djava.awt.headless=true" in module && "systemProperty(\"java.awt.headless\", \"true\")" in gradle)
    }

    @Test
    fun `every sandbox holds the native parts and the archive keeps them executable, as Maven's does`() {
        val sandboxes = gradle.block("withType<PrepareSandboxTask>().configureEach")
        assertTrue("from(nativeParts)" in sandboxes && "\$it/native" in sandboxes, sandboxes)
        assertTrue("val nativeParts = natives.map { layout.projectDirectory.dir(\"target/natives\") }" in gradle, "no test's program is packaged")
        assertTrue("prepareSandbox {" !in gradle, "one sandbox of several")
        val mode = text("plugin/maven/archive/src/assembly/zip.xml").one("<fileMode>(.*)</")
        assertEquals(mode, gradle.block("buildPlugin").block("filesMatching(\"**/native/*/*\")").one("""unix\("(.*)"\)"""))
    }

    @Test
    fun `the native parts are built anew when anything changes that they are made of`() {
        val inputs = gradle.block("register<Exec>(\"natives\")")
        for (name in listOf("\"rust\"", "\"xtask\"", "\".cargo\"", "\"Cargo.toml\"", "\"Cargo.lock\"")) {
            assertTrue(name in inputs, "$name in $inputs")
        }
        val rust = root.resolve("rust")
        val sources = Files.walk(rust).use { all -> all.filter { Regex(""".*\bsrc\b.*\.rs""").matches("$it") }.toList() }
        val included = sources.flatMap { source ->
            Regex("""include_(?:str|bytes)!\(\s*"(.*?)"""").findAll(Files.readString(source))
                .map { source.parent.resolve(it.groupValues[1]).normalize() }
        }.filter(Files::isRegularFile)
        assertTrue(included.any { !it.startsWith(rust) } && included.any { it.startsWith(rust) }, "$included")
        for (file in included) {
            val wanted = if (file.startsWith(rust)) "\"**/*.${file.toString().substringAfterLast('.')}\"" else "\"${root.relativize(file)}\""
            assertTrue(wanted.replace('\\', '/') in inputs, "$wanted, which is compiled in, in $inputs")
        }
    }

    @Test
    fun `Gradle runs the tests anew when something changes that they read`() {
        val inputs = gradle.substringAfter("\ntasks {").block("test").substringAfter("inputs.files(").substringBefore(".withPathSensitivity")
        val trees = Regex("""fileTree\("(.*?)"\)(?: \{ include\((.*?)\) \})?""").findAll(inputs).associate { tree ->
            tree.groupValues[1] to Regex("\"(.*?)\"").findAll(tree.groupValues[2]).map { it.groupValues[1] }.toList()
        }
        val files = inputs.lines().map { it.trim() }.filter { it.startsWith('"') }.flatMap { it.literals() }
        val isInput = { path: String ->
            path in files || path in trees || trees.any { (tree, patterns) -> path.startsWith("$tree/") && (patterns.isEmpty() || patterns.any { matches(path, it) }) }
        }
        val sources = listOf("test", "platformTest").flatMap { folder ->
            Files.walk(root.resolve("plugin/src/$folder/kotlin")).use { all -> all.filter { "$it".endsWith(".kt") }.toList() }
        }
        val read = sources.map(Files::readString).filter { "siderail.root" in it }.flatMap(::pathsIn).toSet()
        assertTrue(read.containsAll(listOf("docs/install.md", ".run", "tests/boundary", "plugin/src/main")), "$read")
        assertEquals(emptyList<String>(), read.filterNot(isInput).sorted())
        val programs = text("plugin/src/test/kotlin/dev/siderail/TestPrograms.kt").one("""resolveSibling\("(.*?)"\)""")
        val made = gradle.block("register<Exec>(\"natives\")").lines().filter { "outputs." in it }.flatMap { it.literals() }
        assertEquals(listOf("target/natives", "target/$programs"), made)
    }

    private fun matches(path: String, pattern: String) = root.fileSystem.getPathMatcher("glob:$pattern").matches(Path.of(path))

    private fun String.literals(): List<String> = Regex(LITERAL).findAll(this).map { it.value.trim('"') }.toList()

    /** What a test's source names below the root of this project, by one literal or by several after each other. */
    private fun pathsIn(source: String): List<String> =
        Regex("""(?:siderail\.root"\), |\broot\.resolve\(|\btext\()($LITERAL(?:, $LITERAL)*)""").findAll(source)
            .map { it.groupValues[1].literals().joinToString("/") }.toList()

    @Test
    fun `the wrapper is of one version, whose archive is known`() {
        val wrapper = text("gradle/wrapper/gradle-wrapper.properties")
        val task = gradle.block("wrapper")
        assertEquals(task.one("""gradleVersion = "(.*)""""), wrapper.one("gradle-(.*)-bin.zip"))
        assertEquals(task.one("""distributionSha256Sum = "(.*)""""), wrapper.one("distributionSha256Sum=([0-9a-f]{64})"))
    }

    @Test
    fun `what the IDE runs of this project are tasks that a page names`() {
        val page = text("docs/install.md")
        val runs = Files.list(root.resolve(".run")).use { it.toList() }
        assertTrue(runs.size >= 3, "$runs")
        for (run in runs) {
            val task = Files.readString(run).one("""<option value="(.*)" />""")
            assertTrue("`gradle $task`" in page, "$task of $run")
        }
    }

    @Test
    fun `the tests that run an IDE find there what Gradle gives them`() {
        val asked = Regex("""property\("(siderail\..*?)"\)""").findAll(text("plugin/src/ideTest/kotlin/dev/siderail/ide/RunningIde.kt"))
        val given = Regex("""systemProperty\("(siderail\..*?)",""").findAll(gradle.block("testIdeUi.registering"))
        assertEquals(asked.map { it.groupValues[1] }.toSet(), given.map { it.groupValues[1] }.toSet())
        assertEquals(gradle.one("""intellijIdea\("(.*?)"\)"""), gradle.one("""siderail\.ide\.version", "(.*)""""))
        assertTrue("testFramework(TestFrameworkType.Starter, configurationName = \"ideTestImplementation\")" in gradle)
    }

    @Test
    fun `every scenario that a page names is a test that runs an IDE, and the other way round`() {
        val sources = root.resolve("plugin/src/ideTest/kotlin/dev/siderail/ide")
        val tests = Files.list(sources).use { all -> all.toList() }.flatMap { file ->
            Regex("""@Test\s+fun (\w+)\(""").findAll(Files.readString(file)).map { it.groupValues[1] }
        }
        val named = Regex("""(?m)^\| `([a-z]+[A-Z]\w+)` \|""").findAll(text("docs/manual-check.md")).map { it.groupValues[1] }.toList()
        assertTrue(tests.size >= 10, "$tests")
        assertEquals(tests.sorted(), named.sorted())
    }

    @Test
    fun `the modules of the Maven build have its version`() {
        for (name in listOf("stubs", "siderail", "archive", "scripts", "ide-test")) {
            assertEquals(pom.one("<version>(.*)</version>"), text("plugin/maven/$name/pom.xml").one("<version>(.*)</version>"))
        }
    }

    private companion object {
        const val LITERAL = """"[\w./-]+""""
    }
}

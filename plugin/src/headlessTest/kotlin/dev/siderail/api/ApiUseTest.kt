package dev.siderail.api

import com.intellij.openapi.project.Project
import java.io.File
import java.net.JarURLConnection
import java.nio.file.Files
import java.nio.file.Path
import java.util.TreeSet
import java.util.jar.JarFile
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test

/**
 * Compiling against 2020.1 proves little about 2025.3. What is used of the platform is therefore in a list that
 * a person has looked through; here it is compared with what is really used.
 */
class ApiUseTest {
    private val used = ApiUse.of(Path.of(System.getProperty("siderail.classes")))
    private val list = Path.of(System.getProperty("siderail.root"), "plugin/src/headlessTest/resources/api/members.txt")

    private val lines = Files.readAllLines(list).filter { it.isNotBlank() && !it.startsWith("#") }

    /** Members by line, with the notes that are indented below them. */
    private val listed: Map<String, List<String>> = run {
        val members = LinkedHashMap<String, MutableList<String>>()
        for (line in lines.filterNot { it.startsWith(SOURCE) }) {
            if (line.startsWith("    ")) members.values.last().add(line.trim()) else members[line] = ArrayList()
        }
        members
    }

    @Test
    fun `no member of the platform is used that nobody has looked up in today's platform`() {
        Files.write(Path.of(System.getProperty("siderail.out"), "members-used.txt"), used)
        assertEquals(emptyList<String>(), (used - listed.keys).toList(), "new members: look them up, then add them to $list")
        assertEquals(emptyList<String>(), (listed.keys - used).toList(), "no longer used: take them out of $list")
    }

    @Test
    fun `what the classes compiled against do not have is noted with where today's platform has it`() {
        val unproven = used.filter { !isIn2020(it) && listed[it].orEmpty().none { note -> note.startsWith("since ") } }
        assertEquals(emptyList<String>(), unproven, "a line `    since …: path in the platform's sources` belongs below")
    }

    /** Without such a line nobody can look up again what the list says of a class. */
    @Test
    fun `every class that is used is listed with where a later platform shows it`() {
        val sources = lines.filter { it.startsWith(SOURCE) }
        assertEquals(emptyList<String>(), sources.filterNot(SOURCE_LINE::matches), "not of the form that the head describes")
        val shown = sources.mapTo(TreeSet()) { it.removePrefix(SOURCE).substringBefore(": ") }
        val owners = used.mapTo(TreeSet()) { it.substringAfter(' ').substringBefore('.') }
        assertEquals(emptyList<String>(), (owners - shown).toList(), "a line `source CLASS: …` belongs at the end of $list")
        assertEquals(emptyList<String>(), (shown - owners).toList(), "no longer used: take them out of $list")
    }

    @Test
    fun `no read action keeps a writer waiting`() {
        val blocking = used.filter { "Application.runReadAction" in it || "ReadAction.compute" in it || "ReadAction.run(" in it }
        assertEquals(emptyList<String>(), blocking, "BackgroundRead and CodeReading give way to typing")
    }

    private val compiledAgainst: JarFile = run {
        val place = checkNotNull(Project::class.java.getResource("Project.class"))
        (place.openConnection() as JarURLConnection).jarFile
    }

    private val in2020 = PlatformJar(compiledAgainst)

    private fun isIn2020(line: String) = in2020.lookUp(line) is PlatformJar.Look.Found

    @Test
    fun `a member that is gone, or is called in another way, is noticed`() {
        fun remarks(line: String) = (in2020.lookUp(line) as PlatformJar.Look.Found).remarks
        val text = "com/intellij/openapi/editor/Document.getText()Ljava/lang/String;"
        assertEquals(emptySet<String>(), remarks("interface $text"))
        assertEquals(setOf("an interface now"), remarks("virtual $text"))
        val dumb = "com/intellij/openapi/project/DumbService.isDumb(Lcom/intellij/openapi/project/Project;)Z"
        assertEquals(setOf("static now"), remarks("virtual $dumb"))
        assertEquals(PlatformJar.Look.Gone, in2020.lookUp("interface com/intellij/openapi/editor/Document.getTextOnce()V"))
        assertEquals(PlatformJar.Look.Unknown, in2020.lookUp("type com/intellij/openapi/actionSystem/ActionUpdateThread"))
    }

    /**
     * Reads class files of later versions, where somebody has them: `-Dplatform.later=FILE.jar`, several with the path
     * separator between them. The head of the list says which there are.
     */
    @Test
    fun `what has changed since in class files of a later platform has a note`() {
        val later = System.getProperty("platform.later").orEmpty().split(File.pathSeparator).filter { it.isNotEmpty() }
        assumeTrue(later.isNotEmpty())
        val report = ArrayList<String>()
        for (file in later) JarFile(file).use { jar ->
            val platform = PlatformJar(jar)
            val looks = used.associateWith(platform::lookUp)
            println("$file: ${looks.values.count { it != PlatformJar.Look.Unknown }} of ${used.size} lines can be judged")
            for ((line, look) in looks) {
                val what = when (look) {
                    is PlatformJar.Look.Found -> (look.remarks - (in2020.lookUp(line) as? PlatformJar.Look.Found)?.remarks.orEmpty()).joinToString()
                    PlatformJar.Look.Gone -> "gone"
                    PlatformJar.Look.Unknown -> ""
                }
                if (what.isNotEmpty() && listed[line].orEmpty().isEmpty()) report += "$line: $what in ${File(file).name}"
            }
        }
        assertEquals(emptyList<String>(), report, "a note belongs below each")
    }

    private companion object {
        const val SOURCE = "source "

        /** One of the ways of the list's head at least: class files, or a file of sources or lists at some commit. */
        val SOURCE_LINE = Regex("""source [\w/$]+:( 2025\.1| 2023\.3=\S+| (api|read)=\S+@[0-9a-f]{40})+""")
    }
}

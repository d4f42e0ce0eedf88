package dev.siderail.api

import com.intellij.openapi.project.Project
import java.net.JarURLConnection
import java.nio.file.Files
import java.nio.file.Path
import java.util.jar.JarFile
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.FieldVisitor
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes

/**
 * Compiling against 2020.1 proves little about 2025.3. What is used of the platform therefore stands in a list that
 * a person has looked through; here it is compared with what is really used.
 */
class ApiUseTest {
    private val used = ApiUse.of(Path.of(System.getProperty("siderail.classes")))
    private val list = Path.of(System.getProperty("siderail.root"), "plugin/src/headlessTest/resources/api/members.txt")

    /** Members by line, with the notes that stand indented below them. */
    private val listed: Map<String, List<String>> = run {
        val members = LinkedHashMap<String, MutableList<String>>()
        for (line in Files.readAllLines(list).filter { it.isNotBlank() && !it.startsWith("#") }) {
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

    private val jar: JarFile = run {
        val place = checkNotNull(Project::class.java.getResource("Project.class"))
        (place.openConnection() as JarURLConnection).jarFile
    }

    /** Whether the class is in the platform's jar and has, or inherits, the member. */
    private fun isIn2020(line: String): Boolean {
        val (kind, member) = line.split(' ', limit = 2)
        if (kind == "type" || kind == "super") return bytes(member) != null
        val owner = member.substringBefore('.')
        val rest = member.substringAfter('.')
        val name = rest.substringBefore('(').substringBefore(':')
        val descriptor = if ('(' in rest) "(" + rest.substringAfter('(') else rest.substringAfter(':')
        return declares(owner, name, descriptor)
    }

    private fun bytes(type: String): ByteArray? = jar.getEntry("$type.class")?.let { jar.getInputStream(it).readAllBytes() }

    private fun declares(owner: String, name: String, descriptor: String): Boolean {
        val bytes = bytes(owner) ?: return false
        var found = false
        val above = ArrayList<String>()
        val visitor = object : ClassVisitor(Opcodes.ASM9) {
            override fun visit(v: Int, a: Int, n: String, s: String?, superName: String?, interfaces: Array<String>?) {
                above.addAll(listOfNotNull(superName) + interfaces.orEmpty())
            }

            override fun visitMethod(a: Int, n: String, d: String, s: String?, e: Array<String>?): MethodVisitor? {
                found = found || n == name && d == descriptor
                return null
            }

            override fun visitField(a: Int, n: String, d: String, s: String?, value: Any?): FieldVisitor? {
                found = found || n == name && d == descriptor
                return null
            }
        }
        ClassReader(bytes).accept(visitor, ClassReader.SKIP_CODE)
        return found || above.any { if (it.startsWith("java/")) inJava(it, name) else declares(it, name, descriptor) }
    }

    private fun inJava(type: String, name: String): Boolean =
        Class.forName(type.replace('/', '.')).methods.any { it.name == name }
}

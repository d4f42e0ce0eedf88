package dev.siderail.api

import java.util.jar.JarFile
import org.objectweb.asm.AnnotationVisitor
import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.FieldVisitor
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes

/** Class files of some version of the platform, and what they say of members that are written as [ApiUse] does. */
internal class PlatformJar(private val jar: JarFile) {
    /** What is known of a member. */
    sealed interface Look {
        /** It is there; [remarks] say what a caller has to know, such as `deprecated`. */
        data class Found(val remarks: Set<String>, val isStatic: Boolean? = null) : Look

        /** The class is there and does not have it, nor do those above it. */
        data object Gone : Look

        /** The jar lacks the class, or one above it. */
        data object Unknown : Look
    }

    private class Type(val isInterface: Boolean, val remarks: Set<String>, val above: List<String>, val members: Map<String, Member>)

    private class Member(val isStatic: Boolean, val remarks: MutableSet<String> = HashSet())

    private val types = HashMap<String, Type?>()

    fun lookUp(line: String): Look {
        val (kind, named) = line.split(' ', limit = 2)
        if (kind == "type" || kind == "super") {
            val type = type(named) ?: return Look.Unknown
            // Who only uses a type need not care that nobody may extend it.
            return Look.Found(if (kind == "type") type.remarks - NOT_TO_EXTEND else type.remarks)
        }
        val owner = type(named.substringBefore('.')) ?: return Look.Unknown
        val look = find(owner, named.substringAfter('.'))
        if (look !is Look.Found || kind == "field") return look
        val changes = setOfNotNull(
            if (owner.isInterface == kind.endsWith("interface")) null else if (owner.isInterface) "an interface now" else "a class now",
            if (look.isStatic == null || look.isStatic == kind.startsWith("static")) null else if (look.isStatic) "static now" else "no longer static",
        )
        return look.copy(remarks = look.remarks + changes)
    }

    private fun find(type: Type, member: String): Look {
        type.members[member]?.let { return Look.Found(it.remarks, it.isStatic) }
        val above = type.above.map { name ->
            if (name.startsWith("java/") || name.startsWith("javax/")) inJava(name, member) else type(name)?.let { find(it, member) } ?: Look.Unknown
        }
        return above.find { it is Look.Found } ?: above.find { it == Look.Unknown } ?: Look.Gone
    }

    private fun inJava(type: String, member: String): Look {
        val name = member.substringBefore('(').substringBefore(':')
        val isThere = Class.forName(type.replace('/', '.')).methods.any { it.name == name }
        return if (isThere) Look.Found(emptySet()) else Look.Gone
    }

    private fun type(name: String): Type? = types.getOrPut(name) {
        val entry = jar.getEntry("$name.class") ?: return@getOrPut null
        Reading().also { ClassReader(jar.getInputStream(entry).readAllBytes()).accept(it, ClassReader.SKIP_CODE) }.type()
    }

    private class Reading : ClassVisitor(Opcodes.ASM9) {
        private var isInterface = false
        private val remarks = HashSet<String>()
        private val above = ArrayList<String>()
        private val members = HashMap<String, Member>()

        fun type() = Type(isInterface, remarks, above, members)

        override fun visit(v: Int, access: Int, n: String, s: String?, superName: String?, interfaces: Array<String>?) {
            isInterface = access and Opcodes.ACC_INTERFACE != 0
            above.addAll(listOfNotNull(superName) + interfaces.orEmpty())
        }

        override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? {
            remarks.addAll(remarkOf(descriptor))
            return null
        }

        override fun visitMethod(access: Int, name: String, descriptor: String, s: String?, e: Array<String>?): MethodVisitor {
            val member = Member(access and Opcodes.ACC_STATIC != 0)
            members[name + descriptor] = member
            return object : MethodVisitor(Opcodes.ASM9) {
                override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? {
                    member.remarks.addAll(remarkOf(descriptor))
                    return null
                }
            }
        }

        override fun visitField(access: Int, name: String, descriptor: String, s: String?, value: Any?): FieldVisitor {
            val member = Member(access and Opcodes.ACC_STATIC != 0)
            members["$name:$descriptor"] = member
            return object : FieldVisitor(Opcodes.ASM9) {
                override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? {
                    member.remarks.addAll(remarkOf(descriptor))
                    return null
                }
            }
        }

        private fun remarkOf(annotation: String): List<String> = when {
            annotation.endsWith("/Deprecated;") -> listOf("deprecated")
            "/ApiStatus$" in annotation -> listOf(annotation.substringAfter('$').removeSuffix(";").lowercase())
            else -> emptyList()
        }
    }

    private companion object {
        val NOT_TO_EXTEND = setOf("nonextendable", "overrideonly")
    }
}

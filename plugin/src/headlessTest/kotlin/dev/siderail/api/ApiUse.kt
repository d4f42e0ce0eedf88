package dev.siderail.api

import java.nio.file.Files
import java.nio.file.Path
import java.util.TreeSet
import kotlin.streams.asSequence
import org.objectweb.asm.AnnotationVisitor
import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.FieldVisitor
import org.objectweb.asm.Handle
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes
import org.objectweb.asm.Type

/**
 * The platform's members that compiled classes name, one a line: `virtual com/intellij/…/Document.getText()Ljava/lang/String;`.
 *
 * The kind comes first because it decides over linking: an interface that has become a class breaks callers.
 */
internal object ApiUse {
    /** Of all classes in a folder. */
    fun of(folder: Path): Set<String> {
        val used = TreeSet<String>()
        Files.walk(folder).use { files ->
            files.asSequence().filter { it.toString().endsWith(".class") }
                .forEach { ClassReader(Files.readAllBytes(it)).accept(Members(used), ClassReader.SKIP_DEBUG) }
        }
        return used
    }

    private fun isPlatform(owner: String) = PLACES.any(owner::startsWith)

    /** The platform's packages, and those of its terminal plugin that lie elsewhere. */
    private val PLACES = listOf("com/intellij/", "org/jetbrains/plugins/terminal/")

    private val TYPE = Regex("L(${PLACES.joinToString("|")})([^;<]+)")

    private class Members(private val used: MutableSet<String>) : ClassVisitor(Opcodes.ASM9) {
        private fun types(descriptor: String?) {
            TYPE.findAll(descriptor.orEmpty()).forEach { used.add("type ${it.value.drop(1)}") }
        }

        override fun visit(
            version: Int,
            access: Int,
            name: String,
            signature: String?,
            superName: String?,
            interfaces: Array<String>?,
        ) {
            (listOfNotNull(superName) + interfaces.orEmpty()).filter(::isPlatform).forEach { used.add("super $it") }
        }

        override fun visitField(access: Int, name: String, descriptor: String, signature: String?, value: Any?): FieldVisitor? {
            types(descriptor)
            return null
        }

        override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? {
            types(descriptor)
            return null
        }

        override fun visitMethod(
            access: Int,
            name: String,
            descriptor: String,
            signature: String?,
            exceptions: Array<String>?,
        ): MethodVisitor {
            types(descriptor)
            return Calls()
        }

        private inner class Calls : MethodVisitor(Opcodes.ASM9) {
            override fun visitMethodInsn(opcode: Int, owner: String, name: String, descriptor: String, isInterface: Boolean) {
                types(descriptor)
                if (isPlatform(owner)) used.add("${kind(opcode, isInterface)} $owner.$name$descriptor")
            }

            override fun visitFieldInsn(opcode: Int, owner: String, name: String, descriptor: String) {
                if (isPlatform(owner)) used.add("field $owner.$name:$descriptor")
            }

            override fun visitTypeInsn(opcode: Int, type: String) {
                if (isPlatform(type)) used.add("type $type")
            }

            override fun visitInvokeDynamicInsn(name: String, descriptor: String, bootstrap: Handle, vararg arguments: Any?) {
                types(descriptor)
                for (argument in arguments) {
                    if (argument is Handle && isPlatform(argument.owner)) {
                        val kind = if (argument.isInterface) "interface" else "virtual"
                        used.add("$kind ${argument.owner}.${argument.name}${argument.desc}")
                    }
                    if (argument is Type) types(argument.descriptor)
                }
            }

            override fun visitLdcInsn(value: Any?) {
                if (value is Type) types(value.descriptor)
            }

            override fun visitTryCatchBlock(start: org.objectweb.asm.Label?, end: org.objectweb.asm.Label?, handler: org.objectweb.asm.Label?, type: String?) {
                if (type != null && isPlatform(type)) used.add("type $type")
            }
        }

        private fun kind(opcode: Int, isInterface: Boolean) = when {
            opcode == Opcodes.INVOKESTATIC && isInterface -> "static-interface"
            opcode == Opcodes.INVOKESTATIC -> "static"
            opcode == Opcodes.INVOKESPECIAL -> "special"
            isInterface -> "interface"
            else -> "virtual"
        }
    }
}

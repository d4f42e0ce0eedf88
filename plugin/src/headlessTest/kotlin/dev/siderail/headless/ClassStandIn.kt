package dev.siderail.headless

import java.lang.invoke.MethodHandles
import java.lang.reflect.Modifier
import java.util.function.BiFunction
import org.objectweb.asm.ClassWriter
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes
import org.objectweb.asm.Type

/**
 * Stand-ins for services that the platform has as abstract classes, of which a test needs one function or two: what is
 * abstract is answered by name, everything else is the platform's.
 */
internal object ClassStandIn {
    private val made = HashMap<Class<*>, Class<*>>()

    /** [answer] gets the name of the function and its arguments; it has to fail for what it does not expect. */
    @Synchronized
    fun <T : Any> of(type: Class<T>, answer: (name: String, arguments: List<Any?>) -> Any?): T {
        val asked = BiFunction<String, Array<Any?>, Any?> { name, arguments -> answer(name, arguments.toList()).takeUnless { it === Unit } }
        val standIn = made.getOrPut(type) {
            MethodHandles.privateLookupIn(type, MethodHandles.lookup()).defineClass(bytes(type))
        }
        val one = standIn.getDeclaredConstructor().apply { isAccessible = true }.newInstance()
        standIn.getField(ASKED).set(one, asked)
        return type.cast(one)
    }

    private fun bytes(type: Class<*>): ByteArray {
        val parent = Type.getInternalName(type)
        val name = "$parent\$StandIn"
        val writer = ClassWriter(ClassWriter.COMPUTE_MAXS)
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, parent, null)
        writer.visitField(Opcodes.ACC_PUBLIC, ASKED, FUNCTION.descriptor, null, null).visitEnd()
        writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null).write {
            visitVarInsn(Opcodes.ALOAD, 0)
            visitMethodInsn(Opcodes.INVOKESPECIAL, parent, "<init>", "()V", false)
            visitInsn(Opcodes.RETURN)
        }
        val abstract = generateSequence<Class<*>>(type) { it.superclass }.flatMap { it.declaredMethods.asSequence() }.filter { Modifier.isAbstract(it.modifiers) }
        for (method in abstract.distinctBy { it.name + Type.getMethodDescriptor(it) }) {
            val access = method.modifiers and (Opcodes.ACC_PUBLIC or Opcodes.ACC_PROTECTED)
            writer.visitMethod(access, method.name, Type.getMethodDescriptor(method), null, null).write {
                visitVarInsn(Opcodes.ALOAD, 0)
                visitFieldInsn(Opcodes.GETFIELD, name, ASKED, FUNCTION.descriptor)
                visitLdcInsn(method.name)
                pushArguments(method.parameterTypes)
                visitMethodInsn(Opcodes.INVOKEINTERFACE, FUNCTION.internalName, "apply", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", true)
                giveBack(method.returnType)
            }
        }
        return writer.toByteArray()
    }

    private fun MethodVisitor.write(code: MethodVisitor.() -> Unit) {
        visitCode()
        code()
        visitMaxs(0, 0)
        visitEnd()
    }

    private fun MethodVisitor.pushArguments(types: Array<Class<*>>) {
        visitLdcInsn(types.size)
        visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object")
        var slot = 1
        types.forEachIndexed { at, type ->
            visitInsn(Opcodes.DUP)
            visitLdcInsn(at)
            visitVarInsn(Type.getType(type).getOpcode(Opcodes.ILOAD), slot)
            if (type.isPrimitive) {
                val boxed = Type.getInternalName(type.kotlin.javaObjectType)
                visitMethodInsn(Opcodes.INVOKESTATIC, boxed, "valueOf", "(${Type.getDescriptor(type)})L$boxed;", false)
            }
            visitInsn(Opcodes.AASTORE)
            slot += Type.getType(type).size
        }
    }

    private fun MethodVisitor.giveBack(type: Class<*>) {
        if (type.isPrimitive && type != Void.TYPE) {
            val boxed = Type.getInternalName(type.kotlin.javaObjectType)
            visitTypeInsn(Opcodes.CHECKCAST, boxed)
            visitMethodInsn(Opcodes.INVOKEVIRTUAL, boxed, "${type.name}Value", "()${Type.getDescriptor(type)}", false)
        } else if (type != Void.TYPE) {
            visitTypeInsn(Opcodes.CHECKCAST, Type.getInternalName(type))
        }
        visitInsn(Type.getType(type).getOpcode(Opcodes.IRETURN))
    }

    private val FUNCTION = Type.getType(BiFunction::class.java)
    private const val ASKED = "asked"
}

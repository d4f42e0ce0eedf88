package dev.siderail.bridge

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path

/**
 * What machine a library is for, read from its head.
 *
 * A virtual machine only says that it could not load a file, in each system's own words. This says which file it is
 * and whether all of it is there. Knows no more of the formats than that.
 */
internal object NativeKind {
    /** The machines that there are libraries for, as the folders of natives are named. */
    val PLATFORMS = listOf("linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-aarch64", "windows-x86_64")

    /** More than the heads of a library take. */
    private const val HEAD = 65_536

    /** `linux-x86_64`, `windows-x86_64, of which the end is missing`, `no library` …; why it cannot be read otherwise. */
    fun of(file: Path): String = try {
        val size = Files.size(file)
        FileChannel.open(file).use { channel ->
            val head = ByteBuffer.allocate(HEAD).order(ByteOrder.LITTLE_ENDIAN)
            while (head.hasRemaining() && channel.read(head) > 0) Unit
            describe(head.flip(), size)
        }
    } catch (e: IOException) {
        "a file that cannot be read: $e"
    }

    private fun describe(head: ByteBuffer, size: Long): String {
        val found = try {
            elf(head) ?: machO(head) ?: windows(head)
        } catch (_: IndexOutOfBoundsException) {
            return "the first $size bytes of a library"
        }
        val (name, needed) = found ?: return if (size == 0L) "an empty file" else "no library"
        return if (size < needed) "$name, of which the end is missing" else name
    }

    /** The platform and how many bytes the file has to have. */
    private fun elf(head: ByteBuffer): Pair<String, Long>? {
        if (head.limit() < 4 || head.getInt(0) != 0x464c457f) return null
        val sections = head.getLong(0x28) + head.getShort(0x3a) * head.getShort(0x3c).toLong()
        return "linux-${machine(head.getShort(0x12).toInt(), 62, 183)}" to sections
    }

    private fun machO(head: ByteBuffer): Pair<String, Long>? {
        if (head.limit() < 4 || head.getInt(0) != 0xfeedfacf.toInt()) return null
        var (at, end) = 32 to 0L
        repeat(head.getInt(16)) {
            // LC_SEGMENT_64: where its bytes are in the file.
            if (head.getInt(at) == 0x19) end = maxOf(end, head.getLong(at + 40) + head.getLong(at + 48))
            at += head.getInt(at + 4)
        }
        return "macos-${machine(head.getInt(4), 0x01000007, 0x0100000c)}" to end
    }

    private fun windows(head: ByteBuffer): Pair<String, Long>? {
        if (head.limit() < 2 || head.getShort(0) != 0x5a4d.toShort()) return null
        val at = head.getInt(0x3c)
        if (head.getInt(at) != 0x4550) return null
        val sections = at + 24 + head.getShort(at + 20)
        var end = 0L
        repeat(head.getShort(at + 6).toInt()) {
            val section = sections + it * 40
            end = maxOf(end, head.getInt(section + 16).toLong() + head.getInt(section + 20))
        }
        return "windows-${machine(head.getShort(at + 4).toInt() and 0xffff, 0x8664, 0xaa64)}" to end
    }

    private fun machine(number: Int, x86: Int, arm: Int): String = when (number) {
        x86 -> "x86_64"
        arm -> "aarch64"
        else -> "machine $number"
    }
}

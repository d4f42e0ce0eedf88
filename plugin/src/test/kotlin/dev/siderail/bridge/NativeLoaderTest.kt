package dev.siderail.bridge

import dev.siderail.TestPrograms
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.net.URLClassLoader
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption

class NativeLoaderTest {
    @TempDir
    lateinit var folder: Path

    @Test
    fun `platforms have the names of the folders that the build makes`() {
        assertEquals("linux-x86_64", NativeLoader.platform("Linux", "amd64"))
        assertEquals("macos-aarch64", NativeLoader.platform("Mac OS X", "aarch64"))
        assertEquals("windows-x86_64", NativeLoader.platform("Windows 11", "amd64"))
        assertEquals("free-bsd-riscv64", NativeLoader.platform("Free BSD", "riscv64"))
    }

    @Test
    fun `a machine without a library is told so, with the path that was looked at`() {
        val failed = loadFresh()
        assertTrue(failed.contains("no native library for this machine"), failed)
        assertTrue(failed.contains(folder.resolve("natives").toString()), failed)
        assertTrue(NativeKind.PLATFORMS.all { it in failed } && "there is nothing" in failed, failed)
    }

    @Test
    fun `a file that is no library is a reason and no crash`() {
        val natives = Files.createDirectories(folder.resolve("natives").resolve(NativeLoader.platform()))
        Files.createDirectory(folder.resolve("natives/plan9-vax"))
        Files.writeString(natives.resolve(System.mapLibraryName("siderail_jni")), "this is text")
        val told = loadFresh()
        assertTrue(told.contains("the native library for ${NativeLoader.platform()} is no library"), told)
        for (name in NativeKind.PLATFORMS + "plan9-vax") assertTrue(told.contains(name), "$name in $told")
    }

    @Test
    fun `a library without a relay beside it is told so, and one whose end is missing`() {
        val built = TestPrograms.file
        val natives = Files.createDirectories(folder.resolve("natives").resolve(NativeLoader.platform()))
        val library = Files.copy(built, natives.resolve(built.fileName))
        assertEquals(NativeLoader.platform(), NativeKind.of(library))
        assertTrue(loadFresh().contains("siderail-relay is missing"))
        FileChannel.open(library, StandardOpenOption.WRITE).use { it.truncate(Files.size(library) / 2) }
        val told = loadFresh()
        assertTrue(told.contains("is ${NativeLoader.platform()}, of which the end is missing"), told)
        FileChannel.open(library, StandardOpenOption.WRITE).use { it.truncate(24) }
        assertTrue(loadFresh().contains("the first 24 bytes of a library"))
        FileChannel.open(library, StandardOpenOption.WRITE).use { it.truncate(0) }
        assertTrue(loadFresh().contains("an empty file"))
    }

    @Test
    fun `libraries of other machines are known by their heads`() {
        val elf = head(64, 0 to 0x464c457f, 0x12 to 183)
        val apple = head(32, 0 to 0xfeedfacf.toInt(), 4 to 0x0100000c)
        val windows = head(160, 0 to 0x5a4d, 0x3c to 0x80, 0x80 to 0x4550, 0x84 to 0x8664)
        val odd = head(64, 0 to 0x464c457f, 0x12 to 243)
        val whole = listOf(elf to "linux-aarch64", apple to "macos-aarch64", windows to "windows-x86_64", odd to "linux-machine 243")
        for ((bytes, name) in whole) {
            val file = Files.write(folder.resolve("library"), bytes)
            assertEquals(name, NativeKind.of(file))
        }
        val natives = Files.createDirectories(folder.resolve("natives").resolve(NativeLoader.platform()))
        val other = if (NativeLoader.platform() == "macos-aarch64") elf else apple
        Files.write(natives.resolve(System.mapLibraryName("siderail_jni")), other)
        val told = loadFresh()
        assertTrue(told.contains("the native library for ${NativeLoader.platform()} is ${if (other === elf) "linux" else "macos"}-aarch64"), told)
        assertTrue(NativeKind.PLATFORMS.all { it in told }, told)
    }

    /** Zeros with numbers of four bytes at these places. */
    private fun head(size: Int, vararg numbers: Pair<Int, Int>): ByteArray {
        val buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)
        for ((at, number) in numbers) buffer.putInt(at, number)
        return buffer.array()
    }

    /** Loads with classes of their own, because a class loads its library once. Returns what came of it as text. */
    private fun loadFresh(): String {
        val classes = Path.of(System.getProperty("siderail.classes")).toUri().toURL()
        val kotlin = Unit::class.java.protectionDomain.codeSource.location
        return URLClassLoader(arrayOf(classes, kotlin), ClassLoader.getPlatformClassLoader()).use { loader ->
            val type = loader.loadClass(NativeLoader::class.java.name)
            val load = type.getMethod("load", Path::class.java, Path::class.java)
            val instance = type.getField("INSTANCE").get(null)
            load.invoke(instance, folder.resolve("natives"), folder.resolve("copies")).toString()
        }
    }

    @Test
    fun `a folder is private, and gone when it is given up, with links left alone`() {
        val outside = Files.createDirectory(folder.resolve("outside"))
        Files.writeString(outside.resolve("keep"), "")
        val locked = LockedFolder.create(folder.resolve("base"), "run-")
        if ("posix" in folder.fileSystem.supportedFileAttributeViews()) {
            assertEquals(3, Files.getPosixFilePermissions(locked.path).size)
            Files.createSymbolicLink(locked.path.resolve("link"), outside)
        }
        Files.createDirectories(locked.path.resolve("a/b"))
        locked.close()
        assertFalse(Files.exists(locked.path))
        assertTrue(Files.exists(outside.resolve("keep")), "a link is removed, not what it leads to")
    }

    @Test
    fun `folders of dead processes are removed and those of living ones stay`() {
        val base = Files.createDirectories(folder.resolve("base"))
        val dead = Files.createDirectory(base.resolve("run-1-dead"))
        Files.createFile(dead.resolve("lock"))
        val fresh = Files.createDirectory(base.resolve("run-1-fresh"))
        val other = Files.createDirectory(base.resolve("other"))
        Files.createFile(other.resolve("lock"))
        val living = Files.createDirectory(base.resolve("run-2-living"))
        val holder = hold(living.resolve("lock"))
        try {
            val first = LockedFolder.create(base, "run-")
            val second = LockedFolder.create(base, "run-")
            assertFalse(Files.exists(dead))
            for (stays in listOf(fresh, other, living, first.path, second.path)) assertTrue(Files.exists(stays), "$stays")
        } finally {
            holder.destroyForcibly().waitFor()
        }
    }

    /** Another process that holds a lock; it says so before this returns. */
    private fun hold(lock: Path): Process {
        val source = folder.resolve("Hold.java")
        Files.writeString(
            source,
            """
            import java.nio.channels.FileChannel;
            import java.nio.file.Path;
            import java.nio.file.StandardOpenOption;
            public class Hold {
                public static void main(String[] args) throws Exception {
                    var channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    channel.lock();
                    System.out.println("held");
                    Thread.sleep(600_000);
                }
            }
            """.trimIndent(),
        )
        val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
        val process = ProcessBuilder(java, source.toString(), lock.toString()).redirectErrorStream(true).start()
        assertEquals("held", process.inputStream.bufferedReader().readLine())
        return assertInstanceOf(Process::class.java, process)
    }
}

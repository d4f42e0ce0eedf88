package dev.siderail.bridge

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.net.URLClassLoader
import java.nio.file.Files
import java.nio.file.Path

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
    }

    @Test
    fun `a file that is no library is a reason and no crash`() {
        val natives = Files.createDirectories(folder.resolve("natives").resolve(NativeLoader.platform()))
        Files.writeString(natives.resolve(System.mapLibraryName("siderail_jni")), "this is text")
        assertTrue(loadFresh().contains("siderail-relay is missing"))
        Files.writeString(natives.resolve("siderail-relay"), "#!/bin/sh\n")
        assertTrue(loadFresh().contains("cannot be loaded"))
        assertTrue(Files.isExecutable(natives.resolve("siderail-relay")), "unpacking may have taken the mode bits")
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

package dev.siderail.bridge

import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.FileVisitResult
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import java.nio.file.SimpleFileVisitor
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.WRITE
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.attribute.PosixFilePermissions
import java.time.Instant
import java.time.temporal.ChronoUnit.DAYS
import kotlin.random.Random

/**
 * A folder of this process alone (0700), which other processes can distinguish from one that a dead process left
 * behind: its lock lasts as long as the process does. Such leftovers are removed when a new folder is made beside them.
 */
class LockedFolder private constructor(val path: Path, private val lock: FileChannel) : AutoCloseable {
    /** Gives the folder up and removes it. What cannot be removed is left to the next start. */
    override fun close() {
        lock.close()
        remove(path)
    }

    companion object {
        private const val LOCK = "lock"

        /** Makes a folder in [base] whose name begins with [prefix]; only such names are looked at for leftovers. */
        @Throws(IOException::class)
        fun create(base: Path, prefix: String): LockedFolder {
            Files.createDirectories(base)
            val own = "$prefix${ProcessHandle.current().pid()}-"
            sweep(base, prefix, own)
            val folder = base.resolve(own + Random.nextInt().toUInt().toString(RADIX))
            val isPosix = "posix" in base.fileSystem.supportedFileAttributeViews()
            val onlyOwner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            if (isPosix) Files.createDirectory(folder, onlyOwner) else Files.createDirectory(folder)
            val lock = FileChannel.open(folder.resolve(LOCK), CREATE, WRITE)
            lock.lock()
            return LockedFolder(folder, lock)
        }

        private fun sweep(base: Path, prefix: String, own: String) {
            // This process's own folders are left out by name: on POSIX, closing a second channel of a file gives
            // up the lock of the first.
            val others = { path: Path -> path.fileName.toString().let { it.startsWith(prefix) && !it.startsWith(own) } }
            Files.newDirectoryStream(base, others).use { folders -> folders.filter(::isAbandoned).forEach(::remove) }
        }

        private fun isAbandoned(folder: Path): Boolean = try {
            FileChannel.open(folder.resolve(LOCK), WRITE).use { it.tryLock() != null }
        } catch (_: NoSuchFileException) {
            // Its process died before it had locked the folder, or is about to.
            Files.getLastModifiedTime(folder).toInstant() < Instant.now().minus(1, DAYS)
        } catch (_: IOException) {
            false
        }

        /** Removes a folder; links in it are removed and not followed. */
        private fun remove(folder: Path) {
            try {
                Files.walkFileTree(folder, Removal)
            } catch (_: IOException) {
                // In use, or another process removes it at this moment.
            }
        }

        private const val RADIX = 36
    }

    private object Removal : SimpleFileVisitor<Path>() {
        override fun visitFile(file: Path, attrs: BasicFileAttributes): FileVisitResult = gone(file)

        override fun postVisitDirectory(dir: Path, exc: IOException?): FileVisitResult = gone(dir)

        private fun gone(path: Path): FileVisitResult {
            Files.deleteIfExists(path)
            return FileVisitResult.CONTINUE
        }
    }
}

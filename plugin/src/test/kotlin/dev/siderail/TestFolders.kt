package dev.siderail

import java.io.IOException
import java.nio.file.FileVisitResult
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.SimpleFileVisitor
import java.nio.file.attribute.BasicFileAttributes

/** Folders of this run of the tests, below one that is gone with the process. */
object TestFolders {
    private val base: Path = Files.createTempDirectory("siderail-tests").also { base ->
        Runtime.getRuntime().addShutdownHook(Thread { Files.walkFileTree(base, Removal) })
    }

    fun create(name: String): Path = Files.createTempDirectory(base, name)

    fun createFile(name: String, ending: String): Path = Files.createTempFile(base, name, ending)

    private object Removal : SimpleFileVisitor<Path>() {
        override fun visitFile(file: Path, attrs: BasicFileAttributes): FileVisitResult = gone(file)

        override fun postVisitDirectory(dir: Path, exc: IOException?): FileVisitResult = gone(dir)

        /** What other threads still write into stays; that must not keep the rest. */
        private fun gone(path: Path): FileVisitResult {
            try {
                Files.deleteIfExists(path)
            } catch (_: IOException) {
            }
            return FileVisitResult.CONTINUE
        }
    }
}

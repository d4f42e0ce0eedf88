package dev.siderail.document

import java.io.IOException
import java.nio.file.FileVisitResult
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.SimpleFileVisitor
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.COPY_ATTRIBUTES
import java.nio.file.attribute.BasicFileAttributes

/**
 * The names of a file (hard links). Where all of them are in the project, all get the new text; where some are outside,
 * the file is made one of its own first, since a write must not change what lies outside. How the IDE saves, in place or
 * by another file that takes the name, is its setting: so both are seen to here.
 */
internal sealed interface FileNames {
    /** The usual case, and all that is known where the system does not tell. */
    data object One : FileNames

    /** All names are in the project; [others] are those beside the one that is written. */
    class Inside(val others: List<Path>) : FileNames

    /** Some are elsewhere, or were not found. */
    data object Outside : FileNames

    /** What a model and a person should know of a write; null for the usual case. */
    val note: String?
        get() = when (this) {
            One -> null
            is Inside -> "the file has ${others.size + 1} names in the project (hard links); all have the new text"
            Outside -> "the file had other names outside the project (hard links); they keep the old text, and this is a file of its own now"
        }

    companion object {
        /** Entries of a project that are looked at for other names. */
        private const val MOST_ENTRIES = 200_000

        fun of(place: Place, patience: Patience): FileNames {
            val (count, key) = try {
                Files.getAttribute(place.absolute, "unix:nlink") as Int to Files.readAttributes(place.absolute, BasicFileAttributes::class.java).fileKey()
            } catch (_: UnsupportedOperationException) {
                return One
            } catch (_: IllegalArgumentException) {
                return One
            } catch (_: IOException) {
                return One
            }
            if (count <= 1 || key == null) return One
            val depth = place.relative.count { it == '/' } + 1
            val root = generateSequence(place.absolute) { it.parent }.elementAt(depth)
            val found = search(root, key, count, patience)
            return if (found.size == count) Inside(found.filter { it != place.absolute }) else Outside
        }

        private fun search(root: Path, key: Any, count: Int, patience: Patience): List<Path> {
            val found = ArrayList<Path>()
            var left = MOST_ENTRIES
            val visitor = object : SimpleFileVisitor<Path>() {
                override fun preVisitDirectory(dir: Path, attrs: BasicFileAttributes): FileVisitResult {
                    patience.check()
                    return if (left-- > 0) FileVisitResult.CONTINUE else FileVisitResult.TERMINATE
                }

                override fun visitFile(file: Path, attrs: BasicFileAttributes): FileVisitResult {
                    // A path is a list of paths, too: `+=` would add its parts.
                    if (attrs.fileKey() == key && attrs.isRegularFile) found.add(file)
                    return if (found.size < count && left-- > 0) FileVisitResult.CONTINUE else FileVisitResult.TERMINATE
                }

                override fun visitFileFailed(file: Path, exc: IOException) = FileVisitResult.CONTINUE
            }
            Files.walkFileTree(root, visitor)
            return found
        }

        /** Gives the path a file of its own with the same text, times and rights. */
        @Throws(IOException::class)
        fun separate(path: Path) {
            val beside = Files.createTempFile(path.parent, ".siderail-", ".tmp")
            try {
                Files.delete(beside)
                Files.copy(path, beside, COPY_ATTRIBUTES)
                Files.move(beside, path, ATOMIC_MOVE)
            } finally {
                Files.deleteIfExists(beside)
            }
        }

        /** Makes the others names of the file at [path] again, where saving has put another file there. */
        @Throws(IOException::class)
        fun rejoin(path: Path, others: List<Path>) {
            for (other in others) {
                if (Files.isSameFile(path, other)) continue
                val beside = other.resolveSibling(".siderail-${other.fileName}-${System.nanoTime()}.tmp")
                try {
                    Files.createLink(beside, path)
                    Files.move(beside, other, ATOMIC_MOVE)
                } finally {
                    Files.deleteIfExists(beside)
                }
            }
        }
    }
}

package dev.siderail.document

import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.COPY_ATTRIBUTES

/**
 * A file's other names (hard links), as the engine has found them. How the IDE saves, in place or by another file that
 * takes the name, is its setting: so both are seen to here.
 *
 * @property outside some are outside of the project, and keep the old text
 * @property inside all others are in the project, and get the new text
 */
class FileNames(val outside: Boolean = false, val inside: List<Path> = emptyList()) {
    companion object {
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

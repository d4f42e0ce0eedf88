package dev.siderail.document

import dev.siderail.bridge.ToolErrorCode
import java.io.File
import java.io.IOException
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.LinkOption
import java.nio.file.Path

/**
 * A project's base folder, and its content roots elsewhere. Where paths really lead, links and all, the engine has looked up
 * before it asks; here they are only compared with the folders by component.
 */
class ProjectFolder(folder: Path, roots: List<Path> = emptyList()) {
    /** The folder without links. */
    val root: Path = try {
        folder.toRealPath()
    } catch (error: IOException) {
        throw ToolFailure(ToolErrorCode.PROJECT_DISPOSED, "the project folder $folder cannot be used: ${error.message}")
    }

    /** The content roots without links; those that are gone are left out. */
    val further: List<Path> = roots.mapNotNull { root ->
        try {
            root.toRealPath()
        } catch (_: IOException) {
            null
        }
    }

    /** A path inside the project, there or not: relative to it, or absolute. */
    fun resolve(path: String): Place = try {
        confined(root.resolve(path).normalize())
    } catch (error: InvalidPathException) {
        throw ToolFailure.invalid("`$path` is no usable path: ${error.reason}")
    }

    /** An absolute path inside the project. */
    fun confined(absolute: Path): Place =
        Place(absolute, relative(absolute) ?: throw ToolFailure(ToolErrorCode.OUTSIDE_PROJECT, "`$absolute` is outside the project folder $root"))

    /** A canonical path as the tools name it, which is absolute in another content root; null where it is outside. */
    fun relative(absolute: Path): String? = when {
        absolute == root -> "."
        absolute.startsWith(root) -> root.relativize(absolute).joinToString("/")
        further.any(absolute::startsWith) -> absolute.toString().replace(File.separatorChar, '/')
        else -> null
    }
}

/**
 * A path inside the project.
 *
 * @property absolute without links
 * @property relative from the project's folder with `/`; `.` for the folder itself, and absolute in another content root
 * @property name the same as an answer writes it, see [WrittenName]
 */
data class Place(val absolute: Path, val relative: String) {
    val name: String get() = WrittenName.of(relative)
    val exists: Boolean get() = Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)
    val isFolder: Boolean get() = Files.isDirectory(absolute, LinkOption.NOFOLLOW_LINKS)
}

package dev.siderail.document

import dev.siderail.document.ToolFailure.Code
import java.io.File
import java.io.IOException
import java.net.URLDecoder
import java.nio.file.Files
import java.nio.file.LinkOption
import java.nio.file.Path

/**
 * A project's base folder, and where paths really lead from it.
 *
 * A path is followed as the system would follow it: links are replaced by what they point to, dangling ones
 * too, and what does not exist yet is appended as written. The result is compared with the folder by component.
 * Whatever cannot be followed counts as outside. Between the answer and its use somebody else may change a
 * link: this keeps honest tools at home, it is no sandbox.
 */
class ProjectFolder(folder: Path) {
    /** The folder without links. */
    val root: Path = try {
        folder.toRealPath()
    } catch (error: IOException) {
        throw ToolFailure(Code.PROJECT_DISPOSED, "the project folder $folder cannot be used: ${error.message}")
    }

    /** A path inside the project, there or not, links followed. Relative, absolute, or a `file:` address. */
    fun resolve(given: String): Place = confine(given)

    /** A path that the engine has confined already. */
    fun confined(absolute: Path): Place = Place(absolute, relative(absolute) ?: throw outside(absolute.toString()))

    /** A canonical path as the tools name it, or null where it is outside. */
    fun relative(absolute: Path): String? = when {
        absolute == root -> "."
        absolute.startsWith(root) -> root.relativize(absolute).joinToString("/")
        else -> null
    }

    private fun confine(given: String): Place {
        val absolute = try {
            follow(root.resolve(written(given)))
        } catch (error: IOException) {
            throw ToolFailure(
                Code.OUTSIDE_PROJECT,
                "`$given` cannot be followed (${error.message}) and counts as outside the project",
            )
        } catch (error: java.nio.file.InvalidPathException) {
            throw ToolFailure.invalid("`$given` is no usable path: ${error.reason}")
        }
        val relative = relative(absolute) ?: throw outside(given)
        return Place(absolute, relative)
    }

    private fun outside(given: String): ToolFailure {
        // Models take `/src/a` for a path from the project's root.
        val rooted = given.trimStart('/')
        val meant = root.resolve(rooted).normalize()
        val advice = if (rooted != given && meant.startsWith(root) && rooted.isNotEmpty() && Files.exists(meant)) {
            "did you mean ${relative(meant)}?"
        } else {
            "name a path inside the project"
        }
        return ToolFailure(Code.OUTSIDE_PROJECT, "`$given` is outside the project folder $root; $advice")
    }

    private fun written(given: String): String {
        if (given.isEmpty()) throw ToolFailure.invalid("the path is empty")
        WrittenName.unquoted(given)?.let { return it.ifEmpty { throw ToolFailure.invalid("the path is empty") } }
        if (!given.startsWith("file:")) return given
        val path = given.removePrefix("file:").let { if (it.startsWith("//")) it.drop(2).removePrefix("localhost") else it }
        if (!path.startsWith("/")) throw ToolFailure.invalid("`$given` is not a usable file address")
        val decoded = URLDecoder.decode(path.replace("+", "%2B"), Charsets.UTF_8)
        return if (File.separatorChar == '\\') decoded.drop(1) else decoded
    }

    /** Follows an absolute path component by component. */
    private fun follow(path: Path): Path {
        var current = path.root
        val steps = ArrayDeque(path.toList())
        var links = 0
        while (steps.isNotEmpty()) {
            val step = steps.removeFirst()
            when (step.toString()) {
                ".", "" -> continue
                ".." -> {
                    current = current.parent ?: current
                    continue
                }
            }
            val next = current.resolve(step)
            if (!Files.isSymbolicLink(next)) {
                current = next
                continue
            }
            if (++links > MOST_LINKS) throw IOException("too many links")
            val target = Files.readSymbolicLink(next)
            if (target.isAbsolute) current = target.root
            steps.addAll(0, target.toList())
        }
        return real(current)
    }

    /** As the file system spells it, as far as it exists; case counts only where the file system says so. */
    private fun real(path: Path): Path {
        if (Files.exists(path)) return path.toRealPath()
        val parent = path.parent ?: return path
        return real(parent).resolve(path.fileName)
    }

    private companion object {
        const val MOST_LINKS = 40
    }
}

/**
 * A path inside the project.
 *
 * @property absolute without links
 * @property relative from the project's folder with `/`; `.` for the folder itself
 * @property name the same as it stands in an answer, see [WrittenName]
 */
data class Place(val absolute: Path, val relative: String) {
    val name: String get() = WrittenName.of(relative)
    val exists: Boolean get() = Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)
    val isFolder: Boolean get() = Files.isDirectory(absolute, LinkOption.NOFOLLOW_LINKS)
}

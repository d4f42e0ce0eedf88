package dev.siderail.tools

import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.Place
import dev.siderail.document.WrittenName

/** Paths as models see them: from the project's folder, with `/`. */
internal object ProjectPath {
    /** Of a file below a place that [root] is. */
    fun of(place: Place, root: VirtualFile, file: VirtualFile): String {
        val below = file.path.removePrefix(root.path).trimStart('/')
        return when {
            below.isEmpty() -> place.relative
            place.relative == "." -> below
            else -> "${place.relative}/$below"
        }
    }

    /** Of any file, as an answer writes it: relative if it is in the project, else absolute. */
    fun of(call: ToolCall, file: VirtualFile): String = of(call, file.path)

    /** The same of a path as the IDE's file system writes it. */
    fun of(call: ToolCall, path: String): String {
        val root = call.folder.root.toString().replace('\\', '/').trimEnd('/')
        return WrittenName.of(path.removePrefix("$root/"))
    }
}

/**
 * A line's text around a place in it, short enough to show: `tests/boundary/rule.line_excerpts.json` holds this and
 * `search_text` of the engine to one way. Whole letters are counted, however many units one has here.
 */
internal object LineExcerpt {
    private const val LINE = 250
    private const val BEFORE = 80

    fun around(line: String, start: Int): String {
        val before = line.codePointCount(0, start.coerceIn(0, line.length))
        val left = line.offsetByCodePoints(0, if (before > LINE / 2) before - BEFORE else 0)
        val right = line.offsetByCodePoints(left, minOf(LINE, line.codePointCount(left, line.length)))
        val lead = if (left > 0) "…" else ""
        val tail = if (right < line.length) "…" else ""
        return "$lead${line.substring(left, right).trimEnd()}$tail"
    }
}

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

/** A line's text around a place in it, short enough to show. */
internal object LineExcerpt {
    private const val LINE = 250
    private const val BEFORE = 80

    fun around(line: String, start: Int): String {
        val left = if (start > LINE / 2) start - BEFORE else 0
        val shown = line.drop(left).take(LINE)
        val lead = if (left > 0) "…" else ""
        val tail = if (left + shown.length < line.length) "…" else ""
        return "$lead${shown.trimEnd()}$tail"
    }
}

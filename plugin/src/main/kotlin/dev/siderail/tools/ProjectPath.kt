package dev.siderail.tools

import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.Place

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

    /** Of any file: relative where it is in the project, absolute where it is not. */
    fun of(call: ToolCall, file: VirtualFile): String {
        val root = call.folder.root.toString().replace('\\', '/').trimEnd('/')
        return if (file.path.startsWith("$root/")) file.path.removePrefix("$root/") else file.path
    }
}

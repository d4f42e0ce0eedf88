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

    /** Of any file, as it stands in an answer: relative where it is in the project, absolute where it is not. */
    fun of(call: ToolCall, file: VirtualFile): String {
        val root = call.folder.root.toString().replace('\\', '/').trimEnd('/')
        return WrittenName.of(file.path.removePrefix("$root/"))
    }
}

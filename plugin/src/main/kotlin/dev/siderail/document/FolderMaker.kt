package dev.siderail.document

import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.bridge.ToolErrorCode
import java.nio.file.Path

/** Folders that a new or moved file needs: found on a background thread, made in the command that needs them. */
internal class FolderMaker(private val reader: DocumentReader) {
    /** A folder that exists and the names of those that are to be made in it. */
    class Missing(val existing: VirtualFile, private val names: List<String>) {
        /** In a write action. */
        fun make(requestor: Any): VirtualFile = names.fold(existing) { folder, name ->
            folder.findChild(name) ?: folder.createChildDirectory(requestor, name)
        }
    }

    /** For the folder that is to contain [place]. */
    fun nearest(place: Place, patience: Patience): Missing {
        val names = ArrayDeque<String>()
        var folder: Path? = place.absolute.parent
        while (folder != null) {
            val found = Place(folder, place.relative)
            if (found.exists) {
                val file = reader.find(found, patience)
                if (file == null || !file.isDirectory) {
                    throw ToolFailure(ToolErrorCode.IO_ERROR, "cannot write ${place.name}: $folder is not a folder")
                }
                return Missing(file, names)
            }
            names.addFirst(folder.fileName.toString())
            folder = folder.parent
        }
        throw ToolFailure(ToolErrorCode.IO_ERROR, "cannot write ${place.name}: it has no folder")
    }
}

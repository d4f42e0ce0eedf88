package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.ToolFailure.Code
import java.io.IOException

/** Deletes and moves files through the IDE's file system, each as one command that can be undone. */
class FileRelocator(
    private val project: Project,
    private val eventThread: EventThread,
    private val reader: DocumentReader,
) : AgentRequestor {
    private val folders = FolderMaker(reader)

    /** Deletes a file or folder. */
    fun delete(place: Place, patience: Patience) {
        val file = known(place, patience)
        change("delete", listOf(place), "Agent: delete ${file.name}", patience) { file.delete(this) }
    }

    /** Moves or renames; what stands at [to] is replaced where [overwrite] says so. */
    fun move(from: Place, to: Place, overwrite: Boolean, patience: Patience) {
        val file = known(from, patience)
        val replaced = if (to.exists) known(to, patience) else null
        if (replaced != null && !overwrite) throw occupied(to)
        if (replaced?.isDirectory == true) throw ToolFailure.invalid("${to.name} is a folder and is not replaced")
        val folder = folders.nearest(to, patience)
        change("move", listOf(from, to), "Agent: move ${file.name}", patience) {
            replaced?.delete(this)
            moveInto(file, folder.make(this), to.absolute.fileName.toString())
        }
    }

    /** Moving keeps the name and renaming the folder, so a name in use on the way is stepped around. */
    private fun moveInto(file: VirtualFile, folder: VirtualFile, name: String) {
        val needsMove = file.parent != folder
        if (needsMove && file.name != name && folder.findChild(file.name) != null) {
            val free = generateSequence(0) { it + 1 }.map { "$name.moved$it" }
                .first { folder.findChild(it) == null && file.parent.findChild(it) == null }
            file.rename(this, free)
        }
        if (needsMove) file.move(this, folder)
        if (file.name != name) file.rename(this, name)
    }

    private fun change(attempt: String, places: List<Place>, name: String, patience: Patience, work: () -> Unit) {
        eventThread.run(patience) {
            AgentChanges.during(places) {
                Command.run(project, name) {
                    try {
                        ApplicationManager.getApplication().runWriteAction<Unit, IOException> { work() }
                    } catch (error: IOException) {
                        throw ToolFailure.io(attempt, places.first().name, error)
                    }
                }
            }
        }
        PendingWrites.flush()
    }

    private fun known(place: Place, patience: Patience): VirtualFile = reader.find(place, patience)
        ?: throw ToolFailure(Code.FILE_NOT_FOUND, "${place.name} is not known to the IDE")

    private fun occupied(to: Place) =
        ToolFailure.invalid("${to.name} exists; set overwrite to replace it, or choose another name")
}

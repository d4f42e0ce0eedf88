package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.ProjectLevelVcsManager
import com.intellij.openapi.vfs.VfsUtil
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.bridge.ToolErrorCode
import java.io.IOException
import java.nio.file.Files
import java.nio.file.StandardCopyOption

/**
 * Deletes and moves files through the IDE's file system, each as one command that can be undone; but on the disk where
 * version control would ask about a move.
 *
 * @param versionControl the one that a file is under, or null; in a read action
 */
class FileRelocator(
    private val project: Project,
    private val eventThread: EventThread,
    private val reader: DocumentReader,
    private val versionControl: (VirtualFile) -> Any? = { project.getService(ProjectLevelVcsManager::class.java)?.getVcsFor(it) },
) : AgentRequestor {
    private val folders = FolderMaker(reader)

    /** Deletes a file or folder. */
    fun delete(place: Place, patience: Patience) {
        val file = known(place, patience)
        change("delete", listOf(place), "Agent: delete ${file.name}", patience) { file.delete(this) }
    }

    /** Moves or renames; an existing [to] is replaced if [overwrite] says so. */
    fun move(from: Place, to: Place, overwrite: Boolean, patience: Patience) {
        val file = known(from, patience)
        val replaced = if (to.exists) known(to, patience) else null
        if (replaced != null && !overwrite) throw occupied(to)
        if (replaced?.isDirectory == true) throw ToolFailure.invalid("${to.name} is a folder and is not replaced")
        val folder = folders.nearest(to, patience)
        if (BackgroundRead.of { versionControl(file) != versionControl(folder.existing) }) {
            return moveOnDisk(file, from, replaced, to, folder.existing, patience)
        }
        change("move", listOf(from, to), "Agent: move ${file.name}", patience) {
            replaced?.delete(this)
            moveInto(file, folder.make(this), to.absolute.fileName.toString())
        }
    }

    /**
     * As a program would do it. Version control asks in a modal dialog about what the IDE moves into it or out of it, and
     * does not ask [UnaskedFiles] before. The IDE cannot undo it.
     */
    private fun moveOnDisk(file: VirtualFile, from: Place, replaced: VirtualFile?, to: Place, into: VirtualFile, patience: Patience) {
        val changed = listOfNotNull(file.parent, into, replaced)
        eventThread.run(patience) { listOfNotNull(file, replaced).forEach(::save) }
        PendingWrites.flush()
        try {
            Files.createDirectories(to.absolute.parent)
            if (replaced == null) Files.move(from.absolute, to.absolute)
            else Files.move(from.absolute, to.absolute, StandardCopyOption.REPLACE_EXISTING)
        } catch (error: IOException) {
            throw ToolFailure.io("move", from.name, error)
        }
        VfsUtil.markDirty(false, true, *changed.toTypedArray())
        changed.forEach { it.refresh(false, false) }
    }

    /** What is typed in a file, or in those of a folder. On the event dispatch thread. */
    private fun save(file: VirtualFile) {
        val documents = FileDocumentManager.getInstance()
        fun isWithin(path: String) = path == file.path || path.startsWith("${file.path}/")
        fun unsaved() = documents.unsavedDocuments.filter { document -> documents.getFile(document)?.let { isWithin(it.path) } == true }
        unsaved().forEach(documents::saveDocument)
        if (unsaved().isNotEmpty()) throw ToolFailure(ToolErrorCode.IO_ERROR, "${file.name} was not moved: what is typed there could not be saved")
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
        ?: throw ToolFailure(ToolErrorCode.FILE_NOT_FOUND, "${place.name} is not known to the IDE")

    private fun occupied(to: Place) =
        ToolFailure.invalid("${to.name} exists; set overwrite to replace it, or choose another name")
}

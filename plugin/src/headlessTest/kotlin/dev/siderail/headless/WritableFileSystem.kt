package dev.siderail.headless

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.ProjectManager
import com.intellij.openapi.vfs.VfsUtilCore
import com.intellij.openapi.vfs.VFileProperty
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.openapi.vfs.VirtualFileManager
import com.intellij.openapi.vfs.local.CoreLocalFileSystem
import com.intellij.openapi.vfs.local.CoreLocalVirtualFile
import com.intellij.openapi.vfs.newvfs.events.VFileCreateEvent
import com.intellij.openapi.vfs.newvfs.events.VFileDeleteEvent
import com.intellij.openapi.vfs.newvfs.events.VFileEvent
import com.intellij.openapi.vfs.newvfs.events.VFileMoveEvent
import com.intellij.openapi.vfs.newvfs.events.VFilePropertyChangeEvent
import com.intellij.psi.PsiDocumentManager
import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.io.OutputStream
import java.nio.file.FileAlreadyExistsException
import java.nio.file.Files
import java.nio.file.LinkOption
import java.nio.file.Path

/**
 * The platform's local file system for tests, which only reads, made to write. It knows the disk as it was last
 * refreshed, as the IDE's does, and tells of what is created, deleted and moved through it, before it happens.
 */
class WritableFileSystem : CoreLocalFileSystem() {
    private val known = HashMap<String, Known>()

    @Synchronized
    override fun findFileByIoFile(file: File): VirtualFile? {
        known[file.path]?.let { if (it.isValid) return it }
        if (!Files.exists(file.toPath(), LinkOption.NOFOLLOW_LINKS)) return null
        return Known(file).also { known[file.path] = it }
    }

    override fun findFileByPath(path: String): VirtualFile? = findFileByIoFile(File(path))

    override fun refreshAndFindFileByPath(path: String): VirtualFile? = findFileByPath(path)

    override fun isReadOnly() = false

    override fun createChildFile(requestor: Any?, parent: VirtualFile, name: String): VirtualFile {
        tell(VFileCreateEvent(requestor, parent, name, false, null, null, false, null))
        val path = inWriteAction { Files.createFile(File(parent.path, name).toPath()) }
        return checkNotNull(findFileByIoFile(path.toFile()))
    }

    override fun createChildDirectory(requestor: Any?, parent: VirtualFile, name: String): VirtualFile {
        val path = inWriteAction { Files.createDirectory(File(parent.path, name).toPath()) }
        return checkNotNull(findFileByIoFile(path.toFile()))
    }

    override fun deleteFile(requestor: Any?, file: VirtualFile) {
        tell(VFileDeleteEvent(requestor, file, false))
        // Not by way of links, as the IDE does not either.
        inWriteAction { Files.walk(Path.of(file.path)).use { all -> all.sorted(Comparator.reverseOrder()).forEach(Files::delete) } }
    }

    override fun moveFile(requestor: Any?, file: VirtualFile, newParent: VirtualFile) {
        tell(VFileMoveEvent(requestor, file, newParent))
        relocate(file, File(newParent.path, file.name))
    }

    override fun renameFile(requestor: Any?, file: VirtualFile, newName: String) {
        tell(VFilePropertyChangeEvent(requestor, file, VirtualFile.PROP_NAME, file.name, newName, false))
        relocate(file, File(file.parent.path, newName))
    }

    /** Before it happens, as the IDE tells of it. */
    private fun tell(event: VFileEvent) =
        ApplicationManager.getApplication().messageBus.syncPublisher(VirtualFileManager.VFS_CHANGES).before(listOf(event))

    private fun relocate(file: VirtualFile, to: File) {
        if (file !is Known) error("$file is not of this file system")
        if (to.exists()) throw FileAlreadyExistsException(to.path)
        inWriteAction { Files.move(file.place.toPath(), to.toPath()) }
        synchronized(this) {
            known.remove(file.place.path)
            file.place = to
            known[to.path] = file
        }
    }

    @Synchronized
    private fun below(folder: String): List<VirtualFile> =
        known.values.filter { it.path.startsWith("$folder/") && it.isValid && !it.isDirectory }

    private fun <T> inWriteAction(work: () -> T): T {
        ApplicationManager.getApplication().assertWriteAccessAllowed()
        return work()
    }

    /** A file as it was when it was last looked at. */
    private inner class Known(var place: File) : CoreLocalVirtualFile(this@WritableFileSystem, place) {
        private var stamp = 1L
        private var time = place.lastModified()
        private var size = place.length()

        override fun getName(): String = place.name

        override fun getPath(): String = place.path

        override fun getParent(): VirtualFile? = place.parentFile?.let(::findFileByIoFile)

        override fun isDirectory() = place.isDirectory

        override fun isValid() = place.exists()

        override fun `is`(property: VFileProperty) = when (property) {
            VFileProperty.SPECIAL -> isValid && !place.isFile && !place.isDirectory
            VFileProperty.SYMLINK -> Files.isSymbolicLink(place.toPath())
            else -> false
        }

        override fun isWritable() = place.canWrite() && ownerMayWrite()

        /** The superuser may write anything; a read-only file is read-only all the same. */
        private fun ownerMayWrite() = Files.getPosixFilePermissions(place.toPath()).any { it.name.endsWith("_WRITE") }

        override fun getChildren(): Array<VirtualFile> =
            place.listFiles().orEmpty().sorted().mapNotNull(::findFileByIoFile).toTypedArray()

        override fun contentsToByteArray(): ByteArray = place.readBytes()

        override fun getInputStream() = place.inputStream()

        override fun getModificationStamp() = stamp

        override fun getTimeStamp() = time

        override fun getLength() = size

        override fun getOutputStream(requestor: Any?, newStamp: Long, newTime: Long): OutputStream {
            if (!isWritable) throw IOException("$place is read-only")
            val stream = object : FileOutputStream(place) {
                override fun close() {
                    super.close()
                    stamp = if (newStamp > 0) newStamp else stamp + 1
                    time = place.lastModified()
                    size = place.length()
                }
            }
            return VfsUtilCore.outputStreamAddingBOM(stream, this)
        }

        override fun refresh(asynchronous: Boolean, recursive: Boolean, postRunnable: Runnable?) {
            if (isDirectory) {
                if (recursive) below(path).forEach { it.refresh(asynchronous, false, null) }
            } else if (time != place.lastModified() || size != place.length()) {
                stamp++
                time = place.lastModified()
                size = place.length()
                val application = ApplicationManager.getApplication()
                check(!application.isReadAccessAllowed || application.isDispatchThread) { "no refresh in a read action" }
                application.invokeAndWait {
                    application.runWriteAction { FileDocumentManager.getInstance().reloadFiles(this) }
                    ProjectManager.getInstance().openProjects.forEach { PsiDocumentManager.getInstance(it).commitAllDocuments() }
                }
            }
            postRunnable?.run()
        }

        override fun equals(other: kotlin.Any?) = this === other

        override fun hashCode() = System.identityHashCode(this)
    }
}

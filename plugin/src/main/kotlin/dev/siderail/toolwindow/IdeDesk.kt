package dev.siderail.toolwindow

import com.intellij.diff.DiffContentFactory
import com.intellij.diff.DiffDialogHints
import com.intellij.diff.DiffManager
import com.intellij.diff.chains.SimpleDiffRequestChain
import com.intellij.diff.requests.DiffRequest
import com.intellij.diff.requests.SimpleDiffRequest
import com.intellij.openapi.fileChooser.FileChooser
import com.intellij.openapi.fileChooser.FileChooserDescriptor
import com.intellij.openapi.fileChooser.FileChooserFactory
import com.intellij.openapi.fileChooser.FileSaverDescriptor
import com.intellij.openapi.fileEditor.OpenFileDescriptor
import com.intellij.openapi.fileTypes.FileTypeRegistry
import com.intellij.openapi.options.ShowSettingsUtil
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VfsUtilCore
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.settings.SiderailConfigurable
import dev.siderail.ui.Texts
import java.nio.file.Path

/** What opens in the IDE: editors, diffs, dialogs. On the event dispatch thread with its lock. */
internal interface IdeDesk {
    /** [line] counts from 0. */
    fun openFile(file: VirtualFile, line: Int)

    fun showDiff(title: String, changes: List<FileChange>)

    /** As it is written below the project, or its whole path; null where the person chose none. */
    fun chooseFile(): String?

    fun chooseTarget(name: String): Path?

    fun openSettings()
}

/** The IDE's own. */
internal class OpenDesk(private val project: Project) : IdeDesk {
    override fun openFile(file: VirtualFile, line: Int) = OpenFileDescriptor(project, file, line, 0).navigate(true)

    override fun showDiff(title: String, changes: List<FileChange>) {
        val requests = changes.map { request(title, it) }
        DiffManager.getInstance().showDiff(project, SimpleDiffRequestChain(requests), DiffDialogHints.DEFAULT)
    }

    private fun request(title: String, change: FileChange): DiffRequest {
        val factory = DiffContentFactory.getInstance()
        val type = FileTypeRegistry.getInstance().getFileTypeByFileName(change.path.substringAfterLast('/'))
        return SimpleDiffRequest(
            title,
            factory.create(project, change.before.orEmpty(), type),
            factory.create(project, change.after, type),
            Texts["diff.before"],
            Texts["diff.after"],
        )
    }

    override fun chooseFile(): String? {
        val base = project.basePath?.let { StandardFileSystems.local().findFileByPath(it) }
        val descriptor = FileChooserDescriptor(true, false, false, false, false, false)
        val file = FileChooser.chooseFile(descriptor, project, base) ?: return null
        return base?.let { VfsUtilCore.getRelativePath(file, it) } ?: file.path
    }

    override fun chooseTarget(name: String): Path? {
        val descriptor = FileSaverDescriptor(Texts["save.title"], "")
        val none: VirtualFile? = null
        return FileChooserFactory.getInstance().createSaveFileDialog(descriptor, project).save(none, name)?.file?.toPath()
    }

    override fun openSettings() = ShowSettingsUtil.getInstance().showSettingsDialog(project, SiderailConfigurable::class.java)
}

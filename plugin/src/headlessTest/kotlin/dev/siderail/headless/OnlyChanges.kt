package dev.siderail.headless

import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.vcs.AbstractVcs
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.FileStatus
import com.intellij.openapi.vcs.changes.Change
import com.intellij.openapi.vcs.changes.ChangeListListener
import com.intellij.openapi.vcs.changes.ChangeListManager
import com.intellij.openapi.vcs.changes.CommitExecutor
import com.intellij.openapi.vcs.changes.IgnoredFileBean
import com.intellij.openapi.vcs.changes.InvokeAfterUpdateMode
import com.intellij.openapi.vcs.changes.LocalChangeList
import com.intellij.openapi.vcs.changes.VcsDirtyScopeManager
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.util.Consumer
import com.intellij.util.ThreeState
import java.io.File

/** Version control that knows uncommitted changes and nothing else. */
internal class OnlyChanges(private val changes: Collection<Change>) : ChangeListManager() {
    override fun getAllChanges() = changes

    override fun scheduleUpdate() = Unit
    override fun invokeAfterUpdate(after: Runnable, mode: InvokeAfterUpdateMode, title: String?, state: ModalityState?) = absent()
    override fun invokeAfterUpdate(after: Runnable, mode: InvokeAfterUpdateMode, title: String?, dirty: Consumer<in VcsDirtyScopeManager>?, state: ModalityState?) = absent()
    override fun getChangeListsNumber() = absent()
    override fun getChangeLists(): List<LocalChangeList> = absent()
    override fun getChangeLists(change: Change): List<LocalChangeList> = absent()
    override fun getChangeLists(file: VirtualFile): List<LocalChangeList> = absent()
    override fun getDefaultChangeList() = absent()
    override fun getDefaultListName() = absent()
    override fun getAffectedPaths(): List<File> = absent()
    override fun getAffectedFiles(): List<VirtualFile> = absent()
    override fun isFileAffected(file: VirtualFile) = absent()
    override fun findChangeList(name: String?) = absent()
    override fun getChangeList(id: String?) = absent()
    override fun getChangeList(change: Change) = absent()
    override fun getChangeList(file: VirtualFile) = absent()
    override fun getChangeListNameIfOnlyOne(some: Array<Change>?) = absent()
    override fun getChange(file: VirtualFile) = absent()
    override fun getChange(file: FilePath?) = absent()
    override fun getStatus(file: VirtualFile): FileStatus = absent()
    override fun isUnversioned(file: VirtualFile?) = absent()
    override fun getChangesIn(folder: VirtualFile): Collection<Change> = absent()
    override fun getChangesIn(folder: FilePath): Collection<Change> = absent()
    override fun haveChangesUnder(file: VirtualFile): ThreeState = absent()
    override fun getVcsFor(change: Change): AbstractVcs? = absent()
    override fun addChangeListListener(listener: ChangeListListener, parent: Disposable) = absent()
    override fun addChangeListListener(listener: ChangeListListener) = absent()
    override fun removeChangeListListener(listener: ChangeListListener) = absent()
    override fun registerCommitExecutor(executor: CommitExecutor) = absent()
    override fun commitChanges(list: LocalChangeList, some: List<Change>) = absent()
    override fun getRegisteredExecutors(): List<CommitExecutor> = absent()
    override fun scheduleAutomaticEmptyChangeListDeletion(list: LocalChangeList) = absent()
    override fun scheduleAutomaticEmptyChangeListDeletion(list: LocalChangeList, silently: Boolean) = absent()
    override fun getFilesToIgnore(): Array<IgnoredFileBean> = absent()
    override fun setFilesToIgnore(vararg files: IgnoredFileBean) = absent()
    override fun addFilesToIgnore(vararg files: IgnoredFileBean) = absent()
    override fun isIgnoredFile(file: VirtualFile) = absent()
    override fun isIgnoredFile(file: FilePath) = absent()
    override fun addDirectoryToIgnoreImplicitly(path: String) = absent()
    override fun removeImplicitlyIgnoredDirectory(path: String) = absent()
    override fun getModifiedWithoutEditing(): List<VirtualFile> = absent()
    override fun getSwitchedBranch(file: VirtualFile) = absent()
    override fun isFreezed() = absent()
    override fun isFreezedWithNotification(title: String?) = absent()
    override fun reopenFiles(paths: List<FilePath>) = absent()
    override fun addChangeList(name: String, comment: String?) = absent()
    override fun setDefaultChangeList(name: String) = absent()
    override fun setDefaultChangeList(list: LocalChangeList) = absent()
    override fun removeChangeList(name: String) = absent()
    override fun removeChangeList(list: LocalChangeList) = absent()
    override fun moveChangesTo(list: LocalChangeList, vararg some: Change) = absent()
    override fun setReadOnly(name: String, value: Boolean) = absent()
    override fun editName(from: String, to: String) = absent()
    override fun editComment(from: String, to: String?) = absent()

    private fun absent(): Nothing = throw UnsupportedOperationException("nobody asks version control for more than changes")
}

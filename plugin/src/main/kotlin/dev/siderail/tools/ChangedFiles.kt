package dev.siderail.tools

import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.vfs.StandardFileSystems
import dev.siderail.bridge.HostReply
import dev.siderail.document.FileBefore

/** What a command of the IDE has changed, for the engine, which knows only the files that a call names. */
internal object ChangedFiles {
    /** Sorted, named as in answers. */
    fun of(call: ToolCall, before: List<FileBefore>): List<HostReply.Before> =
        before.map { HostReply.Before(ProjectPath.of(call, it.path), it.existed, it.text) }.sortedBy { it.path }

    /** Saves what was changed in editors. On the event dispatch thread. */
    fun save(before: List<FileBefore>) {
        val documents = FileDocumentManager.getInstance()
        before.mapNotNull { StandardFileSystems.local().findFileByPath(it.path) }
            .mapNotNull(documents::getCachedDocument).forEach(documents::saveDocument)
    }
}

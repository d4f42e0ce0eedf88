package dev.siderail.document

import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.VcsFileListenerIgnoredFilesProvider
import java.util.concurrent.ConcurrentHashMap

/** Creates or deletes files for agents: the requestor of such changes. */
internal interface AgentRequestor

/**
 * The paths that the running command creates or deletes for an agent.
 *
 * When a command ends, version control asks the person whether to add new files and remove deleted ones, in a modal
 * dialog. That dialog would block every later write of the agent, and a person does not expect it from work in the
 * background: the files stay unversioned until somebody commits them.
 */
internal object AgentChanges {
    private val paths: MutableSet<String> = ConcurrentHashMap.newKeySet()

    /** Runs [work], which changes files at [places]. On the event dispatch thread. */
    fun during(places: List<Place>, work: () -> Unit) {
        val here = places.map { it.absolute.toString().replace('\\', '/') }
        paths += here
        try {
            work()
        } finally {
            paths -= here.toSet()
        }
    }

    operator fun contains(path: String): Boolean = path in paths
}

/** Keeps version control from asking about what an agent creates or deletes. */
internal class UnaskedFiles : VcsFileListenerIgnoredFilesProvider {
    override fun isDeletionIgnored(project: Project, filePath: FilePath) = filePath.path in AgentChanges

    override fun isAdditionIgnored(project: Project, filePath: FilePath) = filePath.path in AgentChanges

    /** Later platforms ask this instead, maybe after the command; there it overrides. */
    @Suppress("unused")
    fun isDeletionIgnored(project: Project, filePath: FilePath, requestor: Any?) =
        requestor is AgentRequestor || isDeletionIgnored(project, filePath)

    @Suppress("unused")
    fun isAdditionIgnored(project: Project, filePath: FilePath, requestor: Any?) =
        requestor is AgentRequestor || isAdditionIgnored(project, filePath)
}

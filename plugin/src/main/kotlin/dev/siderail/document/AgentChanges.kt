package dev.siderail.document

import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.VcsFileListenerIgnoredFilesProvider
import com.intellij.util.concurrency.AppExecutorUtil
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit

/** Creates or deletes files for agents: the requestor of such changes. */
internal interface AgentRequestor

/**
 * The files that the running command creates or deletes for an agent.
 *
 * When a command ends, version control asks the person whether to add new files and remove deleted ones, in a modal
 * dialog. That dialog would block every later write of the agent, and a person does not expect it from work in the
 * background: the files stay unversioned until somebody commits them.
 */
internal object AgentChanges {
    private val paths: MutableSet<String> = ConcurrentHashMap.newKeySet()

    /** What commands have just changed that nobody could name beforehand. */
    private val recent: MutableSet<String> = ConcurrentHashMap.newKeySet()

    @Volatile
    private var isAny = false

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

    /**
     * Runs [work], a command that may change any file, and returns what it changed. On the event dispatch thread: nobody
     * else changes files there meanwhile.
     */
    fun duringAny(work: () -> List<FileBefore>): List<FileBefore> {
        isAny = true
        val changed = try {
            work()
        } finally {
            isAny = false
        }
        // Later platforms may ask when the command is over.
        val these = changed.map { it.path }.toSet()
        recent += these
        AppExecutorUtil.getAppScheduledExecutorService().schedule({ recent -= these }, RECENT_S, TimeUnit.SECONDS)
        return changed
    }

    operator fun contains(path: String): Boolean = isAny || path in paths || path in recent

    private const val RECENT_S = 10L
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

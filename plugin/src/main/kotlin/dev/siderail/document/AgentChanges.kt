package dev.siderail.document

import com.intellij.openapi.project.Project
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.VcsFileListenerIgnoredFilesProvider
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

    /** Paths that [duringAny] has just changed, and until when nobody is asked about them, in [System.nanoTime]. */
    private val recent = ConcurrentHashMap<String, Long>()

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
     * else changes files there meanwhile. If [work] throws, what it changed until then is remembered all the same.
     */
    fun duringAny(files: FilesBefore, work: () -> Unit): List<FileBefore> {
        isAny = true
        try {
            return files.during(work)
        } finally {
            isAny = false
            // Later platforms may ask when the command is over.
            remember(files.changed.map { it.path })
        }
    }

    private fun remember(changed: List<String>) {
        val now = System.nanoTime()
        recent.values.removeIf { it - now <= 0 }
        for (path in changed) recent[path] = now + RECENT_NS
    }

    operator fun contains(path: String): Boolean = isAny || path in paths || isRecent(path)

    private fun isRecent(path: String): Boolean {
        val until = recent[path] ?: return false
        return until - System.nanoTime() > 0
    }

    private val RECENT_NS = TimeUnit.SECONDS.toNanos(10)
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

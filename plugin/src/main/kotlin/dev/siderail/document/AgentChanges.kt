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

    /** What [duringAny] has just changed. */
    private val recent = RecentPaths()

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
            recent.remember(files.changed.map { it.path })
        }
    }

    operator fun contains(path: String): Boolean = isAny || path in paths || path in recent
}

/** Paths about which nobody is asked for a while; [now] as [System.nanoTime] says it. */
internal class RecentPaths(private val now: () -> Long = System::nanoTime) {
    /** Until when, by path. */
    private val deadlines = ConcurrentHashMap<String, Long>()

    val size: Int get() = deadlines.size

    fun remember(paths: List<String>) {
        val time = now()
        deadlines.values.removeIf { it - time <= 0 }
        for (path in paths) deadlines[path] = time + LONG_NS
    }

    operator fun contains(path: String): Boolean {
        val deadline = deadlines[path] ?: return false
        return deadline - now() > 0
    }

    private companion object {
        val LONG_NS = TimeUnit.SECONDS.toNanos(10)
    }
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

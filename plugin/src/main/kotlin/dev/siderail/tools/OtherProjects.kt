package dev.siderail.tools

import com.intellij.ide.RecentProjectsManagerBase
import com.intellij.openapi.project.Project
import com.intellij.openapi.project.ProjectManager
import com.intellij.openapi.util.SystemInfoRt

/**
 * The folders of the other projects that the IDE knows, [open] and [recent] ones, with `/` between names. A project that
 * contains this one is not among them: what is said of its folder may be said of this project.
 */
internal class OtherProjects(private val own: String, private val open: () -> List<String>, private val recent: () -> List<String>) {
    constructor(project: Project) : this(
        project.basePath.orEmpty(),
        { ProjectManager.getInstance().openProjects.filter { it != project }.mapNotNull { it.basePath } },
        { RecentProjectsManagerBase.instanceEx.getRecentPaths() },
    )

    fun folders(): List<String> = (open() + recent().map(::folder).filterNot { isIn(it, own) })
        .map { it.trimEnd('/') }.filter { '/' in it && !isIn(own, it) }.distinct()

    /** A project may be known by a file in its folder. */
    private fun folder(path: String) = if (PROJECT_FILES.any { path.endsWith(it) }) path.substringBeforeLast('/') else path

    private fun isIn(path: String, folder: String) = "$path/".startsWith("${folder.trimEnd('/')}/", ignoreCase = !SystemInfoRt.isFileSystemCaseSensitive)

    private companion object {
        val PROJECT_FILES = listOf(".ipr", ".sln", ".slnx")
    }
}

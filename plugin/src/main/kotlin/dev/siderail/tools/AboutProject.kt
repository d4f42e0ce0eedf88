package dev.siderail.tools

import com.intellij.openapi.application.ApplicationInfo
import com.intellij.openapi.module.ModuleManager
import com.intellij.openapi.project.DumbService
import com.intellij.openapi.project.Project

/** What the IDE adds to `get_project_info`, each a line. */
internal object AboutProject {
    private const val MOST_NAMED = 30

    fun lines(project: Project): List<String> {
        val modules = project.getService(ModuleManager::class.java)?.modules.orEmpty().map { it.name }.sorted()
        return listOfNotNull(
            ApplicationInfo.getInstance()?.let { "IDE: ${it.versionName} ${it.fullVersion}" },
            "modules of the IDE (${modules.size}): ${named(modules)}".takeIf { modules.size > 1 },
            "The IDE is indexing: symbols and references are not known yet.".takeIf { DumbService.isDumb(project) },
        )
    }

    private fun named(modules: List<String>): String {
        val more = modules.size - MOST_NAMED
        return modules.take(MOST_NAMED).joinToString(", ") + if (more > 0) " and $more more" else ""
    }
}

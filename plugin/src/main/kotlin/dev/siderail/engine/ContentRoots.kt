package dev.siderail.engine

import com.intellij.openapi.project.Project
import com.intellij.openapi.roots.ModuleRootEvent
import com.intellij.openapi.roots.ModuleRootListener
import com.intellij.openapi.roots.ProjectRootManager
import com.intellij.openapi.vfs.StandardFileSystems
import dev.siderail.document.BackgroundRead
import java.nio.file.Path
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Content roots and attached projects that are not below the project's own folder, as the person has set up the project. Which of
 * them count is the engine's to say.
 */
internal class ContentRoots(private val project: Project) {
    private val watchers = CopyOnWriteArrayList<() -> Unit>()

    /** On a background thread, outside of read actions. */
    fun further(): List<Path> {
        val base = project.basePath ?: return emptyList()
        val roots = BackgroundRead.of { ProjectRootManager.getInstance(project).contentRoots.filter { it.fileSystem.protocol == StandardFileSystems.FILE_PROTOCOL } }
        return outside(base, roots.map { it.path }).map(Path::of)
    }

    /** [watcher] is called when they may have changed, in a write action: it must be quick. */
    fun watch(watcher: () -> Unit) {
        watchers += watcher
    }

    fun changed() = watchers.forEach { it() }

    companion object {
        /** Those of [roots] that are not below [base], nor below each other. */
        fun outside(base: String, roots: List<String>): List<String> {
            val others = roots.filter { it != base && !it.startsWith("$base/") }
            return others.filter { root -> others.none { it != root && root.startsWith("$it/") } }
        }
    }
}

/** Registered in `plugin.xml`: the platform that this is compiled against has no constant of the topic. */
internal class ContentRootsListener(private val project: Project) : ModuleRootListener {
    override fun rootsChanged(event: ModuleRootEvent) {
        project.getService(ContentRoots::class.java)?.changed()
    }
}

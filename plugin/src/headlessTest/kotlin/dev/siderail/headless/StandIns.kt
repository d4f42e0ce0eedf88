package dev.siderail.headless

import com.intellij.ide.impl.OpenProjectTask
import com.intellij.openapi.Disposable
import com.intellij.openapi.ide.CopyPasteManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.project.ProjectLocator
import com.intellij.openapi.project.ProjectManagerListener
import com.intellij.openapi.project.VetoableProjectManagerListener
import com.intellij.openapi.project.ex.ProjectManagerEx
import com.intellij.openapi.vfs.VirtualFile
import java.awt.datatransfer.DataFlavor
import java.awt.datatransfer.Transferable
import java.lang.reflect.Proxy
import java.nio.file.Path

/** Services that undo and formatting ask for and that have nothing to say in a test. */
internal object StandIns {
    /** An interface whose functions answer nothing: null, false, 0. */
    fun <T : Any> quiet(type: Class<T>, answers: Map<String, Any?> = emptyMap()): T = type.cast(
        Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { proxy, method, arguments ->
            when {
                method.name in answers -> answers[method.name]
                method.name == "hashCode" -> System.identityHashCode(proxy)
                method.name == "equals" -> proxy === arguments[0]
                method.name == "toString" -> "a stand-in for ${type.simpleName}"
                method.returnType == Boolean::class.javaPrimitiveType -> false
                method.returnType == Int::class.javaPrimitiveType -> 0
                method.returnType == Long::class.javaPrimitiveType -> 0L
                else -> null
            }
        },
    )
}

/** Knows one open project. */
internal class OneProject(private val project: Project) : ProjectManagerEx() {
    override fun getOpenProjects() = arrayOf(project)

    override fun getDefaultProject() = project

    override fun isProjectOpened(other: Project) = other === project

    override fun isDefaultProjectInitialized() = false

    override fun canClose(other: Project) = true

    override fun findOpenProjectByHash(hash: String?): Project? = null

    override fun getAllExcludedUrls(): Array<String> = emptyArray()

    override fun openTestProject(other: Project) = Unit

    override fun addProjectManagerListener(listener: ProjectManagerListener) = Unit

    override fun addProjectManagerListener(listener: VetoableProjectManagerListener) = Unit

    override fun addProjectManagerListener(listener: ProjectManagerListener, parent: Disposable) = Unit

    override fun addProjectManagerListener(other: Project, listener: ProjectManagerListener) = Unit

    override fun removeProjectManagerListener(listener: ProjectManagerListener) = Unit

    override fun removeProjectManagerListener(listener: VetoableProjectManagerListener) = Unit

    override fun removeProjectManagerListener(other: Project, listener: ProjectManagerListener) = Unit

    override fun loadAndOpenProject(path: String): Project = absent()

    override fun loadAndOpenProject(path: Path): Project = absent()

    override fun closeProject(other: Project): Boolean = absent()

    override fun reloadProject(other: Project): Unit = absent()

    override fun createProject(name: String?, path: String): Project = absent()

    override fun newProject(name: String?, path: String, useDefault: Boolean, isDummy: Boolean): Project = absent()

    override fun newProject(path: Path, name: String?, task: OpenProjectTask): Project = absent()

    override fun loadProject(path: Path, name: String?): Project = absent()

    override fun openProject(other: Project): Boolean = absent()

    override fun forceCloseProject(other: Project): Boolean = absent()

    override fun closeAndDisposeAllProjects(check: Boolean): Boolean = absent()

    override fun closeAndDispose(other: Project): Boolean = absent()

    private fun absent(): Nothing = throw UnsupportedOperationException("projects are not opened or closed in these tests")
}

/** Every file belongs to the one project. */
internal class OneLocator(private val project: Project) : ProjectLocator() {
    override fun guessProjectForFile(file: VirtualFile?) = project

    override fun getProjectsForFile(file: VirtualFile): Collection<Project> = listOf(project)
}

/** An empty clipboard. */
internal class NoClipboard : CopyPasteManager() {
    override fun addContentChangedListener(listener: ContentChangedListener) = Unit

    override fun addContentChangedListener(listener: ContentChangedListener, parent: Disposable) = Unit

    override fun removeContentChangedListener(listener: ContentChangedListener) = Unit

    override fun areDataFlavorsAvailable(vararg flavors: DataFlavor) = false

    override fun getContents(): Transferable? = null

    override fun <T : Any?> getContents(flavor: DataFlavor): T? = null

    override fun getAllContents(): Array<Transferable> = emptyArray()

    override fun setContents(content: Transferable) = Unit

    override fun isCutElement(element: Any?) = false

    override fun stopKillRings() = Unit
}

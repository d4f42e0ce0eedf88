package dev.siderail.headless

import java.util.concurrent.CopyOnWriteArrayList
import com.intellij.openapi.application.ApplicationManager
import com.intellij.history.LocalHistoryAction
import com.intellij.history.LocalHistory
import com.intellij.history.Label
import com.intellij.history.FileRevisionTimestampComparator
import com.intellij.ide.TypePresentationService
import com.intellij.ide.impl.OpenProjectTask
import com.intellij.openapi.Disposable
import com.intellij.openapi.editor.Caret
import com.intellij.openapi.editor.Editor
import com.intellij.openapi.fileEditor.EditorDataProvider
import com.intellij.openapi.fileEditor.FileEditor
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.fileEditor.OpenFileDescriptor
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
import javax.swing.Icon
import javax.swing.JComponent

/** Services that undo and formatting ask for and that have nothing to say in a test. */
internal object StandIns {
    /** An interface whose functions answer nothing: null, false, 0. Yes-or-no questions may be answered by [says], others by name. */
    fun <T : Any> quiet(type: Class<T>, answers: Map<String, Any> = emptyMap(), says: (Any?) -> Boolean = { false }): T = type.cast(
        Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { proxy, method, arguments ->
            when {
                method.name == "hashCode" -> System.identityHashCode(proxy)
                method.name == "equals" -> proxy === arguments[0]
                method.name == "toString" -> "a stand-in for ${type.simpleName}"
                method.name in answers -> answers[method.name]
                method.returnType == Boolean::class.javaPrimitiveType -> says(arguments?.firstOrNull())
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

/** A Local History that keeps labels and no texts. */
internal object LabelsOnly : LocalHistory() {
    val labels = CopyOnWriteArrayList<String>()

    override fun startAction(name: String?): LocalHistoryAction = LocalHistoryAction.NULL

    override fun putSystemLabel(project: Project, name: String, color: Int): Label {
        ApplicationManager.getApplication().assertReadAccessAllowed()
        labels += name
        return Label.NULL_INSTANCE
    }

    override fun putUserLabel(project: Project, name: String): Label = Label.NULL_INSTANCE

    override fun getByteContent(file: VirtualFile, condition: FileRevisionTimestampComparator): ByteArray? = null

    override fun isUnderControl(file: VirtualFile) = false
}

/** No file is open in an editor. */
internal open class NoEditors(private val project: Project) : FileEditorManager() {
    override fun getProject() = project

    override fun isFileOpen(file: VirtualFile) = false

    override fun getOpenFiles(): Array<VirtualFile> = emptyArray()

    override fun getSelectedFiles(): Array<VirtualFile> = emptyArray()

    override fun getSelectedTextEditor(): Editor? = null

    override fun getSelectedEditors(): Array<FileEditor> = emptyArray()

    override fun getSelectedEditor(file: VirtualFile): FileEditor? = null

    override fun getEditors(file: VirtualFile): Array<FileEditor> = emptyArray()

    override fun getAllEditors(file: VirtualFile): Array<FileEditor> = emptyArray()

    override fun getAllEditors(): Array<FileEditor> = emptyArray()

    override fun getData(dataId: String, editor: Editor, caret: Caret): Any? = null

    override fun openFile(file: VirtualFile, focusEditor: Boolean): Array<FileEditor> = absent()

    override fun openTextEditor(descriptor: OpenFileDescriptor, focusEditor: Boolean): Editor? = absent()

    override fun openEditor(descriptor: OpenFileDescriptor, focusEditor: Boolean): List<FileEditor> = absent()

    override fun setSelectedEditor(file: VirtualFile, providerId: String) = Unit

    override fun closeFile(file: VirtualFile) = Unit

    override fun addTopComponent(editor: FileEditor, component: JComponent) = Unit

    override fun removeTopComponent(editor: FileEditor, component: JComponent) = Unit

    override fun addBottomComponent(editor: FileEditor, component: JComponent) = Unit

    override fun removeBottomComponent(editor: FileEditor, component: JComponent) = Unit

    override fun registerExtraEditorDataProvider(provider: EditorDataProvider, parent: Disposable?) = Unit

    override fun runWhenLoaded(editor: Editor, runnable: Runnable) = Unit

    private fun absent(): Nothing = throw UnsupportedOperationException("nothing opens an editor unasked")
}

/** What a declaration is called: nothing has a name here. */
internal class NoTypeNames : TypePresentationService() {
    override fun getIcon(element: Any): Icon? = null

    override fun getTypeIcon(type: Class<*>): Icon? = null

    override fun getTypePresentableName(type: Class<*>): String? = "statement"

    override fun getTypeName(element: Any): String? = "statement"

    override fun getObjectName(element: Any): String? = null
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

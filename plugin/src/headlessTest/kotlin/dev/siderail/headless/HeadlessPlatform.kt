package dev.siderail.headless

import com.intellij.core.CoreApplicationEnvironment
import com.intellij.core.CoreModuleManager
import com.intellij.core.CoreProjectEnvironment
import com.intellij.formatting.Formatter
import com.intellij.formatting.FormatterImpl
import com.intellij.ide.DataManager
import com.intellij.ide.TypePresentationService
import com.intellij.ide.lightEdit.LightEditService
import com.intellij.lang.LanguageExtensionPoint
import com.intellij.lang.LanguageFormatting
import com.intellij.lang.LanguageImportStatements
import com.intellij.lang.PsiStructureViewFactory
import com.intellij.mock.MockApplication
import com.intellij.mock.MockDumbService
import com.intellij.mock.MockProject
import com.intellij.mock.MockProjectEx
import com.intellij.navigation.ChooseByNameContributor
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.AsyncExecutionService
import com.intellij.openapi.application.TransactionGuard
import com.intellij.openapi.application.TransactionGuardImpl
import com.intellij.openapi.command.CommandProcessor
import com.intellij.openapi.command.impl.UndoManagerImpl
import com.intellij.openapi.command.undo.DocumentReferenceManager
import com.intellij.openapi.command.undo.DocumentReferenceProvider
import com.intellij.openapi.command.undo.UndoManager
import com.intellij.openapi.components.ComponentManager
import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.EditorFactory
import com.intellij.openapi.editor.ex.EditorSettingsExternalizable
import com.intellij.openapi.editor.impl.EditorFactoryImpl
import com.intellij.openapi.extensions.ExtensionPoint
import com.intellij.openapi.extensions.ExtensionsArea
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.FileEditor
import com.intellij.openapi.fileEditor.FileEditorManager
import com.intellij.openapi.fileEditor.impl.FileDocumentManagerImpl
import com.intellij.openapi.fileTypes.PlainTextFileType
import com.intellij.openapi.ide.CopyPasteManager
import com.intellij.openapi.module.ModuleManager
import com.intellij.openapi.project.DumbService
import com.intellij.openapi.project.Project
import com.intellij.openapi.project.ProjectLocator
import com.intellij.openapi.project.ProjectManager
import com.intellij.openapi.roots.ProjectFileIndex
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.util.registry.Registry
import com.intellij.openapi.vcs.readOnlyHandler.ReadonlyStatusHandlerImpl
import com.intellij.openapi.vfs.ReadonlyStatusHandler
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.openapi.vfs.VirtualFileManager
import com.intellij.openapi.vfs.VirtualFileSystem
import com.intellij.openapi.vfs.impl.VirtualFileManagerImpl
import com.intellij.openapi.wm.WindowManager
import com.intellij.openapi.wm.impl.TestWindowManager
import com.intellij.pom.PomModel
import com.intellij.pom.core.impl.PomModelImpl
import com.intellij.pom.tree.TreeAspect
import com.intellij.psi.PsiDocumentManager
import com.intellij.psi.codeStyle.AppCodeStyleSettingsManager
import com.intellij.psi.codeStyle.CodeStyleManager
import com.intellij.psi.codeStyle.CodeStyleSettings
import com.intellij.psi.codeStyle.CodeStyleSettingsManager
import com.intellij.psi.codeStyle.ProjectCodeStyleSettingsManager
import com.intellij.openapi.editor.impl.DocumentMarkupModelManager
import com.intellij.history.LocalHistory
import com.intellij.psi.impl.DocumentCommitProcessor
import com.intellij.psi.impl.PsiDocumentManagerBase
import com.intellij.psi.impl.PsiDocumentManagerImpl
import com.intellij.psi.impl.source.PostprocessReformattingAspect
import com.intellij.psi.impl.source.codeStyle.CodeStyleManagerImpl
import com.intellij.psi.impl.search.PsiSearchHelperImpl
import com.intellij.psi.search.PsiSearchHelper
import com.intellij.psi.search.searches.DefinitionsScopedSearch
import com.intellij.psi.search.searches.ReferencesSearch
import com.intellij.psi.util.PsiEditorUtil
import com.intellij.refactoring.listeners.RefactoringListenerManager
import com.intellij.refactoring.listeners.impl.RefactoringListenerManagerImpl
import com.intellij.refactoring.rename.RenamePsiElementProcessor
import com.intellij.refactoring.suggested.SuggestedRefactoringProvider
import com.intellij.util.messages.MessageBus
import com.intellij.util.messages.impl.MessageBusFactoryImpl
import dev.siderail.TestFolders
import java.lang.reflect.Proxy
import org.picocontainer.MutablePicoContainer
import org.picocontainer.PicoContainer

/**
 * As much of a real IDE as runs without one: genuine documents, commands, undo, PSI, formatter, import processor
 * saving, inspections and rename of 2020.1, with one open project. Not real: any language but [ToyLanguage], indexes, the
 * analysis of what is open, editors, run configurations.
 */
class HeadlessPlatform private constructor(val application: HonestApplication, val project: MockProject) {
    /** Whether the IDE indexes. */
    var indexing: Boolean by (DumbService.getInstance(project) as Indexing)::dumb

    /** Where undo is asked: an editor that shows a document. */
    fun editor(file: VirtualFile, document: Document): FileEditor {
        val types = arrayOf(FileEditor::class.java, DocumentReferenceProvider::class.java)
        val editor = Proxy.newProxyInstance(javaClass.classLoader, types) { proxy, method, arguments ->
            when (method.name) {
                "getDocumentReferences" -> listOf(DocumentReferenceManager.getInstance().create(document))
                "getFile" -> file
                "isValid" -> true
                "hashCode" -> 1
                "equals" -> proxy === arguments[0]
                "toString" -> "an editor of ${file.name}"
                else -> null
            }
        }
        return editor as FileEditor
    }

    /** Puts another service into the project. */
    fun <T : Any> replace(type: Class<T>, service: T) {
        project.picoContainer.unregisterComponent(type.name)
        project.registerService(type, service)
    }

    companion object {
        /** Started once: the platform's statics allow no second one. */
        val instance: HeadlessPlatform by lazy(::start)

        private fun start(): HeadlessPlatform {
            val home = TestFolders.create("idea")
            System.setProperty("idea.home.path", home.toString())
            System.setProperty("idea.system.path", home.resolve("system").toString())
            System.setProperty("idea.config.path", home.resolve("config").toString())
            val root = Disposer.newDisposable("headless platform")
            lateinit var application: HonestApplication
            val environment = object : CoreApplicationEnvironment(root, true) {
                override fun createApplication(parent: Disposable): MockApplication =
                    HonestApplication(parent).also { application = it }

                override fun createLocalFileSystem() = WritableFileSystem()
            }
            // Before anybody asks for it: it is kept for good.
            application.picoContainer.unregisterComponent(VirtualFileManager::class.java.name)
            val systems = listOf(environment.localFileSystem, environment.jarFileSystem)
            application.registerService(VirtualFileManager::class.java, NamedFiles(systems))
            val project = projectOf(root, environment)
            registerExtensionPoints(application.extensionArea, project.extensionArea)
            registerLanguage(environment)
            Services(application, project, root).register()
            return HeadlessPlatform(application, project)
        }

        private fun projectOf(root: Disposable, environment: CoreApplicationEnvironment): MockProject {
            val projects = object : CoreProjectEnvironment(root, environment) {
                override fun createProject(parent: PicoContainer, disposable: Disposable): MockProject = OpenProject(disposable)
            }
            return projects.project
        }

        private fun registerExtensionPoints(ofApplication: ExtensionsArea, ofProject: ExtensionsArea) {
            val list = checkNotNull(javaClass.getResource("/headless/extension-points.txt")).readText()
            for (line in list.lines().filter { it.isNotBlank() && !it.startsWith("#") }) {
                val (owner, name, type) = (line.split(' ') + "java.lang.Object")
                val area = if (owner == "P") ofProject else ofApplication
                if (!area.hasExtensionPoint(name)) area.registerExtensionPoint(name, type, ExtensionPoint.Kind.INTERFACE)
            }
        }

        private fun registerLanguage(environment: CoreApplicationEnvironment) {
            environment.registerFileType(ToyLanguage.FileType, "toy")
            environment.registerFileType(PlainTextFileType.INSTANCE, "txt;md")
            environment.registerParserDefinition(ToyLanguage.Parsing())
            environment.addExplicitExtension(LanguageFormatting.INSTANCE, ToyLanguage, ToyLanguage.Formatting())
            environment.addExplicitExtension(LanguageImportStatements.INSTANCE, ToyLanguage, ToyLanguage.Imports())
            environment.addExtension(ChooseByNameContributor.SYMBOL_EP_NAME, ToyIndex.Symbols())
            environment.addExtension(ChooseByNameContributor.FILE_EP_NAME, ToyIndex.Files())
            environment.addExtension(ReferencesSearch.EP_NAME, ToyIndex.Uses())
            environment.addExtension(RenamePsiElementProcessor.EP_NAME, ToyRename())
            environment.addExtension(DefinitionsScopedSearch.EP_NAME, ToyIndex.Definitions())
            environment.addExtension(PsiStructureViewFactory.EP_NAME, LanguageExtensionPoint(ToyLanguage.id, ToyIndex.Structure()))
        }
    }

    /** The platform's mock is closed and has no message bus. */
    private class OpenProject(parent: Disposable) : MockProjectEx(parent) {
        private val bus by lazy { MessageBusFactoryImpl().createMessageBus(this, com.intellij.openapi.application.ApplicationManager.getApplication().messageBus) }

        override fun getMessageBus(): MessageBus = bus

        override fun isOpen() = true

        override fun isInitialized() = true
    }
}

/** Keeps the names that events of new files are made with, which the platform's own leaves to the IDE's store. */
private class NamedFiles(systems: List<VirtualFileSystem>) : VirtualFileManagerImpl(systems) {
    private val names = ArrayList<String>()

    @Synchronized
    override fun storeName(name: String): Int {
        names.add(name)
        return names.lastIndex
    }

    @Synchronized
    override fun getVFileName(nameId: Int): CharSequence = names[nameId]
}

/** Indexes when a test says so. */
private class Indexing(project: Project) : MockDumbService(project) {
    @Volatile
    var dumb = false

    override fun isDumb() = dumb
}

/** The services that the platform would find in its descriptors. */
private class Services(private val application: HonestApplication, private val project: MockProject, private val root: Disposable) {
    private val ofApplication = application.picoContainer as MutablePicoContainer
    private val ofProject = project.picoContainer as MutablePicoContainer

    fun register() {
        Registry.getInstance().markAsLoaded()
        ofProject.put(DumbService::class.java, Indexing(project))
        editing()
        undo()
        psi()
        refactoring()
        environment()
    }

    private fun editing() {
        application.extensionArea.getExtensionPoint<Any>("com.intellij.editorFactoryDocumentListener")
            .registerExtension(made("com.intellij.openapi.command.impl.DocumentUndoProvider"), root)
        ofApplication.put(DocumentReferenceManager::class.java, made("com.intellij.openapi.command.impl.DocumentReferenceManagerImpl"))
        ofApplication.put(EditorFactory::class.java, EditorFactoryImpl())
        ofApplication.put(CommandProcessor::class.java, made("com.intellij.openapi.command.impl.CommandProcessorImpl"))
        ofApplication.put(FileDocumentManager::class.java, FileDocumentManagerImpl())
        ofApplication.put(TransactionGuard::class.java, TransactionGuardImpl())
        ofApplication.put(AsyncExecutionService::class.java, made("com.intellij.openapi.application.impl.AsyncExecutionServiceImpl"))
        val settings = "com.intellij.openapi.editor.ex.EditorSettingsExternalizable"
        ofApplication.put(EditorSettingsExternalizable::class.java, made(settings, made("$settings\$OsSpecificState")))
    }

    private fun undo() {
        val ofAll = undoManager(null)
        val ofOne = undoManager(project)
        ofApplication.put(UndoManager::class.java, ofAll)
        ofProject.put(UndoManager::class.java, ofOne)
        for (manager in listOf(ofAll, ofOne)) manager.setEditorProvider { null }
    }

    private fun undoManager(owner: ComponentManager?): UndoManagerImpl =
        UndoManagerImpl::class.java.getDeclaredConstructor(ComponentManager::class.java)
            .apply { isAccessible = true }
            .newInstance(owner)

    private fun psi() {
        ofApplication.put(AppCodeStyleSettingsManager::class.java, AppCodeStyleSettingsManager())
        ofProject.put(ProjectCodeStyleSettingsManager::class.java, ProjectCodeStyleSettingsManager(project))
        ofApplication.put(Formatter::class.java, FormatterImpl())
        ofApplication.put(DocumentCommitProcessor::class.java, made("com.intellij.psi.impl.DocumentCommitThread"))
        ofProject.put(PsiDocumentManager::class.java, PsiDocumentManagerImpl(project))
        ofProject.put(CodeStyleManager::class.java, CodeStyleManagerImpl(project))
        ofProject.put(PsiSearchHelper::class.java, PsiSearchHelperImpl(project))
        ofProject.put(PomModel::class.java, PomModelImpl(project))
        ofProject.put(TreeAspect::class.java, TreeAspect(project))
        project.addComponent(PostprocessReformattingAspect::class.java, PostprocessReformattingAspect(project))
        CodeStyleSettingsManager.getInstance(project).setTemporarySettings(CodeStyleSettings())
        (PsiDocumentManager.getInstance(project) as PsiDocumentManagerBase).disableBackgroundCommit(root)
    }

    /** What "Rename" asks for besides. */
    private fun refactoring() {
        ofApplication.put(WindowManager::class.java, TestWindowManager())
        ofProject.put(ReadonlyStatusHandler::class.java, ReadonlyStatusHandlerImpl(project))
        ofProject.put(RefactoringListenerManager::class.java, RefactoringListenerManagerImpl(project))
        ofProject.put(SuggestedRefactoringProvider::class.java, StandIns.quiet(SuggestedRefactoringProvider::class.java))
    }

    private fun environment() {
        ofApplication.put(ProjectLocator::class.java, OneLocator(project))
        ofApplication.put(ProjectManager::class.java, OneProject(project))
        ofApplication.put(DataManager::class.java, made("com.intellij.ide.impl.HeadlessDataManager"))
        ofApplication.put(CopyPasteManager::class.java, NoClipboard())
        ofApplication.put(TypePresentationService::class.java, NoTypeNames())
        project.addComponent(FileEditorManager::class.java, NoEditors(project))
        ofProject.put(FileEditorManager::class.java, NoEditors(project))
        ofApplication.put(LightEditService::class.java, StandIns.quiet(LightEditService::class.java))
        ofApplication.put(PsiEditorUtil::class.java, StandIns.quiet(PsiEditorUtil::class.java))
        val index = StandIns.quiet(ProjectFileIndex::class.java) { file -> "excluded" in (file as VirtualFile).path.split('/') }
        ofProject.put(ProjectFileIndex::class.java, index)
        val modules = CoreModuleManager(project, root)
        ofProject.put(ModuleManager::class.java, modules)
        project.addComponent(ModuleManager::class.java, modules)
        ofProject.put(DocumentMarkupModelManager::class.java, DocumentMarkupModelManager(project))
        ofApplication.put(LocalHistory::class.java, LabelsOnly)
    }

    /** An instance of a class that the platform keeps to itself. */
    @Suppress("UNCHECKED_CAST")
    private fun <T> made(name: String, vararg arguments: Any?): T {
        val constructor = Class.forName(name).declaredConstructors.first { it.parameterCount == arguments.size }
        constructor.isAccessible = true
        return constructor.newInstance(*arguments) as T
    }

    private fun <T : Any> MutablePicoContainer.put(type: Class<T>, instance: T) {
        unregisterComponent(type.name)
        registerComponentInstance(type.name, instance)
    }
}

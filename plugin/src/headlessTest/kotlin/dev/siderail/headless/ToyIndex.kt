package dev.siderail.headless

import com.intellij.ide.structureView.StructureViewBuilder
import com.intellij.ide.structureView.StructureViewModel
import com.intellij.ide.structureView.StructureViewModelBase
import com.intellij.ide.structureView.StructureViewTreeElement
import com.intellij.ide.structureView.TreeBasedStructureViewBuilder
import com.intellij.ide.util.treeView.smartTree.TreeElement
import com.intellij.lang.PsiStructureViewFactory
import com.intellij.navigation.ChooseByNameContributor
import com.intellij.navigation.ItemPresentation
import com.intellij.navigation.NavigationItem
import com.intellij.navigation.PsiElementNavigationItem
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.editor.Editor
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import com.intellij.psi.PsiReference
import com.intellij.psi.search.searches.DefinitionsScopedSearch
import com.intellij.psi.search.searches.ReferencesSearch
import com.intellij.util.Processor
import com.intellij.util.QueryExecutor
import java.util.concurrent.CopyOnWriteArrayList

/** In place of an index: toy files that a test has named. */
object ToyIndex {
    val files = CopyOnWriteArrayList<VirtualFile>()

    private fun statements(project: Project): List<ToyLanguage.Statement> = files.filter { it.isValid }
        .mapNotNull { PsiManager.getInstance(project).findFile(it) }
        .flatMap { it.children.filterIsInstance<ToyLanguage.Statement>() }

    /** What is declared in the files. In a read action. */
    fun declared(project: Project) = statements(project).filter { it.name != "import" }

    class Symbols : ChooseByNameContributor {
        override fun getNames(project: Project, includeNonProjectItems: Boolean): Array<String> =
            declared(project).map { it.name }.toTypedArray()

        override fun getItemsByName(name: String, pattern: String, project: Project, nonProject: Boolean): Array<NavigationItem> =
            declared(project).filter { it.name == name }.map(::Item).toTypedArray()
    }

    class Files : ChooseByNameContributor {
        override fun getNames(project: Project, includeNonProjectItems: Boolean): Array<String> = files.map { it.name }.toTypedArray()

        override fun getItemsByName(name: String, pattern: String, project: Project, nonProject: Boolean): Array<NavigationItem> =
            files.filter { it.isValid && it.name == name }.mapNotNull { PsiManager.getInstance(project).findFile(it) }.toTypedArray()
    }

    private class Item(private val statement: ToyLanguage.Statement) : PsiElementNavigationItem {
        override fun getTargetElement(): PsiElement = statement

        override fun getName() = statement.name

        override fun getPresentation(): ItemPresentation? = null

        override fun navigate(requestFocus: Boolean) = Unit

        override fun canNavigate() = false

        override fun canNavigateToSource() = false
    }

    /** Uses of a statement's name as a value: what a language adds to "Find Usages". */
    class Uses : QueryExecutor<PsiReference, ReferencesSearch.SearchParameters> {
        override fun execute(sought: ReferencesSearch.SearchParameters, found: Processor<in PsiReference>): Boolean {
            val statement = sought.elementToSearch as? ToyLanguage.Statement ?: return true
            return statements(sought.project).mapNotNull { it.reference }.filter { it.canonicalText == statement.name }.all(found::process)
        }
    }

    /** A statement implements the one that is its value, `child = parent;`: what a language adds to "Go to Implementation". */
    class Definitions : QueryExecutor<PsiElement, DefinitionsScopedSearch.SearchParameters> {
        override fun execute(sought: DefinitionsScopedSearch.SearchParameters, found: Processor<in PsiElement>): Boolean {
            check(ApplicationManager.getApplication().isReadAccessAllowed)
            val file = sought.element.containingFile
            return file.children.filter { it.reference?.resolve() == sought.element }.all(found::process)
        }
    }

    class Structure : PsiStructureViewFactory {
        override fun getStructureViewBuilder(file: PsiFile): StructureViewBuilder = object : TreeBasedStructureViewBuilder() {
            override fun createStructureViewModel(editor: Editor?): StructureViewModel =
                StructureViewModelBase(file, editor, Node(file))
        }
    }

    private class Node(private val element: PsiElement) : StructureViewTreeElement, ItemPresentation {
        override fun getValue() = element

        override fun getPresentation() = this

        override fun getPresentableText(): String? = (element as? ToyLanguage.Statement)?.name

        override fun getLocationString(): String? = null

        override fun getIcon(unused: Boolean) = null

        override fun getChildren(): Array<TreeElement> =
            element.children.filterIsInstance<ToyLanguage.Statement>().map(::Node).toTypedArray()

        override fun navigate(requestFocus: Boolean) = Unit

        override fun canNavigate() = false

        override fun canNavigateToSource() = false
    }
}

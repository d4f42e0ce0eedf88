package dev.siderail.psi

import com.intellij.ide.structureView.StructureViewTreeElement
import com.intellij.ide.structureView.TreeBasedStructureViewBuilder
import com.intellij.ide.util.treeView.smartTree.TreeElement
import com.intellij.lang.LanguageExtension
import com.intellij.lang.PsiStructureViewFactory
import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.util.Disposer
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile

/** A declaration in a file. [line] is 0 if it is unknown. */
class OutlineItem(val text: String, val line: Int, val children: List<OutlineItem>)

/** What a file declares, as its structure view shows it. */
interface FileOutline {
    /** The declarations, [depth] levels deep; null where the language has no structure view. In a read action. */
    fun of(file: PsiFile, depth: Int): List<OutlineItem>?
}

/** Asks the structure view of the file's language. */
class StructureViewOutline : FileOutline {
    override fun of(file: PsiFile, depth: Int): List<OutlineItem>? {
        val builder = FACTORIES.forLanguage(file.language)?.getStructureViewBuilder(file)
        val model = (builder as? TreeBasedStructureViewBuilder)?.createStructureViewModel(null) ?: return null
        try {
            return model.root.children.map { item(it, file, depth) }
        } finally {
            Disposer.dispose(model)
        }
    }

    private fun item(element: TreeElement, file: PsiFile, depth: Int): OutlineItem {
        ProgressManager.checkCanceled()
        val source = (element as? StructureViewTreeElement)?.value as? PsiElement
        val inThisFile = source?.takeIf { it.isValid && it.containingFile == file }
        val children = if (depth > 1) element.children.map { item(it, file, depth - 1) } else emptyList()
        val presentation = element.presentation
        val text = listOfNotNull(presentation.presentableText, presentation.locationString).joinToString("  ")
        return OutlineItem(text, inThisFile?.let(CodePlace::of)?.line ?: 0, children)
    }

    private companion object {
        /** By the extension point's name, which is older than any way to ask for the platform's own instance. */
        val FACTORIES = LanguageExtension<PsiStructureViewFactory>("com.intellij.lang.psiStructureViewFactory")
    }
}

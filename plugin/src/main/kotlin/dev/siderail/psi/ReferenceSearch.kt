package dev.siderail.psi

import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.project.Project
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiNamedElement
import com.intellij.psi.PsiReference
import com.intellij.psi.search.GlobalSearchScope
import com.intellij.psi.search.searches.ReferencesSearch
import com.intellij.util.Processor

/** Uses of a declaration. */
interface ReferenceSearch {
    /** Places that refer to it, up to [most], and whether there may be more. In an indexed read action. */
    fun uses(element: PsiElement, withLibraries: Boolean, most: Int): Pair<List<CodePlace>, Boolean>

    /** What is declared, or referred to, by that name in a file; the one nearest to the line, if one is given. */
    fun declared(file: PsiFile, name: String, line: Int?): PsiElement?

    /** What is declared, or referred to, at that place. */
    fun at(file: PsiFile, offset: Int): PsiElement?
}

/** Asks what "Find Usages" asks. */
class IndexReferenceSearch(private val project: Project) : ReferenceSearch {
    override fun uses(element: PsiElement, withLibraries: Boolean, most: Int): Pair<List<CodePlace>, Boolean> {
        val places = LinkedHashSet<CodePlace>()
        val collect = Processor<PsiReference> { reference ->
            ProgressManager.checkCanceled()
            val source = reference.element
            val file = source.containingFile?.virtualFile
            val offset = source.textRange?.startOffset?.plus(reference.rangeInElement.startOffset)
            if (file != null && offset != null) CodePlace.of(file, offset)?.let(places::add)
            places.size < most
        }
        val scope = if (withLibraries) GlobalSearchScope.allScope(project) else GlobalSearchScope.projectScope(project)
        val complete = ReferencesSearch.search(element, scope).forEach(collect)
        return places.sortedWith(compareBy({ it.file.path }, { it.line }, { it.column })) to !complete
    }

    override fun declared(file: PsiFile, name: String, line: Int?): PsiElement? {
        val text = file.text
        val offsets = generateSequence(text.indexOf(name)) { text.indexOf(name, it + 1) }.takeWhile { it >= 0 }
            .filter { isWholeWord(text, it, name.length) }
            .take(MOST_PLACES)
        val near = offsets.sortedBy { offset ->
            line?.let { kotlin.math.abs((CodePlace.of(file.virtualFile, offset)?.line ?: 0) - it) } ?: 0
        }
        return near.firstNotNullOfOrNull { at(file, it) }
    }

    override fun at(file: PsiFile, offset: Int): PsiElement? {
        file.findReferenceAt(offset)?.resolve()?.let { return it }
        val leaf = file.findElementAt(offset) ?: return null
        // A place somewhere in a method's body is not the method: its name has to be here.
        return generateSequence(leaf) { it.parent }
            .takeWhile { it !is PsiFile }
            .firstOrNull { it is PsiNamedElement && it.name == leaf.text }
    }

    private fun isWholeWord(text: String, start: Int, length: Int): Boolean {
        fun isPart(index: Int) = text.getOrNull(index)?.let { it.isLetterOrDigit() || it == '_' } ?: false
        return !isPart(start - 1) && !isPart(start + length)
    }

    private companion object {
        const val MOST_PLACES = 200
    }
}

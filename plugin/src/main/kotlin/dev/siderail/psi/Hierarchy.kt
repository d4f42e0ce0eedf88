package dev.siderail.psi

import com.intellij.openapi.progress.ProgressManager
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiNamedElement
import com.intellij.psi.search.searches.DefinitionsScopedSearch
import com.intellij.util.Processor

/** What implements, extends or overrides a declaration. */
interface DefinitionSearch {
    /** Up to [most] of them, and whether there may be more. In an indexed read action. */
    fun of(element: PsiElement, most: Int): Pair<List<PsiElement>, Boolean>
}

/** Asks what "Go to Implementation" asks. */
class IndexDefinitionSearch : DefinitionSearch {
    override fun of(element: PsiElement, most: Int): Pair<List<PsiElement>, Boolean> {
        val found = ArrayList<PsiElement>()
        val isComplete = DefinitionsScopedSearch.search(element).forEach(
            Processor {
                ProgressManager.checkCanceled()
                found.add(it)
                found.size < most
            },
        )
        return found to !isComplete
    }
}

/** Declarations above and below another one. */
class Hierarchy(private val definitions: DefinitionSearch, private val references: ReferenceSearch) {
    /** In an indexed read action. */
    fun below(element: PsiElement, most: Int): Pair<List<PsiElement>, Boolean> = definitions.of(element, most)

    /**
     * What a declaration implements or extends: of all that its first line names, that which has it among its implementations.
     * So no language has to be known. In an indexed read action.
     */
    fun above(element: PsiElement): List<PsiElement> {
        val file = element.containingFile ?: return emptyList()
        val head = element.text.take(HEAD).substringBefore('{')
        val start = element.textRange.startOffset
        val named = NAME.findAll(head).mapNotNull { references.at(file, start + it.range.first) }
            .filter { it != element && it is PsiNamedElement && it.containingFile != null }
            .distinct().take(MOST_NAMED).toList()
        return named.filter { above -> definitions.of(above, MOST_BELOW).first.any { isSame(it, element) } }
    }

    private fun isSame(one: PsiElement, other: PsiElement) =
        one == other || one.containingFile == other.containingFile && one.textOffset == other.textOffset

    private companion object {
        val NAME = Regex("""[A-Za-z_]\w*""")

        /** Characters in which a declaration says what it extends. */
        const val HEAD = 1_000
        const val MOST_NAMED = 30
        const val MOST_BELOW = 1_000
    }
}

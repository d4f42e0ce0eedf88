package dev.siderail.psi

import com.intellij.navigation.ChooseByNameContributor
import com.intellij.navigation.NavigationItem
import com.intellij.navigation.PsiElementNavigationItem
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.extensions.ExtensionPointName
import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.project.Project
import com.intellij.psi.ElementDescriptionUtil
import com.intellij.psi.PsiElement
import com.intellij.usageView.UsageViewTypeLocation

/**
 * A declaration.
 *
 * @property type what it is in its language: class, method, field …; may be empty
 * @property container where it belongs, as the IDE shows it; may be empty
 */
class Symbol(val name: String, val type: String, val container: String, val place: CodePlace, val element: PsiElement)

/**
 * Runs short indexed read actions. A search over a whole project in one would begin anew with every letter that somebody
 * types, and never end.
 */
interface IndexedSteps {
    fun <T> step(work: () -> T): T
}

/** Declarations by name, in every language that the IDE knows. */
interface SymbolSearch {
    /**
     * Symbols whose name fits and of which [fits] says so, the best first, and whether there may be more. It reads in
     * [steps], outside of read actions.
     */
    fun find(steps: IndexedSteps, query: String, withLibraries: Boolean, most: Int, fits: (Symbol) -> Boolean): Pair<List<Symbol>, Boolean>

    /** Symbols of exactly that name. In an indexed read action. */
    fun named(name: String, most: Int): List<Symbol>
}

/** Asks what "Go to Class" and "Go to Symbol" ask. */
class GotoSymbolSearch(
    private val project: Project,
    private val where: List<ExtensionPointName<ChooseByNameContributor>> = SYMBOLS,
) : SymbolSearch {
    override fun find(
        steps: IndexedSteps,
        query: String,
        withLibraries: Boolean,
        most: Int,
        fits: (Symbol) -> Boolean,
    ): Pair<List<Symbol>, Boolean> {
        val names = contributors().flatMapTo(HashSet()) { contributor ->
            steps.step { attempt { contributor.getNames(project, withLibraries).toList() }.orEmpty() }
        }
        val ranked = names.mapNotNull { name -> NameMatch.rank(query, name)?.let { it to name } }
            .sortedWith(compareBy({ it.first }, { it.second.length }, { it.second }))
        val found = LinkedHashMap<Pair<String, Int>, Symbol>()
        for (some in ranked.chunked(NAMES_AT_ONCE)) {
            val more = steps.step {
                LinkedHashMap<Pair<String, Int>, Symbol>().also { here -> for ((_, name) in some) collect(name, withLibraries, here, fits) }
            }
            more.forEach { (place, symbol) -> found.putIfAbsent(place, symbol) }
            if (found.size > most) break
        }
        return found.values.take(most) to (found.size > most)
    }

    override fun named(name: String, most: Int): List<Symbol> {
        val found = LinkedHashMap<Pair<String, Int>, Symbol>()
        collect(name, false, found) { true }
        return found.values.take(most)
    }

    private fun collect(
        name: String,
        withLibraries: Boolean,
        found: MutableMap<Pair<String, Int>, Symbol>,
        fits: (Symbol) -> Boolean,
    ) {
        for (contributor in contributors()) {
            ProgressManager.checkCanceled()
            val items = attempt { contributor.getItemsByName(name, name, project, withLibraries) } ?: continue
            for (symbol in items.mapNotNull { attempt { symbol(name, it) } }.filter(fits)) {
                found.putIfAbsent(symbol.place.file.path to symbol.element.textOffset, symbol)
            }
        }
    }

    private fun contributors(): List<ChooseByNameContributor> = where.flatMap { it.extensionList }

    private fun symbol(name: String, item: NavigationItem): Symbol? {
        val element = item as? PsiElement ?: (item as? PsiElementNavigationItem)?.targetElement ?: return null
        val source = element.navigationElement
        val place = CodePlace.of(source) ?: return null
        val type = ElementDescriptionUtil.getElementDescription(element, UsageViewTypeLocation.INSTANCE)
        return Symbol(name, type, item.presentation?.locationString.orEmpty(), place, source)
    }

    /** One language's contributor must not cost the others' answers. */
    private fun <T> attempt(work: () -> T): T? = LOG.orLeftOut("a language's symbols", work)

    companion object {
        /** Where declarations are found. */
        val SYMBOLS = listOf(ChooseByNameContributor.CLASS_EP_NAME, ChooseByNameContributor.SYMBOL_EP_NAME)
        private val LOG = Logger.getInstance(GotoSymbolSearch::class.java)

        /** Names that are looked up in one read action. */
        private const val NAMES_AT_ONCE = 10
    }
}

/** How well a name fits what was asked: exactly, from its beginning, by its humps, somewhere inside. */
internal object NameMatch {
    /** Smaller is better; null does not fit. */
    fun rank(query: String, name: String): Int? = when {
        name == query -> 0
        name.equals(query, ignoreCase = true) -> 1
        name.startsWith(query, ignoreCase = true) -> 2
        humps(name).startsWith(query, ignoreCase = true) && query.length > 1 -> 3
        name.contains(query, ignoreCase = true) -> 4
        else -> null
    }

    private fun humps(name: String): String = name.filterIndexed { index, letter ->
        val before = name.getOrNull(index - 1)
        before == null || letter.isUpperCase() && !before.isUpperCase() || before == '_' || before == '-'
    }
}

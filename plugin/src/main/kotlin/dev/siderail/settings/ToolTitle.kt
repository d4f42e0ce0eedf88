package dev.siderail.settings

import dev.siderail.bridge.ToolName
import dev.siderail.ui.Texts

/** What people read for the name of a tool. Pure. */
object ToolTitle {
    /** The text `tool.NAME` where there is one that says it better than the name does. */
    fun of(tool: ToolName): String = Texts.find("tool.$tool") ?: inWords(tool.word)

    /** A name as words: `find_references` is "Find references". */
    fun inWords(name: String): String = name.removePrefix("intellij_").replace('_', ' ').replaceFirstChar { it.uppercase() }
}

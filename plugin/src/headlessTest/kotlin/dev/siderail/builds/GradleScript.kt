package dev.siderail.builds

/** A script of a Gradle build, read as nested blocks of names; not a parser of Kotlin. */
class GradleScript(script: String) {
    /** Without comments. */
    val text: String = script.lines().joinToString("\n") { COMMENT.replace(it, "$1") }

    val comments: String = script.lines().filter { it.startsWith("//") }.joinToString("\n")

    private val code = STRING.replace(text) { "\"" + "_".repeat(it.value.length - 2) + "\"" }

    val imports: List<String> = Regex("""(?m)^import (\S+)""").findAll(text).map { it.groupValues[1] }.toList()

    val pluginIds: List<String> get() = blocks("plugins").flatMap { block ->
        Regex("""id\("(.*?)"\)""").findAll(block.text).map { it.groupValues[1] }
    }

    /** Tasks that the script itself makes. */
    val registered: Set<String> get() = Regex("""val (\w+) (?:by \S+registering|= tasks\.register)""").findAll(text).map { it.groupValues[1] }.toSet()

    /** The blocks with this name that no other block encloses. */
    fun blocks(name: String): List<GradleScript> = outermost().filter { (start, _) ->
        val head = code.substring(0, start).trimEnd()
        head.endsWith(name) && !(head.dropLast(name.length).lastOrNull() ?: ' ').isLetterOrDigit()
    }.map { (start, end) -> GradleScript(text.substring(start + 1, end)) }

    /** What is called, opened as a block or assigned here, and neither declared nor a member of something before a dot. */
    fun names(): List<String> {
        var here = code
        for ((start, end) in outermost().reversed()) here = here.replaceRange(start + 1, end, "")
        return NAME.findAll(here).map { it.value }.toList()
    }

    /** Where each outermost block opens and closes. */
    private fun outermost(): List<Pair<Int, Int>> {
        val found = mutableListOf<Pair<Int, Int>>()
        var depth = 0
        var start = 0
        for ((at, letter) in code.withIndex()) when (letter) {
            '{' -> if (depth++ == 0) start = at
            '}' -> if (--depth == 0) found.add(start to at)
        }
        return found
    }

    private companion object {
        val COMMENT = Regex("""^((?:[^"/]|"[^"]*"|/(?!/))*)//.*$""")
        val STRING = Regex(""""[^"\n]*"""")
        
        /** What is assigned behind a parenthesis or a comma is an argument by its name. */
        val NAME = Regex("""(?<![\w.])(?<!val )(?:[A-Za-z]\w*(?=\(| \{|<\w+>\()|(?<!\(|, )[A-Za-z]\w*(?= = ))""")
    }
}

package dev.siderail.tools

import dev.siderail.document.ToolFailure
import java.util.regex.PatternSyntaxException

/**
 * A glob as people write it: `*`, `?`, `**`, `[a-z]`, `{a,b}`. Without a slash it fits at any depth, with one from
 * the project or from a folder. It also fits what lies in a folder that it fits.
 */
internal class Glob(pattern: String, root: String, private val folder: String) {
    private val anywhere: Boolean
    private val regex: Regex

    init {
        val bare = pattern.removePrefix("$root/").removePrefix("./").removePrefix("/").removeSuffix("/")
        anywhere = '/' !in bare && !pattern.startsWith('/')
        regex = try {
            Regex(translated(bare))
        } catch (error: PatternSyntaxException) {
            throw ToolFailure.invalid("`pattern` is no usable glob: ${error.description}")
        }
    }

    /** Whether it fits a path, relative to the project with `/`. */
    fun matches(path: String): Boolean {
        val belowFolder = if (folder == ".") path else path.removePrefix("$folder/")
        return fits(path) || belowFolder != path && fits(belowFolder)
    }

    private fun fits(path: String): Boolean {
        val names = path.split('/')
        return if (anywhere) names.any(regex::matches)
        else (1..names.size).any { regex.matches(names.take(it).joinToString("/")) }
    }

    private fun translated(glob: String): String = buildString {
        var index = 0
        var braces = 0
        while (index < glob.length) {
            val rest = glob.substring(index)
            val letter = glob[index]
            when {
                rest.startsWith("**/") -> append("(?:[^/]+/)*").also { index += 2 }
                rest.startsWith("**") -> append(".*").also { index += 1 }
                letter == '*' -> append("[^/]*")
                letter == '?' -> append("[^/]")
                letter == '[' && rest.indexOf(']', 2) > 0 -> {
                    val end = rest.indexOf(']', 2)
                    val members = rest.substring(1, end)
                    val negated = members.startsWith('!') || members.startsWith('^')
                    append(if (negated) "[^" else "[").append(members.drop(if (negated) 1 else 0).replace("\\", "\\\\")
                        .replace("[", "\\[").replace("&&", "&\\&")).append(']')
                    index += end
                }
                letter == '{' -> append("(?:").also { braces++ }
                letter == '}' && braces > 0 -> append(')').also { braces-- }
                letter == ',' && braces > 0 -> append('|')
                letter == '\\' && rest.length > 1 -> append(Regex.escape(rest.substring(1, 2))).also { index++ }
                else -> append(Regex.escape(letter.toString()))
            }
            index++
        }
    }
}

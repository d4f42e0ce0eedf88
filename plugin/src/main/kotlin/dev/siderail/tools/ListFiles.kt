package dev.siderail.tools

import dev.siderail.document.DocumentReader
import dev.siderail.document.ToolFailure
import dev.siderail.document.WrittenName
import dev.siderail.psi.ProjectFiles
import java.util.TreeMap

/** `list_project_files`. */
internal class ListFiles(
    private val reader: DocumentReader,
    private val files: ProjectFiles,
    private val missing: MissingPath,
) : Tool {
    override val name get() = "list_project_files"

    override fun run(call: ToolCall): ToolResult {
        val folder = missing.existing(call.folder.resolve(call.arguments.text("directory") ?: "."), call)
        if (!folder.isFolder) {
            throw ToolFailure.invalid("${folder.name} is a file, not a folder; intellij_read_file shows it")
        }
        val pattern = call.arguments.text("pattern")
        val glob = pattern?.let { Glob(it, call.folder.root.toString(), folder.relative) }
        val depth = call.arguments.amount("max_depth", 1, Int.MAX_VALUE) ?: Int.MAX_VALUE
        val limit = call.arguments.amount("limit", 1, MOST_ENTRIES) ?: ENTRIES
        val listing = Listing(folder.relative, depth)
        reader.find(folder, call.patience)?.let { root ->
            files.visit(root) { file ->
                call.patience.check()
                val path = ProjectPath.of(folder, root, file)
                if (glob == null || glob.matches(path)) listing.add(path)
                true
            }
        }
        return ToolResult(listing.page(pattern, call.arguments.cursor(), limit))
    }

    private companion object {
        const val ENTRIES = 200
        const val MOST_ENTRIES = 1_000
    }
}

/** Files of a folder, deeper ones as folders with the number of their files. */
internal class Listing(private val folder: String, private val depth: Int) {
    /** A line each; a number where the line is a folder that is not gone into. */
    private val entries = TreeMap<String, Int?>()
    private var files = 0

    /** Adds a file by its path in the project. */
    fun add(path: String) {
        files++
        val above = if (folder == ".") 0 else folder.count { it == '/' } + 1
        val names = path.split('/')
        if (names.size - above <= depth) {
            entries[path] = null
        } else {
            entries.merge(names.take(above + depth).joinToString("/", postfix = "/"), 1) { one, other -> one + other }
        }
    }

    /** The text of a page of the list. */
    fun page(pattern: String?, skipped: Int, limit: Int): String = buildString {
        val ofWhat = pattern?.let { " matching `$it`" }.orEmpty()
        append("$files files$ofWhat in ${if (folder == ".") "the project" else folder}\n")
        if (files == 0) append("This is complete and final; what the project excludes or ignores was not looked at.\n")
        var shown = 0
        for ((path, inside) in entries.entries.drop(skipped).take(limit)) {
            if (shown > 0 && length > ANSWER) break
            shown++
            append(WrittenName.of(path)).append(inside?.let { " ($it files)" }.orEmpty()).append('\n')
        }
        val end = skipped + shown
        if (end < entries.size) {
            append("Next: the same call with \"cursor\": \"$end\" (${entries.size - end} entries left)\n")
        }
    }

    private companion object {
        /** Characters of an answer. */
        const val ANSWER = 10_000
    }
}

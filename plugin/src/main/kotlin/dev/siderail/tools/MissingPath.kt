package dev.siderail.tools

import dev.siderail.document.DocumentReader
import dev.siderail.document.Place
import dev.siderail.document.ToolFailure
import dev.siderail.document.ToolFailure.Code
import dev.siderail.document.WrittenName
import dev.siderail.psi.ProjectFiles

/** What is said where a path names nothing: the names that are most like it. */
class MissingPath(private val reader: DocumentReader, private val files: ProjectFiles) {
    /** The place, if something is there. */
    fun existing(place: Place, call: ToolCall): Place {
        if (place.exists) return place
        val names = nearest(place.relative, call)
        val advice = if (names.isEmpty()) {
            "nothing in the project has a similar name; list_project_files lists the files"
        } else {
            "nearest: ${names.joinToString(", ")}"
        }
        throw ToolFailure(Code.FILE_NOT_FOUND, "${place.name} does not exist; $advice")
    }

    private fun nearest(wanted: String, call: ToolCall): List<String> {
        val root = reader.find(call.folder.resolve("."), call.patience) ?: return emptyList()
        val ranked = ArrayList<Pair<Int, String>>()
        var looked = 0
        files.visit(root) { file ->
            call.patience.check()
            val path = file.path.removePrefix(root.path).trimStart('/')
            PathLikeness.distance(wanted.lowercase(), path.lowercase())?.let { ranked.add(it to path) }
            ++looked < MOST_LOOKED_AT
        }
        return ranked.sortedWith(compareBy({ it.first }, { it.second })).take(MOST_NAMES).map { WrittenName.of(it.second) }
    }

    private companion object {
        const val MOST_NAMES = 5
        const val MOST_LOOKED_AT = 50_000
    }
}

/** How far a path is from the wanted one. The name counts before the folders. */
internal object PathLikeness {
    private const val MOST_FOLDERS = 99
    private const val PER_NAME = 100
    private const val MOST_LETTERS = 256

    /** Null where it is no help. */
    fun distance(wanted: String, path: String): Int? {
        val name = nameDistance(wanted.substringAfterLast('/'), path.substringAfterLast('/')) ?: return null
        val wantedFolders = wanted.split('/')
        val foreign = path.split('/').count { it !in wantedFolders }
        return name * PER_NAME + minOf(foreign, MOST_FOLDERS)
    }

    private fun nameDistance(wanted: String, found: String): Int? {
        if (wanted == found) return 0
        val distance = edits(wanted.take(MOST_LETTERS), found.take(MOST_LETTERS))
        val stem = wanted.substringBefore('.')
        return when {
            distance <= maxOf(wanted.length / 3, 1) -> distance
            stem.length > 2 && stem == found.substringBefore('.') -> wanted.length
            else -> null
        }
    }

    /** Letters to change, add or leave out. */
    private fun edits(one: String, other: String): Int {
        var previous = IntArray(other.length + 1) { it }
        for ((row, letter) in one.withIndex()) {
            val current = IntArray(other.length + 1)
            current[0] = row + 1
            for ((column, candidate) in other.withIndex()) {
                val changed = previous[column] + if (letter == candidate) 0 else 1
                current[column + 1] = minOf(changed, previous[column + 1] + 1, current[column] + 1)
            }
            previous = current
        }
        return previous[other.length]
    }
}

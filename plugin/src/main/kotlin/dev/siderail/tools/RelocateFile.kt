package dev.siderail.tools

import dev.siderail.document.DocumentReader
import dev.siderail.document.FileRelocator
import dev.siderail.document.Place
import dev.siderail.document.ToolFailure
import dev.siderail.document.UnifiedDiff
import java.nio.file.Files

/** `delete_file`. */
internal class DeleteFile(
    private val relocator: FileRelocator,
    private val reader: DocumentReader,
    private val missing: MissingPath,
) : Tool {
    override val name get() = "delete_file"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"))

    override fun run(call: ToolCall): ToolResult {
        val place = missing.existing(call.folder.resolveEntry(call.arguments.requiredText("path")), call)
        val path = place.name
        if (place.relative == ".") throw ToolFailure.invalid("the project folder itself is not deleted")
        if (place.isFolder && !call.arguments.flag("recursive") && Files.list(place.absolute).use { it.findAny().isPresent }) {
            throw ToolFailure.invalid("$path is a folder that is not empty; set recursive to delete all that is in it")
        }
        val diff = if (place.isFolder) null else lastText(place, call)?.let { UnifiedDiff.of(path, it, null) }
        val wasFolder = place.isFolder
        relocator.delete(place, call.patience)
        val text = if (wasFolder) "deleted the folder $path\n" else "deleted $path\n"
        return ToolResult(text, listOf(place.relative), diff?.let(UnifiedDiff::forPeople))
    }

    /** Null where there is no text to show. */
    private fun lastText(place: Place, call: ToolCall): String? = try {
        if (Files.isSymbolicLink(place.absolute)) null else reader.read(place, call.patience).text
    } catch (_: ToolFailure) {
        null
    }
}

/** `move_file`. */
internal class MoveFile(private val relocator: FileRelocator, private val missing: MissingPath) : Tool {
    override val name get() = "move_file"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"), arguments.text("to"))

    override fun run(call: ToolCall): ToolResult {
        val from = missing.existing(call.folder.resolveEntry(call.arguments.requiredText("path")), call)
        val to = destination(call, from, call.arguments.requiredText("to"))
        if (from.relative == ".") throw ToolFailure.invalid("the project folder itself is not moved")
        if (to.absolute == from.absolute) throw ToolFailure.invalid("${from.name} is there already")
        if (to.absolute.startsWith(from.absolute)) {
            throw ToolFailure.invalid("${from.name} cannot be moved into itself")
        }
        relocator.move(from, to, call.arguments.flag("overwrite"), call.patience)
        return ToolResult("moved ${from.name} to ${to.name}\n", listOf(from.relative, to.relative))
    }

    /** Where a thing goes: a folder keeps its name. */
    private fun destination(call: ToolCall, from: Place, given: String): Place {
        val to = call.folder.resolve(given)
        val name = from.absolute.fileName
        return if (to.isFolder || given.endsWith('/')) call.folder.resolveEntry("${to.relative}/$name")
        else call.folder.resolveEntry(given)
    }
}

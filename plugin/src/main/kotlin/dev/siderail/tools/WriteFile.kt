package dev.siderail.tools

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import dev.siderail.document.Change
import dev.siderail.document.Edit
import dev.siderail.document.TextStamp
import dev.siderail.document.ToolFailure
import dev.siderail.document.UnifiedDiff
import dev.siderail.document.linesOf

/** `intellij_write_file`. */
internal class WriteFile(private val edits: Edits, private val missing: MissingPath) : Tool {
    override val name get() = "intellij_write_file"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"))

    override fun run(call: ToolCall): ToolResult {
        val given = call.arguments.requiredText("path")
        val place = call.place()
        if (given.endsWith('/') && !place.exists) throw ToolFailure.invalid("`$given` names a folder, not a file")
        val change = change(call.arguments)
        val stamp = call.arguments.text("expected_stamp")
        if (change is Change.Edits && !change.isCreation && stamp == null) missing.existing(place, call)
        return WriteAnswer.of(edits.write(call, place, change, stamp), isWhole = change is Change.Content)
    }

    private fun change(arguments: Arguments): Change {
        if (listOf("content", "old_text", "edits").count(arguments::has) != 1) {
            throw ToolFailure.invalid("give exactly one of `content`, `old_text` with `new_text`, or `edits`")
        }
        arguments.text("content")?.let { return Change.Content(it) }
        val list = arguments.list("edits") ?: return Change.Edits(listOf(edit(arguments)))
        if (list.isEmpty()) throw ToolFailure.invalid("`edits` is empty")
        return Change.Edits(list.mapIndexed(::listed))
    }

    private fun edit(arguments: Arguments) =
        Edit(arguments.requiredText("old_text"), arguments.requiredText("new_text"), arguments.flag("replace_all"))

    private fun listed(index: Int, edit: JsonElement): Edit {
        if (edit !is JsonObject) {
            throw ToolFailure.invalid("`edits[$index]` must be an object with old_text and new_text")
        }
        return try {
            edit(Arguments(edit))
        } catch (failure: ToolFailure) {
            throw ToolFailure(failure.code, "in `edits[$index]`: ${failure.text}")
        }
    }
}

/** What a model is told of a write. */
internal object WriteAnswer {
    /** Characters of the diff in the answer. */
    private const val MOST_DIFF = 9_000
    private const val MOST_PROBLEMS = 10

    /** [isWhole]: a whole new text was given, so that what was there is said. */
    fun of(result: EditResult, isWhole: Boolean = false): ToolResult {
        val written = result.written
        val path = written.place.name
        val replaced = written.before?.takeIf { isWhole && result.changed }?.let {
            "replaced the whole text, which had ${linesOf(it).size} lines at stamp ${TextStamp.of(it)}"
        }
        val notes = (listOfNotNull(replaced) + written.notes).joinToString("") { "Note: $it.\n" }
        if (!result.changed) {
            return ToolResult("$path has this text already, nothing to write; stamp ${written.stamp}\n$notes")
        }
        val lines = linesOf(written.after).size
        val text = if (written.before == null) {
            "created $path, $lines lines, stamp ${written.stamp}\n$notes"
        } else {
            "wrote $path, $lines lines, stamp ${written.stamp}\n$notes${UnifiedDiff.cut(result.diff, MOST_DIFF)}"
        }
        return ToolResult(text + problems(result), listOf(written.place.relative), result.diffForPeople)
    }

    private fun problems(result: EditResult): String {
        if (result.problems.isEmpty()) return ""
        val shown = result.problems.take(MOST_PROBLEMS)
            .joinToString("") { "${it.place.line}:${it.place.column}: ${it.severity.name.lowercase()}: ${it.message}\n" }
        val more = result.problems.size - MOST_PROBLEMS
        return "New problems:\n$shown" + if (more > 0) "and $more more\n" else ""
    }
}

package dev.siderail.tools

import dev.siderail.document.DocumentReader
import dev.siderail.document.linesOf

/** `format_code`. */
internal class FormatCode(
    private val edits: Edits,
    private val reader: DocumentReader,
    private val missing: MissingPath,
) : Tool {
    override val name get() = "format_code"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"))

    override fun run(call: ToolCall): ToolResult {
        val place = missing.existing(call.place(), call)
        val first = call.arguments.number("start_line", 1, Int.MAX_VALUE)
        val last = call.arguments.number("end_line", 1, Int.MAX_VALUE)
        val lines = if (first == null && last == null) null else {
            val count = linesOf(reader.read(place, call.patience).text).size
            (first ?: 1)..minOf(last ?: count, count)
        }
        return WriteAnswer.of(edits.tidyNow(call, place, imports = false, format = true, lines))
    }
}

/** `optimize_imports`. */
internal class OptimizeImports(private val edits: Edits, private val missing: MissingPath) : Tool {
    override val name get() = "optimize_imports"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"))

    override fun run(call: ToolCall): ToolResult {
        val place = missing.existing(call.place(), call)
        return WriteAnswer.of(edits.tidyNow(call, place, imports = true, format = false))
    }
}

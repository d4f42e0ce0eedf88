package dev.siderail.tools

/** `format_code`. */
internal class FormatCode(private val edits: Edits, private val missing: MissingPath) : Tool {
    override val name get() = "format_code"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"))

    override fun run(call: ToolCall): ToolResult {
        val place = missing.existing(call.place(), call)
        val imports = call.arguments.flag("optimize_imports")
        return WriteAnswer.of(edits.tidyNow(call, place, imports, format = true))
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

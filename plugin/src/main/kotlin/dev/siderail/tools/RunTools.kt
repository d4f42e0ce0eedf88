package dev.siderail.tools

import com.google.gson.JsonPrimitive
import com.intellij.openapi.project.Project
import dev.siderail.bridge.ToolName
import dev.siderail.document.ToolFailure
import dev.siderail.ui.atMost
import java.util.concurrent.atomic.AtomicInteger

/** The tools for run configurations. Experimental: offered only where the person has switched such tools on. */
internal class RunTools(private val configurations: RunConfigurations) {
    constructor(project: Project) : this(IdeRunConfigurations(project))

    private val numbers = AtomicInteger()
    private val records = ArrayDeque<RunRecord>()

    val all: List<Tool> = listOf(
        tool(ToolName.LIST_RUN_CONFIGURATIONS, ::list),
        tool(ToolName.RUN_CONFIGURATION, ::run),
        tool(ToolName.CREATE_RUN_CONFIGURATION, ::create),
        tool(ToolName.EDIT_RUN_CONFIGURATION, ::edit),
        tool(ToolName.READ_RUN_OUTPUT, ::output),
    )

    private fun list(call: ToolCall): String = buildString {
        call.patience.check()
        val known = configurations.all()
        append("${known.size} run configurations\n")
        for (one in known) append("${one.name}: ${one.type}${if (one.isTemporary) ", temporary" else ""}\n")
        append("Types for ${ToolName.CREATE_RUN_CONFIGURATION}: ${configurations.types().joinToString()}\n")
    }

    private fun run(call: ToolCall): String {
        val name = call.arguments.requiredText("name")
        val wait = call.arguments.wait("wait_s", MOST_WAIT_S)
        val record = RunRecord("config-${numbers.incrementAndGet()}", name)
        configurations.start(name, record, call.patience)
        synchronized(records) {
            records.addLast(record)
            if (records.size > MOST_RECORDS) records.removeFirst()
        }
        record.await(wait * 1_000L, call.patience)
        return told(record, TAIL)
    }

    private fun create(call: ToolCall): String {
        val name = call.arguments.requiredText("name")
        val type = call.arguments.requiredText("type")
        configurations.create(name, type, change(call), call.patience)
        return "created the run configuration $name ($type); ${ToolName.RUN_CONFIGURATION} starts it\n"
    }

    private fun edit(call: ToolCall): String {
        val name = call.arguments.requiredText("name")
        val change = change(call)
        if (change == RunChange()) throw ToolFailure.invalid("nothing is to be changed; name program_args, vm_args, working_dir or env")
        configurations.edit(name, change, call.patience)
        return "changed the run configuration $name\n"
    }

    private fun output(call: ToolCall): String {
        val id = call.arguments.text("run_id")
        val name = call.arguments.text("name")
        val record = synchronized(records) {
            records.lastOrNull { (id == null || it.id == id) && (name == null || it.configuration == name) }
        } ?: throw ToolFailure.invalid("no such run was started by ${ToolName.RUN_CONFIGURATION}; those of the person are in the IDE's Run window")
        val page = call.arguments.number("page", 1, Int.MAX_VALUE)
            ?: return told(record, call.arguments.amount("tail", 1, MOST_TAIL) ?: TAIL)
        val pages = record.lines().chunked(PAGE_LINES)
        val shown = pages.getOrNull(page - 1) ?: throw ToolFailure.invalid("the output has ${pages.size} pages")
        return "${record.id} page $page of ${pages.size}\n" + shown.joinToString("") { "${it.atMost(LINE)}\n" }
    }

    private fun told(record: RunRecord, tail: Int): String = buildString {
        append("${record.configuration} (run_id ${record.id}) ${record.ended ?: "is running"}\n")
        val lines = record.lines()
        val shown = lines.takeLast(tail)
        if (record.missing > 0 || shown.size < lines.size) append("The last ${shown.size} lines of its output:\n")
        shown.forEach { append("${it.atMost(LINE)}\n") }
        if (record.ended == null) append("Next: ${ToolName.READ_RUN_OUTPUT} {\"run_id\":\"${record.id}\"}\n")
    }

    private fun change(call: ToolCall) = RunChange(
        mainClass = call.arguments.text("main_class"),
        programArgs = call.arguments.text("program_args"),
        vmArgs = call.arguments.text("vm_args"),
        workingDir = call.arguments.text("working_dir")?.let { "${call.folder.resolve(it).absolute}" },
        env = call.arguments.list("env")?.associate { variable ->
            val text = (variable as? JsonPrimitive)?.asString.orEmpty()
            if ('=' !in text.drop(1)) throw ToolFailure.invalid("`env` holds `$text`, which is no NAME=value")
            text.substringBefore('=') to text.substringAfter('=')
        },
    )

    private companion object {
        const val MOST_WAIT_S = 45
        const val MOST_RECORDS = 20
        const val TAIL = 100
        const val MOST_TAIL = 500
        const val PAGE_LINES = 200
        const val LINE = 500
    }
}

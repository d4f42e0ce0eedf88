package dev.siderail.tools

import com.intellij.openapi.project.Project
import dev.siderail.bridge.ToolName
import dev.siderail.document.Patience
import dev.siderail.document.ToolFailure
import dev.siderail.ui.atMost
import java.lang.ref.WeakReference

/** The tools for terminals. Experimental: offered only where the person has switched such tools on. */
internal class TerminalTools(private val terminals: Terminals) {
    private val names = TerminalNames()

    val all: List<Tool> = listOf(
        tool(ToolName.RUN_IN_TERMINAL, ::run),
        tool(ToolName.LIST_TERMINALS, ::list),
        tool(ToolName.READ_TERMINAL_OUTPUT, ::output),
    )

    private fun run(call: ToolCall): String {
        val command = command(call)
        val id = call.arguments.text("terminal_id")
        val terminal = if (id == null) terminals.open(call.folder.root, call.patience) else known(id, call.patience)
        val name = names.of(terminal.key)
        if (!terminals.type(terminal, command, call.patience)) {
            throw ToolFailure.invalid("the shell of $name has ended or it was closed, so nothing was typed; leave terminal_id out for a new terminal")
        }
        return "typed into $name (${terminal.title})\nNext: ${ToolName.READ_TERMINAL_OUTPUT} {\"terminal_id\":\"$name\"}\n"
    }

    private fun list(call: ToolCall): String = buildString {
        val open = terminals.all(call.patience)
        append("${open.size} terminals\n")
        for (one in open.take(MOST_LISTED)) {
            append("${names.of(one.key)}: ${one.title.atMost(LastLines.LINE)}, in ${one.folder ?: "a folder that is not known"}")
            append(if (one.isEnded) ", its shell has ended\n" else "\n")
        }
        if (open.size > MOST_LISTED) append("… and ${open.size - MOST_LISTED} more\n")
    }

    private fun output(call: ToolCall): String {
        val name = call.arguments.requiredText("terminal_id")
        val most = call.arguments.amount("lines", 1, MOST_LINES) ?: LINES
        val terminal = known(name, call.patience)
        val text = terminals.text(terminal, call.patience) ?: throw notOpen(name, terminals.all(call.patience))
        // Below the prompt a screen is blank.
        val lines = text.trimEnd().lines().map { it.trimEnd() }
        val shown = LastLines.of(lines, most, ANSWER)
        val ended = if (terminal.isEnded) ", its shell has ended" else ""
        return "$name (${terminal.title})$ended: the last ${shown.size} of ${lines.size} lines\n" + shown.joinToString("") { "$it\n" }
    }

    private fun command(call: ToolCall): String {
        val command = call.arguments.requiredText("command").trimEnd('\n')
        if (command.isBlank()) throw ToolFailure.invalid("`command` is empty; there is nothing to type")
        // What was judged, and asked about, is the text: a key would make something else of it.
        if (command.any { it.isISOControl() && it != '\n' }) {
            throw ToolFailure.invalid("`command` holds control characters, which are keys in a terminal: tabs, carriage returns and the like; leave them out")
        }
        return command
    }

    private fun known(name: String, patience: Patience): OpenTerminal {
        val open = terminals.all(patience)
        return open.find { names.of(it.key) == name } ?: throw notOpen(name, open)
    }

    private fun notOpen(name: String, open: List<OpenTerminal>): ToolFailure {
        val others = open.take(MOST_LISTED).joinToString { names.of(it.key) }
        val what = if (names.wasGiven(name)) "$name was closed" else "there is no terminal `$name`"
        return ToolFailure.invalid("$what; open are ${others.ifEmpty { "none" }} (${ToolName.LIST_TERMINALS}), and ${ToolName.RUN_IN_TERMINAL} without terminal_id opens one")
    }

    companion object {
        /** None where the IDE's terminal plugin is missing or switched off. */
        fun of(project: Project): List<Tool> =
            project.getService(Terminals::class.java)?.let { TerminalTools(it).all }.orEmpty()

        private const val LINES = 100
        private const val MOST_LINES = 500
        private const val MOST_LISTED = 50
        private const val ANSWER = 20_000
    }
}

/** Ids of terminals: one keeps its own as long as it lives, and none is given twice. Any thread. */
private class TerminalNames {
    private var last = 0
    private val given = ArrayList<Pair<String, WeakReference<Any>>>()

    @Synchronized
    fun of(key: Any): String {
        given.removeIf { it.second.get() == null }
        given.find { it.second.get() === key }?.let { return it.first }
        val name = "$PREFIX${++last}"
        given.add(name to WeakReference(key))
        return name
    }

    @Synchronized
    fun wasGiven(name: String): Boolean =
        name.startsWith(PREFIX) && name.removePrefix(PREFIX).toIntOrNull().let { it != null && it in 1..last }

    private companion object {
        const val PREFIX = "terminal-"
    }
}

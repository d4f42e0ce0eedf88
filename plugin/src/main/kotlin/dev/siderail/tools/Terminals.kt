package dev.siderail.tools

import dev.siderail.document.Patience
import java.nio.file.Path

/**
 * The IDE's terminals as tools see them. A project service, there only where the IDE's terminal plugin is.
 *
 * All of it is experimental: no test here can open one, so that only `docs/manual-check.md` says how it goes in a
 * real IDE. An expected failure is thrown as [dev.siderail.document.ToolFailure].
 */
interface Terminals {
    fun all(patience: Patience): List<OpenTerminal>

    /** Opens another one, in sight and without the focus. */
    fun open(folder: Path, patience: Patience): OpenTerminal

    /** Types a line and the key Enter. False where the terminal was closed or its shell has ended: nothing is typed then. */
    fun type(terminal: OpenTerminal, command: String, patience: Patience): Boolean

    /** What it shows, or the end of it; null where it was closed. */
    fun text(terminal: OpenTerminal, patience: Patience): String?
}

/**
 * A terminal as it was when it was looked at.
 *
 * @property key the same object for the same terminal, as long as that lives
 * @property folder where its shell is, null where that is not known
 * @property isEnded whether its shell has ended, so that nothing reads what is typed
 */
class OpenTerminal(val key: Any, val title: String, val folder: String?, val isEnded: Boolean)

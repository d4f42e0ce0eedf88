package dev.siderail.engine

import dev.siderail.bridge.Event
import dev.siderail.bridge.Policy
import dev.siderail.bridge.TextChange
import java.nio.file.Path

/**
 * Agents' sessions in this project, as a user interface sees them.
 *
 * All functions return at once and may be called on any thread. What comes of them is an [Event]: a session
 * answers `SESSION_STARTED` or `ERROR`, and `SUMMARY` is always its last event.
 */
interface AgentSessions {
    /** Starts a session and returns its number. While the engine is starting, this waits for it in turn. */
    fun start(options: SessionOptions): Long

    /**
     * Continues a session that waits for a prompt, in a new process of its agent and with other settings;
     * `SESSION_STARTED` comes once more. The conversation is the same one, and its past does not come again.
     */
    fun restart(session: Long, options: SessionOptions)

    /**
     * Sends a user prompt; one given while a turn runs waits for its end. [plan]: a plan is wanted first, and nothing
     * is changed before it is approved (`PLAN_PROPOSED`). [attachments] go along, as do files that the text names as
     * `@path`.
     */
    fun prompt(session: Long, text: String, plan: Boolean = false, attachments: List<Attachment> = emptyList())

    /** Cancels the running turn and drops waiting prompts. */
    fun cancel(session: Long)

    /** Takes one of the agent's modes; `SESSION_OPTIONS` says what is in force then. */
    fun setMode(session: Long, mode: String)

    /** Sets one of the agent's options; a switch takes `true` and `false`. `SESSION_OPTIONS` says what is in force then. */
    fun setOption(session: Long, option: String, value: String)

    /** Gives a text to the running turn; `STEERED` says whether the model reads it. */
    fun steer(session: Long, text: String)

    /** Takes a file's change by the last prompt back; `REVERTED` says what became of it. */
    fun revert(session: Long, path: String)

    /**
     * Logs in by a method of `LOGIN_NEEDED`, or has been done in another way (null); what failed without it is tried
     * again. An agent that has to be started anew for it gets the [values] that were entered, and what is kept for it
     * by now. [byAgent]: the running agent does it itself, so that it gets nothing.
     */
    fun login(session: Long, method: String?, values: Map<String, String> = emptyMap(), byAgent: Boolean = false)

    /** Asks for the project's kept conversations, or for those that hold the text [query], letter case aside; `HISTORY` answers. */
    fun listHistory(query: String? = null)

    /** Asks for a kept conversation as Markdown; `HISTORY_EXPORTED` answers. */
    fun exportHistory(conversation: String)

    /** Asks which agents there are and which of them are installed by now; `AGENTS` answers. */
    fun listAgents()

    /** Answers an open `PERMISSION_REQUEST` or `PLAN_PROPOSED`; one that is closed meanwhile is ignored. */
    fun answerPermission(session: Long, requestId: Long, answer: PermissionAnswer)

    /** Stops the agent; `SUMMARY` follows. */
    fun end(session: Long)

    /**
     * Hears all events from now on, in order, in batches, on a thread of the engine: never the event dispatch
     * thread. Slow listeners delay events, not agents. Closing ends it.
     */
    fun listen(listener: (List<Event>) -> Unit): AutoCloseable

    /** Hears the state at once and whenever it changes, on any thread. Closing ends it. */
    fun watchState(watcher: (EngineState) -> Unit): AutoCloseable

    /** How the engine is. */
    val state: EngineState
}

/** How the engine is. */
sealed interface EngineState {
    /** The library is being loaded. */
    data object Starting : EngineState

    /** Sessions can be started. */
    data object Ready : EngineState

    /** The project is open in Safe Mode: nothing of it is started before it is trusted. */
    data object Untrusted : EngineState

    /** There is no engine, and what is sent is dropped. [reason] says why, [hint] what to do. */
    data class Failed(val reason: String, val hint: String?) : EngineState

    /** The project is closed. */
    data object Closed : EngineState
}

/**
 * How to start a session. What is null or empty is as the user's settings file says. A project's own settings
 * file can make it stricter, never looser.
 *
 * @property agent a known agent, or any name together with [agentCommand]
 * @property agentCommand program and arguments in place of the known ones
 * @property agentEnv variables for the agent
 * @property mode the agent's mode to set
 * @property consent agents whose recipes may write into the user's own folders
 * @property switches what was chosen of settings that are on or off, by their names in a settings file
 * @property numbers the same of settings that are numbers
 * @property resume a kept conversation of the project to resume
 * @property trace file for the traffic
 * @property contentRoots folders beside the project's own whose files are the project's as well
 */
data class SessionOptions(
    val agent: String,
    val agentCommand: List<String>? = null,
    val agentEnv: Map<String, String> = emptyMap(),
    val policy: Policy? = null,
    val mode: String? = null,
    val consent: List<String> = emptyList(),
    val switches: Map<String, Boolean> = emptyMap(),
    val numbers: Map<String, Int> = emptyMap(),
    val resume: String? = null,
    val trace: Path? = null,
    val contentRoots: List<Path> = emptyList(),
)

/** What the person attached to a prompt; the engine makes content blocks of it. */
sealed interface Attachment {
    /** For people. */
    val name: String

    /** Characters that it takes in memory, about. */
    val size: Int get() = 0

    /** A file anywhere on this machine. */
    data class File(val path: Path) : Attachment {
        override val name: String get() = path.fileName.toString()
    }

    data class Text(override val name: String, val text: String) : Attachment {
        override val size: Int get() = text.length
    }

    /** Changes of files, of which the engine makes a diff. */
    data class Diff(override val name: String, val changes: List<TextChange>) : Attachment {
        override val size: Int get() = changes.sumOf { (it.before?.length ?: 0) + (it.after?.length ?: 0) }
    }

    /** An image that is not a file; [data] is Base64. */
    class Image(override val name: String, val data: String) : Attachment {
        override val size: Int get() = data.length
    }
}

/** A person's choice on a permission request. */
sealed interface PermissionAnswer {
    /** This once. */
    data object Allow : PermissionAnswer

    /** From now on in this project; for dangerous actions the same as [Allow]. */
    data object Always : PermissionAnswer

    /** One of the agent's own options. */
    data class Option(val id: String) : PermissionAnswer

    /** No, with a reason for the model; it may be empty. */
    data class Deny(val reason: String) : PermissionAnswer
}

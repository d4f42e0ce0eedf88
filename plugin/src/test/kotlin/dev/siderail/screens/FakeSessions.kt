package dev.siderail.screens

import dev.siderail.bridge.Event
import dev.siderail.bridge.Policy
import dev.siderail.document.Reverted
import dev.siderail.document.ReviewedFile
import dev.siderail.engine.AgentSessions
import dev.siderail.engine.Attachment
import dev.siderail.engine.EngineState
import dev.siderail.engine.PermissionAnswer
import dev.siderail.engine.SessionOptions
import dev.siderail.toolwindow.ReviewListener
import dev.siderail.toolwindow.ChatActions
import dev.siderail.toolwindow.FileChange
import dev.siderail.toolwindow.Mention
import dev.siderail.toolwindow.SeenFile
import java.io.File

/** Sessions that remember what was asked of them. */
class FakeSessions : AgentSessions {
    val calls = ArrayList<String>()
    private var next = 0L
    private val listeners = ArrayList<(List<Event>) -> Unit>()

    /** What each start asked for; null for what the settings say. */
    val policies = ArrayList<Policy?>()

    override fun start(options: SessionOptions): Long {
        next++
        policies += options.policy
        calls += "start $next ${options.agent}" + (options.resume?.let { " resuming $it" } ?: "")
        return next
    }

    override fun restart(session: Long, options: SessionOptions) {
        policies += options.policy
        calls += "restart $session ${options.agent}"
    }

    override fun prompt(session: Long, text: String, plan: Boolean, attachments: List<Attachment>) {
        calls += "${if (plan) "plan" else "prompt"} $session $text" + attachments.joinToString("") { " +${it.name}" }
    }

    override fun cancel(session: Long) {
        calls += "cancel $session"
    }

    override fun setMode(session: Long, mode: String) {
        calls += "mode $session $mode"
    }

    override fun setOption(session: Long, option: String, value: String) {
        calls += "set $session $option=$value"
    }

    override fun steer(session: Long, text: String) {
        calls += "steer $session $text"
    }

    override fun revert(session: Long, path: String) {
        calls += "revert $session $path"
    }

    override fun login(session: Long, method: String?, values: Map<String, String>, byAgent: Boolean) {
        calls += "login $session $method" + (if (values.isEmpty()) "" else " $values") + (if (byAgent) " by agent" else "")
    }

    override fun listHistory(query: String?) {
        calls += "history $query"
    }

    override fun exportHistory(conversation: String) {
        calls += "export $conversation"
    }

    override fun listAgents() {
        calls += "agents"
    }

    override fun answerPermission(session: Long, requestId: Long, answer: PermissionAnswer) {
        calls += "answer $session $requestId $answer"
    }

    override fun end(session: Long) {
        calls += "end $session"
    }

    override fun listen(listener: (List<Event>) -> Unit): AutoCloseable {
        listeners += listener
        return AutoCloseable { listeners -= listener }
    }

    override fun watchState(watcher: (EngineState) -> Unit): AutoCloseable {
        watcher(state)
        return AutoCloseable { }
    }

    override val state: EngineState = EngineState.Ready

    fun deliver(events: List<Event>) = listeners.toList().forEach { it(events) }
}

/** Notes what a panel wanted of the IDE. */
class FakeActions : ChatActions {
    val calls = ArrayList<String>()
    var context: List<Mention> = emptyList()
    override var projectFolder: String = Recordings.PROJECT

    override fun look(files: List<File>, seen: (List<SeenFile>) -> Unit) = seen(files.map { SeenFile.of(it, projectFolder) })

    override fun findContext(query: String, found: (List<Mention>) -> Unit) =
        found(context.filter { it.label.contains(query, ignoreCase = true) })
    var file: String? = null

    override fun openFile(path: String) {
        calls += "open $path"
    }

    override fun browse(address: String) {
        calls += "browse $address"
    }

    override fun showDiff(title: String, changes: List<FileChange>) {
        calls += "diff $title"
    }

    /** What a revert answers; the parts are reverted where it says nothing. */
    var refusal = ""
    /** A file that somebody has changed since. */
    var refusing: String? = null
    var listener: ReviewListener? = null

    override fun review(files: List<ReviewedFile>, listener: ReviewListener) {
        calls += "review ${files.joinToString { "${it.path} ${it.open.size}" }}"
        this.listener = listener
    }

    override fun revert(file: ReviewedFile, parts: Set<Int>, done: (Reverted) -> Unit) {
        calls += "revert ${file.path} ${parts.sorted()}"
        val why = if (file.path == refusing) "it has changed since" else refusal
        val reverted = Reverted(if (why.isEmpty()) parts else emptySet(), why)
        file.reverted(reverted.parts)
        done(reverted)
    }

    override fun copy(text: String) {
        calls += "copy $text"
    }

    override fun save(name: String, text: String) {
        calls += "save $name: ${text.take(20)}"
    }

    override fun chooseFile(chosen: (String) -> Unit) {
        file?.let(chosen)
    }

    override fun keepSecrets(agent: String, values: Map<String, String>) {
        calls += "keep $agent $values"
    }

    override val hasTerminal = true

    override fun runInTerminal(command: String) {
        calls += "terminal $command"
    }

    override fun openSettings() {
        calls += "settings"
    }
}

package dev.siderail.tools

import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.Project
import dev.siderail.bridge.Event
import dev.siderail.bridge.EventName
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.engine.AgentSessions
import dev.siderail.engine.HostCalls
import dev.siderail.engine.QuestionDesk
import dev.siderail.engine.ToolSettings
import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicReference

/**
 * The tools of a project: a project service, registered for [HostCalls].
 *
 * Brings the platform's part: the settings, the desk for questions, and the ends of turns. All else is
 * [ToolHost]'s.
 */
internal class ToolService(private val project: Project) : HostCalls, Disposable {
    private val desk = project.getService(QuestionDesk::class.java)
    private val host = ToolHost(
        project,
        Toolbox(project, ::settings, experimental = RunTools(project).all + TerminalTools.of(project)),
        desk,
    )
    private val listening = AtomicReference<AutoCloseable>()

    /** The project's other content roots, as each session's last call gave them. */
    private val roots = ConcurrentHashMap<Long, List<Path>>()

    override val tools: List<String> get() = host.tools

    override fun start(call: HostCall, reply: (HostReply) -> Unit) {
        roots[call.session] = call.roots
        if (listening.get() == null) listen(call.project)
        host.start(call, reply)
    }

    override fun cancel(call: Long) = host.cancel(call)

    override fun dispose() {
        listening.getAndSet(CLOSED)?.close()
        host.dispose()
    }

    /** Not before the first call: the sessions are made of what this service offers. */
    private fun listen(folder: Path) {
        if (!listening.compareAndSet(null, CLOSED)) return
        val sessions = project.getService(AgentSessions::class.java)
        listening.set(
            sessions.listen { events ->
                for (event in events) {
                    if (endsTurn(event)) host.turnEnded(event.session, folder, roots[event.session].orEmpty())
                    if (event.known == EventName.SUMMARY) sessionEnded(event.session)
                }
            },
        )
    }

    private fun sessionEnded(session: Long) {
        roots.remove(session)
        // Nobody is left to receive an answer.
        desk.cancel(session)
    }

    private fun settings(): ToolSettings =
        ApplicationManager.getApplication().getService(ToolSettings::class.java) ?: ToolSettings.Default

    companion object {
        private val CLOSED = AutoCloseable {}

        /** Whether the work on a prompt is over: not while it continues by itself, and at the latest with its session. */
        fun endsTurn(event: Event): Boolean = when (event.known) {
            EventName.TURN_ENDED -> event.body.get("continues")?.asBoolean != true
            EventName.SUMMARY -> true
            else -> false
        }
    }
}

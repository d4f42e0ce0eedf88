package dev.siderail.toolwindow

import dev.siderail.ui.Column
import dev.siderail.ui.Flow
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Wrapped
import dev.siderail.ui.named

/** What an [AgentList] does. */
internal interface AgentListActions {
    /** The agent of this chat. */
    val chosen: String

    fun use(agent: String)

    /** Starts the agent, which then says how to log in. */
    fun logIn(agent: String)

    /** Looks again which agents are installed. */
    fun lookAgain()
}

/**
 * The agents of this machine: those that can be used, those that want a login, and behind a link those that are not
 * installed, each with the command that installs it.
 */
internal class AgentList(private val ide: ChatActions, private val actions: AgentListActions) : Column(gap = 4) {
    private var shown: List<AgentOnMachine> = emptyList()
    private var chosen: String? = null

    /** The agent whose installation is shown, and whether all that are missing are. */
    private var installing: String? = null
    private var isUnfolded = false

    init {
        isVisible = false
    }

    fun show(agents: List<AgentOnMachine>) {
        if (agents == shown && actions.chosen == chosen) return
        // What was to be installed is there.
        if (agents.none { it.id == installing && it.readiness == Readiness.MISSING }) installing = null
        shown = agents
        fill()
    }

    private fun fill() {
        chosen = actions.chosen
        removeAll()
        isVisible = shown.isNotEmpty()
        val (missing, there) = shown.partition { it.readiness == Readiness.MISSING }
        add(Line(Texts["agents.title"], { Look.small }, { Look.muted }))
        if (shown.isNotEmpty() && there.isEmpty()) add(Prose(Texts["agents.none"]))
        there.forEach(::there)
        val isShort = !isUnfolded && there.isNotEmpty()
        missing.filter { !isShort || it.id == chosen || it.id == installing }.forEach(::missing)
        if (isShort && missing.isNotEmpty()) add(LeftAligned(LinkButton(Texts["agents.missing", missing.size], color = { Look.muted }) { unfold() }))
        revalidate()
        repaint()
    }

    private fun unfold() {
        isUnfolded = true
        fill()
    }

    private fun there(agent: AgentOnMachine) {
        val mark = if (agent.readiness == Readiness.READY) Mark(Mark.Kind.CHECK) else Mark(Mark.Kind.WARNING)
        val text = when {
            agent.readiness == Readiness.LOGIN -> Texts["agents.login", agent.title]
            agent.id == chosen -> Texts["agents.chosen", agent.title]
            else -> agent.title
        }
        val prose = Prose(text, { if (agent.id == chosen) Look.bold else Look.font })
        val link = when {
            agent.readiness == Readiness.LOGIN -> LinkButton(Texts["agents.login.do"]) { actions.logIn(agent.id) }
            agent.id != chosen -> LinkButton(Texts["agents.use"]) { actions.use(agent.id) }
            else -> null
        }
        link?.named("${link.text}: ${agent.title}")
        add(Marked(mark, link?.let { Wrapped(prose, it) } ?: prose))
    }

    private fun missing(agent: AgentOnMachine) {
        val link = LinkButton(Texts["agents.install"]) { install(agent) }
        link.named("${link.text}: ${agent.title}")
        add(Marked(Mark(Mark.Kind.RING), Wrapped(Prose(Texts["agents.missing.one", agent.title], { Look.font }, { Look.muted }), link)))
        if (agent.id != installing) return
        add(CommandBox(agent.install, ide::copy))
        add(
            Flow(gap = 14).apply {
                if (ide.hasTerminal) add(LinkButton(Texts["agents.install.run"]) { ide.runInTerminal(agent.install) })
                add(LinkButton(Texts["agents.again"]) { actions.lookAgain() })
            },
        )
    }

    private fun install(agent: AgentOnMachine) {
        installing = agent.id.takeIf { it != installing }
        fill()
    }
}

package dev.siderail.toolwindow

import dev.siderail.bridge.LoginKind
import dev.siderail.ui.CardButton
import dev.siderail.ui.Column
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Mark
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.beside
import dev.siderail.ui.named
import javax.swing.JComponent
import javax.swing.JPasswordField

/** What a [LoginCard] does. */
internal interface LoginActions {
    /** Takes a method; for those outside of the agent, what failed is tried again. */
    fun take(method: LoginMethod)

    /** Keeps values of variables for the agent and takes the method with them. */
    fun keep(method: LoginMethod, values: Map<String, String>)

    /** Starts the agent again. */
    fun again()

    fun copy(text: String)

    /** Runs a command in a terminal of the IDE; null where it has none. */
    val runInTerminal: ((String) -> Unit)?
}

/** A login that the agent wants: a button where it does it itself, the command where a person does, fields for keys. */
internal class LoginCard(private val ask: LoginAsk, agent: String, private val actions: LoginActions) :
    AskingCard(gap = 9) {
    private var first: JComponent? = null

    init {
        val headline = Texts["login.headline", agent]
        named(headline)
        add(Marked(Mark(Mark.Kind.ASK), Prose(headline, { Look.bold })))
        val taken = ask.taken
        if (taken == null) ask.methods.forEach { add(method(it)) } else add(Marked(Mark(Mark.Kind.RUNNING), Prose(Texts["login.waits", taken.title])))
        val isBare = ask.methods.none { it.kind == LoginKind.TERMINAL || it.kind == LoginKind.ENV_VAR }
        if (taken != null || isBare) add(LeftAligned(CardButton(Texts["login.restart"]) { actions.again() }))
    }

    private fun method(method: LoginMethod): JComponent = when (method.kind) {
        LoginKind.AGENT -> byAgent(method)
        LoginKind.TERMINAL -> byCommand(method)
        LoginKind.ENV_VAR -> byVariables(method)
    }

    private fun byAgent(method: LoginMethod) = Column(gap = 4).apply {
        val button = CardButton(method.title, isMain = method === ask.methods.first()) { actions.take(method) }
        remember(button)
        add(LeftAligned(button))
        describe(method)
    }

    private fun byCommand(method: LoginMethod) = Column(gap = 4).apply {
        add(Prose(method.title, { Look.font }))
        describe(method)
        if (method.commandLine.isNotEmpty()) {
            add(CommandBox(method.commandLine, actions::copy))
            actions.runInTerminal?.let { run -> add(LeftAligned(LinkButton(Texts["agents.install.run"]) { run(method.commandLine) })) }
        }
        val again = CardButton(Texts["login.again"]) { actions.take(method) }
        again.toolTipText = Texts["login.again.tip"]
        remember(again)
        add(LeftAligned(again))
    }

    private fun byVariables(method: LoginMethod) = Column(gap = 5).apply {
        add(Prose(method.title))
        describe(method)
        val fields = method.variables.associateWith { JPasswordField() }
        val save = CardButton(Texts["login.keep"]) {
            val values = fields.mapValues { String(it.value.password).trim() }.filterValues { it.isNotEmpty() }
            if (values.isNotEmpty()) actions.keep(method, values)
        }
        for ((name, field) in fields) {
            field.named(name)
            field.addActionListener { save.doClick(0) }
            remember(field)
            add(labelled(name, field))
        }
        add(Prose(Texts["login.keep.hint"], { Look.small }, { Look.muted }))
        add(LeftAligned(save))
    }

    private fun labelled(name: String, field: JComponent): JComponent {
        val label = Line(name, { Look.mono })
        label.labelFor = field
        return beside(label, field, gap = 10)
    }

    private fun Column.describe(method: LoginMethod) {
        if (method.description.isNotBlank()) add(Prose(method.description, { Look.small }, { Look.muted }))
    }

    private fun remember(component: JComponent) {
        if (first == null) first = component
    }

    override fun takeFocus() {
        first?.requestFocusInWindow()
    }
}

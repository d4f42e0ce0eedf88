package dev.siderail.toolwindow

import dev.siderail.bridge.QuestionKind
import dev.siderail.settings.SettingsPictures
import javax.swing.JComponent

/** What is painted, and how large. [state] says what is to be seen, for docs/screens/README.md. */
class Picture(val name: String, val width: Int, val height: Int, val state: String, val make: () -> JComponent)

object Pictures {
    /** A docked tool window is narrow and high: as wide as the IDE makes it at first, and as people leave it. */
    private const val NARROW = 350
    private const val WIDE = 500

    private class State(val name: String, val height: Int, val text: String, val narrowHeight: Int = height, val make: () -> JComponent)

    private val states = listOf(
        State("empty", 760, "Before the first message: how the agent works here, which agents there are, ways to begin, the last conversations") { ContextScenes.empty() },
        State("empty-install", 860, "No agent is installed: all that are known, one of them with the command that installs it") { ContextScenes.install() },
        State("context", 640, "`@` offers files and symbols above the field; a selection and an image are attached") { ContextScenes.typing() },
        State("commands", 480, "`/` offers the agent's own commands above the field") { ContextScenes.commands() },
        State("context-refused", 700, "An image that the agent does not take: the message is back in the field with the reason") { ContextScenes.refused() },
        State("context-large", 520, "An image that is too large: it is not attached, and why") { ContextScenes.large() },
        State("context-type", 520, "An image of a type that no model reads: it is not attached, and why") { ContextScenes.wrongType() },
        State("chat", 860, "A turn at work: thoughts, plan, a redirect in one row, a command that the person allowed, a message that waits") { Scenes.chat() },
        State("reads", 520, "Reads in a row are one row, here unfolded; a command with its seconds, and one that runs, with its seconds so far") { ContextScenes.reads() },
        State("denial", 1180, "Redirects unfolded: what was denied, what the model was told, which way it took") { Scenes.denial() },
        State("permission", 860, "Questions about commands at work: keys on the buttons, what lasts behind a menu") { Scenes.permission() },
        State("permission-danger", 620, "A question about what cannot be undone: Allow is red, and what is lost stands above it") { ContextScenes.danger() },
        State("permission-many", 860, "Two questions at once, answered one by one or together") { ContextScenes.many() },
        State("permission-edit", 620, "A question about an edit, with its diff") { Scenes.edit() },
        State("question", 820, "Questions of the agent: a choice, a confirmation") { Scenes.questions(QuestionKind.CHOICE, QuestionKind.CONFIRMATION) },
        State("question-text", 900, "Questions of the agent: a text, a value, a file") { Scenes.questions(QuestionKind.CLARIFICATION, QuestionKind.INPUT, QuestionKind.FILE_SELECTION) },
        State("plan", 820, "A plan that waits for approval") { LaterScenes.plan() },
        State("plan-at-work", 760, "An approved plan, with how far it is") { LaterScenes.planAtWork() },
        State("plan-rejected", 680, "A plan that was sent back with what is to be different, and one that was rejected") { LaterScenes.planRejected() },
        State("changes", 680, "The files that a message changed, with diffs, *Keep* and *Revert*; the way back to before the message") { LaterScenes.changes() },
        State("review", 640, "One file kept, the others to be decided about; going back to before the message asks once more") { LaterScenes.review() },
        State("back", 760, "Gone back to before a message: what was reverted, what was not and why, its text in the field") { LaterScenes.wentBack() },
        State("steering", 640, "A message given to the running turn, and one that waits") { LaterScenes.steering() },
        State("held", 560, "Stopped while a message waited: it is on hold until you send it") { ContextScenes.held() },
        State("safe-mode", 700, "A project that is not trusted: why no agent starts, and the message that waits for it") { ContextScenes.safeMode() },
        State("restored", 680, "An earlier conversation above the line, dimmed") { LaterScenes.restored() },
        State("login", 820, "An agent that needs you to log in") { LaterScenes.login() },
        State("history", 480, "The kept conversations of the project") { LaterScenes.history() },
        State("notices", 820, "Something ran unasked; an agent died, with its last words") { Scenes.notices() },
        State("debug-narrow", 720, "The Debug tab, which a setting shows") { Scenes.debug() },
        State("settings", 1440, "The settings: agents, permissions, editing, tools", narrowHeight = 2100) { SettingsPictures.page() },
        State("permission-always", 520, "The list of what lasts, which says where it is saved") { IdeScenes.always() },
        State("policy", 480, "The list of policies, from the line that says how the agent works here") { IdeScenes.policies() },
        State("gutter", 420, "In the editor: marks at what a message changed, until you decide about it, with the menu of one") { IdeScenes.gutter() },
        State("gutter-changed", 420, "In the editor: a part that was changed since keeps its mark and can be kept or compared, but not reverted") { IdeScenes.gutterChanged() },
        State("status-bar", 120, "In the status bar: nothing to do, an agent at work, a question that waits for you") { IdeScenes.statusBar() },
        State("badge", 90, "The window's icon: nothing to do, a question that waits for you") { IdeScenes.badge() },
        State("notification", 180, "While the window is hidden: an agent is done, an agent asks") { IdeScenes.notification() },
    )

    val all = states.flatMap { state ->
        listOf(
            Picture("${state.name}-$NARROW", NARROW, state.narrowHeight, state.text, state.make),
            Picture(state.name, WIDE, state.height, state.text, state.make),
        )
    } + Picture("debug", 860, 720, "The Debug tab in a wide window, with a denial's guidance") { Scenes.debugDetails(860, 720) }
}

package dev.siderail.toolwindow

import dev.siderail.engine.QuestionKind
import dev.siderail.settings.SettingsPictures
import javax.swing.JComponent

/** What is painted, and how large: a docked tool window is narrow and high. */
class Picture(val name: String, val width: Int, val height: Int, val make: () -> JComponent)

object Pictures {
    private const val WIDTH = 440

    private fun settings() = SettingsPictures.page()

    val all = listOf(
        Picture("empty", WIDTH, 560) { Scenes.empty() },
        Picture("chat", WIDTH, 860) { Scenes.chat() },
        Picture("denial", WIDTH, 1080) { Scenes.denial() },
        Picture("permission", WIDTH, 860) { Scenes.permission() },
        Picture("permission-edit", WIDTH, 620) { Scenes.edit() },
        Picture("question", WIDTH, 760) { Scenes.questions(QuestionKind.CHOICE, QuestionKind.CONFIRMATION) },
        Picture("question-text", WIDTH, 900) { Scenes.questions(QuestionKind.CLARIFICATION, QuestionKind.INPUT, QuestionKind.FILE_SELECTION) },
        Picture("plan", WIDTH, 760) { LaterScenes.plan() },
        Picture("plan-at-work", WIDTH, 760) { LaterScenes.planAtWork() },
        Picture("changes", WIDTH, 620) { LaterScenes.changes() },
        Picture("steering", WIDTH, 640) { LaterScenes.steering() },
        Picture("restored", WIDTH, 620) { LaterScenes.restored() },
        Picture("login", WIDTH, 760) { LaterScenes.login() },
        Picture("history", WIDTH, 480) { LaterScenes.history() },
        Picture("notices", WIDTH, 760) { Scenes.notices() },
        Picture("settings", 620, 1350) { settings() },
        Picture("debug", 860, 720) { Scenes.debugDetails(860, 720) },
        Picture("debug-narrow", WIDTH, 720) { Scenes.debug() },
    )
}

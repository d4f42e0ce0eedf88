package dev.siderail.toolwindow

import dev.siderail.screens.Recordings
import dev.siderail.ui.LinkButton
import com.google.gson.Gson
import java.time.LocalDateTime
import java.time.ZoneId
import javax.swing.JComponent

/** Scenes of what surrounds a turn: its plan, its changes, what was before it. */
internal object LaterScenes {
    private var seq = 2_000L

    private fun event(name: String, members: String) = Recordings.event(seq++, name, members)

    private fun text(text: String): String = Gson().toJson(text)

    private fun started() = event("SESSION_STARTED", """"agent":"claude","version":"Claude Agent 0.31.4","agent_session":"4be2","policy":"redirect","mode":"default"""")

    private fun said(text: String) = event("AGENT_MESSAGE", """"text":${text(text)}""")

    private fun ended() = event("TURN_ENDED", """"stop_reason":"end_turn","continues":false""")

    private fun read(id: String, path: String) = event(
        "OWN_TOOL", """"call":$id,"tool":"intellij_read_file","status":"completed","text":"1\tpackage backoff","paths":["$path"]""",
    )

    private val settings = event(
        "SESSION_OPTIONS",
        """"mode":"default","modes":[{"value":"default","name":"Default"},{"value":"plan","name":"Plan"}],"options":[
        {"id":"model","name":"Model","category":"model","kind":"select","current":"sonnet","choices":[{"value":"sonnet","name":"Sonnet 4.5"},{"value":"opus","name":"Opus 4.5"}]},
        {"id":"effort","name":"Effort","category":"thought_level","kind":"select","current":"high","choices":[{"value":"high","name":"High"},{"value":"low","name":"Low"}]}]""",
    )

    private fun working(prompt: String) = Scenes.scene().also {
        it.chat.send(prompt)
        it.panel.apply(listOf(started(), settings, usage))
    }

    private val usage = event("USAGE", """"used":34800,"size":200000,"cost":{"amount":0.42,"currency":"USD"}""")

    private val plan = """
        The delay is a constant in `Backoff`, and three classes read it. I would make it a setting in four steps:

        1. Add `RetrySettings` with `delayMs`, 500 as default
        2. Read it from `application.yml` in `SettingsLoader`
        3. Pass it to `Backoff` and drop the constant
        4. Cover a delay of zero and a negative one with tests

        `HttpClient` keeps its own timeout: it is not about retries.
    """.trimIndent()

    private val steps = listOf(
        "Add `RetrySettings` with `delayMs`, 500 as default", "Read it from `application.yml` in `SettingsLoader`",
        "Pass it to `Backoff` and drop the constant", "Cover a delay of zero and a negative one with tests",
    ).map { it.replace("`", "") }

    private fun steps(done: Int, running: Boolean = false) = steps.mapIndexed { at, step ->
        val status = if (at < done) "completed" else if (at == done && running) "in_progress" else "pending"
        """{"text":${text(step)},"status":"$status","priority":"medium"}"""
    }.joinToString(",", "\"entries\":[", "]")

    private fun planned() = working("Make the retry delay configurable. Plan it first.").also {
        it.panel.apply(
            listOf(
                event("PLANNING_STARTED", """"mode":"plan","text":"Make a plan first.""""),
                said("I look at who uses the delay before I propose anything."),
                read("1", "src/main/kotlin/backoff/Backoff.kt"), read("2", "src/main/resources/application.yml"),
                event("PLAN_PROPOSED", """"request_id":7,"text":${text(plan)},${steps(0)},"channel":"acp","asks":true"""),
            ),
        )
    }

    fun plan(): JComponent = planned().panel

    fun planAtWork(): JComponent = planned().also {
        it.chat.send("Leave HttpClient alone, please.")
        it.panel.apply(
            listOf(
                event("PLAN_REJECTED", """"request_id":7,"by":"user","text":"Take the default out of application.yml, not out of the code.","continues":true"""),
                said("Then `application.yml` becomes the only place for the default."),
                event("PLAN_PROPOSED", """"request_id":8,"text":${text(plan)},${steps(0)},"channel":"acp","asks":true"""),
                event("PLAN_APPROVED", """"request_id":8,"by":"user""""),
                event("PLAN", steps(1, running = true)),
                event(
                    "OWN_TOOL",
                    """"call":5,"tool":"intellij_write_file","status":"completed","text":"written","paths":["src/main/kotlin/backoff/RetrySettings.kt"],
                    "diff":"--- a\n+++ b\n@@ -0,0 +1,3 @@\n+package backoff\n+\n+data class RetrySettings(val delayMs: Long)\n"""",
                ),
            ),
        )
    }.panel

    /** Nothing of a plan that was turned down is at work, and the person can write again. */
    fun planRejected(): JComponent = planned().also {
        it.panel.apply(
            listOf(
                event("PLAN_REJECTED", """"request_id":7,"by":"user","text":"Leave HttpClient alone.","continues":true"""),
                said("Then only `Backoff` reads the setting."),
                event("PLAN_PROPOSED", """"request_id":8,"text":${text(plan)},${steps(0)},"channel":"acp","asks":true"""),
                event("PLAN_REJECTED", """"request_id":8,"by":"user","text":"","continues":false"""),
                ended(),
            ),
        )
    }.panel

    /** One of the files has been changed since. */
    fun wentBack(): JComponent = working("Make the retry delay configurable").also {
        it.panel.apply(listOf(said("The delay is a setting now."), event("CHANGES", changed), ended()))
        it.actions.refusing = "src/main/resources/application.yml"
        it.panel.review.goBack(it.chat.conversation.items.filterIsInstance<PromptItem>().last())
        it.panel.refresh()
    }.panel

    private val changed = listOf(
        Triple("src/main/kotlin/backoff/Backoff.kt", "changed", "const val DELAY = 500L\n\nclass Backoff {\n    fun wait() = sleep(DELAY)\n}\n" to "class Backoff(private val settings: RetrySettings) {\n    fun wait() = sleep(settings.delayMs)\n}\n"),
        Triple("src/main/kotlin/backoff/RetrySettings.kt", "created", null to "package backoff\n\ndata class RetrySettings(val delayMs: Long = 500)\n"),
        Triple("src/main/resources/application.yml", "changed", "server:\n  port: 8080\n" to "server:\n  port: 8080\nretry:\n  delay-ms: 500\n"),
        Triple("src/test/kotlin/backoff/OldDelayTest.kt", "deleted", "class OldDelayTest {\n    fun delay() = Unit\n}\n" to null),
    ).joinToString(",", "\"files\":[", "]") { (path, kind, texts) ->
        val (before, after) = texts
        """{"path":"$path","kind":"$kind"""" + (before?.let { ""","old_text":${text(it)}""" } ?: "") + (after?.let { ""","new_text":${text(it)}""" } ?: "") + "}"
    }

    fun changes(): JComponent = working("Make the retry delay configurable").also {
        it.panel.apply(
            listOf(
                read("1", "src/main/kotlin/backoff/Backoff.kt"),
                said("The delay is a setting now: `retry.delay-ms` in `application.yml`, 500 ms where it says nothing. I removed `OldDelayTest`, which only tested the constant."),
                event("CHANGES", changed),
                ended(),
            ),
        )
        it.chat.revert("src/main/resources/application.yml")
        it.chat.revert("src/test/kotlin/backoff/OldDelayTest.kt")
        it.panel.apply(
            listOf(
                event("REVERTED", """"path":"src/main/resources/application.yml","done":false,"text":"it has changed since""""),
                event("REVERTED", """"path":"src/test/kotlin/backoff/OldDelayTest.kt","done":true"""),
            ),
        )
    }.panel

    /** One file is kept, one message at a time is in review, and going back asks once more. */
    fun review(): JComponent = working("Make the retry delay configurable").also {
        it.panel.apply(listOf(said("The delay is a setting now."), event("CHANGES", changed), ended()))
        val changes = it.chat.conversation.items.filterIsInstance<ChangesItem>().single()
        it.panel.review.keep(changes, changes.files.take(1))
        fun links(root: java.awt.Component): List<LinkButton> =
            listOfNotNull(root as? LinkButton) + (root as? java.awt.Container)?.components.orEmpty().flatMap(::links)
        links(it.panel).first { link -> link.text == dev.siderail.ui.Texts["back"] }.doClick()
    }.panel

    /** Texts that wait, one of them given to the turn, and a command that is being typed. */
    fun steering(): JComponent = working("Write tests for Backoff").also {
        it.panel.apply(
            listOf(
                event(
                    "AGENT_COMMANDS",
                    """"commands":[{"name":"compact","description":"Shorten the conversation so far","hint":"what to keep"},
                    {"name":"code-review","description":"Review the changes of this branch"},{"name":"cost","description":"What this session has cost"}]""",
                ),
                read("1", "src/main/kotlin/backoff/Backoff.kt"),
                said("I begin with the happy path, then the limits."),
                event("STEERED", """"text":"Use JUnit 5, not 4.","taken":true"""),
                said("JUnit 5 it is."),
            ),
        )
        it.chat.send("And cover a delay of zero.")
        it.chat.steer(0)
        it.chat.send("When you are done, run the whole suite.")
        it.chat.draft = "/co"
        it.panel.takeDraft()
    }.panel

    fun restored(): JComponent = working("").also { scene ->
        val at = LocalDateTime.of(2026, 11, 12, 14, 3).atZone(ZoneId.systemDefault()).toInstant().toEpochMilli()
        val past = listOf(
            """{"event":"TURN_STARTED","origin":"user","text":"Why is BackoffTest flaky?"}""",
            """{"event":"TOOL_CALL","tool_call_id":"c1","tool":"bash","kind":"execute","status":"completed","title":"t","command":"./gradlew test --tests BackoffTest","text":"3 tests, 1 failed"}""",
            """{"event":"AGENT_MESSAGE","text":${text("It measures real time: on a loaded machine `sleep(500)` takes longer than the 600 ms that the test allows. A clock that the test winds would make it exact.")}}""",
        )
        scene.chat.send("Then give Backoff such a clock.")
        scene.panel.apply(past.map { event("RESTORED", """"at":$at,"entry":$it""") })
        scene.panel.apply(listOf(event("RESUMED", """"id":"3f2a91c0","by":"resume","entries":3,"omitted":0"""), started(), settings))
        scene.panel.apply(listOf(said("`Backoff` takes a `Clock` as its second argument now; the test winds it by hand and runs in 4 ms.")))
    }.panel

    fun login(): JComponent = Scenes.scene("gemini").also {
        it.chat.send("Make the retry delay configurable")
        it.panel.apply(
            listOf(
                event("ERROR", """"kind":"login","text":"the agent needs you to log in: Authentication required""""),
                event(
                    "LOGIN_NEEDED",
                    """"methods":[{"id":"oauth","name":"Log in with Google","description":"Opens your browser","kind":"agent"},
                    {"id":"terminal","name":"Log in in a terminal","kind":"terminal","command":["gemini","--prompt-interactive","/auth"],"command_line":"gemini --prompt-interactive /auth"},
                    {"id":"key","name":"Use a Gemini API key","description":"From aistudio.google.com","kind":"env_var","vars":["GEMINI_API_KEY"]}]""",
                ),
            ),
        )
    }.panel

    fun history(): JComponent {
        val model = HistoryModel({}, {})
        val panel = HistoryPanel(model, dev.siderail.screens.FakeActions()) {}
        val at = { day: Int, hour: Int -> LocalDateTime.of(2026, 11, day, hour, 12).atZone(ZoneId.systemDefault()).toInstant().toEpochMilli() }
        val kept = listOf(
            Triple("Make the retry delay configurable", "claude" to 4, at(14, 16)), Triple("Why is BackoffTest flaky?", "claude" to 2, at(12, 14)),
            Triple("Replace the hand-written JSON of the settings loader by Gson, keep its error messages", "codex" to 11, at(11, 9)),
            Triple("Explain what HttpClient does when the server closes the connection", "gemini" to 1, at(10, 18)), Triple("Upgrade Gradle", "opencode" to 6, at(3, 11)),
        ).mapIndexed { n, (title, who, started) -> """{"id":"c$n","agent":"${who.first}","title":"$title","started_ms":$started,"turns":${who.second}}""" }
        panel.apply(Recordings.event(seq++, "HISTORY", """"conversations":$kept""", session = 0))
        return panel
    }
}

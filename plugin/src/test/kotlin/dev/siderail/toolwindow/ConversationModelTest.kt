package dev.siderail.toolwindow

import com.google.gson.JsonParser
import dev.siderail.bridge.DeniedBy
import dev.siderail.bridge.ToolName
import dev.siderail.screens.Recordings
import dev.siderail.settings.ToolTitle
import dev.siderail.ui.Tone
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTimeout
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration

class ConversationModelTest {
    private val texts = ToolTexts(Recordings.PROJECT)

    private fun replay(name: String) = conversation().also { model -> Recordings.events(name).forEach(model::apply) }

    private fun told(item: ConversationItem): String = when (item) {
        is PromptItem -> "you: ${item.text}"
        is SpeechItem -> (if (item.isThought) "thought: " else "says: ") + item.text.firstLine(60)
        is ToolItem -> "${item.status} ${texts.verb(item)} ${texts.target(item)} ${texts.note(item)}".trim() + texts.result(item).first.let { if (it.isEmpty()) "" else " ($it)" }
        is GroupItem -> "group: ${texts.group(item)}"
        is PlanItem -> "plan: " + item.steps.joinToString { it.status.name }
        is NoticeItem -> "${item.tone}: ${item.title}"
        is ProposalItem -> "${item.state} " + item.pieces.joinToString { if (it is Piece.Code) it.text else (it as Piece.Html).html.replace(Regex("<[^>]*>"), "") }
        is ChangesItem -> "changed: " + item.files.joinToString { "${it.path} ${it.state}" }
        is DividerItem -> "--- ${item.text}"
    }

    private fun check(recording: String, vararg expected: String) =
        assertEquals(expected.joinToString("\n"), replay(recording).items.joinToString("\n", transform = ::told))

    @Test
    fun `the demo reads as a story of denials and what the model did instead`() = check(
        "demo",
        "you: Please set x to 2 in src/App.java of this project.",
        "thought: I will change x to 2.",
        "says: The built-in edit was denied, so I use the IDE's tool.",
        "DONE Write src/App.java instead of Edit (+1 −1)",
        "says: Reading by the shell was denied as well; the IDE can read.",
        "DONE Read src/App.java instead of “cat”",
        "DONE Run date",
        "DENIED Edit src/App.java (denied, not followed)",
        "DENIED Edit src/App.java (denied, not followed)",
        "INFO: Reminded of the sandbox",
        "says: x is 2 now, written through the IDE.",
    )

    @Test
    fun `a tool without a text of its own is called by its name in words`() {
        fun verb(tool: String): String {
            val model = conversation()
            model.apply(Recordings.event(1, "TOOL_CALL", """"tool_call_id":"a","tool":"$tool","kind":"other","status":"pending","title":"","paths":[]"""))
            return texts.verb(model.items.single() as ToolItem)
        }
        assertEquals(listOf("Outline", "A later tool", "Paths"), listOf("get_file_outline", "a_later_tool", "paths").map(::verb))
        assertEquals("Find references", ToolTitle.inWords(ToolName.FIND_REFERENCES.word))
        assertEquals(ToolName.entries.size, ToolName.entries.map(ToolTitle::of).toSet().size, "no two are called the same")
    }

    @Test
    fun `the seconds of a running call begin when the person has allowed it`() {
        var seconds = 0L
        val model = conversation(clock = Stopwatch { seconds * 1_000_000_000 })
        val about = """"tool_call_id":"a","tool":"Bash","kind":"execute""""
        model.apply(Recordings.event(1, "TOOL_CALL", """$about,"status":"pending","title":"","command":"make","paths":[]"""))
        model.apply(Recordings.event(2, "PERMISSION_REQUEST", """$about,"request_id":1,"text":"make","paths":[],"channel":"acp","options":[],"asks":true"""))
        val call = model.items.single() as ToolItem
        seconds = 60
        assertEquals(60, call.secondsSoFar, "it waits")
        model.apply(Recordings.event(3, "PERMISSION_APPROVED", """$about,"request_id":1,"by":"user""""))
        seconds = 65
        assertEquals(5, call.secondsSoFar)
    }

    @Test
    fun `calls in parallel keep their own rows, and every denial names who denied`() = check(
        "asks-claude",
        "you: Make the retry delay configurable",
        "thought: The user wants the **retry delay** to be configurable. I sh…",
        "plan: PENDING, PENDING, PENDING",
        "says: I'll look at how the delay is set today.",
        "DONE Read src/Backoff.java instead of “cat”",
        "DONE Write src/Backoff.java instead of Edit (+1 −1)",
        "says: The delay is a field now:",
        "DENIED Run npm install --save-dev left-pad && npm run build (denied by you)",
        "DENIED Run gradle publishToMavenLocal --info (denied by you)",
        "DENIED Run rm -rf build (denied by you)",
        "INFO: Reminded of the sandbox",
        "DENIED Run git push origin main (denied by you)",
        "says: Done. The tests that cover it are in `BackoffTest`.",
    )

    @Test
    fun `an agent's death shows what happened, its last words, and a way on`() {
        val notice = replay("death").items.single() as NoticeItem
        assertEquals("The agent exited unexpectedly", notice.title)
        assertEquals("The agent ended unexpectedly (exited with code 2)", notice.text.lines().first())
        assertTrue(notice.details.startsWith("scripted agent: script story.toml cannot be read")) { notice.details }
        assertTrue(notice.offersRestart)
    }

    @Test
    fun `a login that is needed says how to log in`() {
        val notice = replay("login").items.single() as NoticeItem
        assertEquals(Tone.INFO, notice.tone, "the headline is the card's")
        assertTrue("log in" in notice.title || "login" in notice.title) { notice.title }
        assertTrue("log in with: gemini" in notice.text) { notice.text }
    }

    @Test
    fun `being unguarded is told once`() {
        val model = conversation()
        repeat(3) { model.apply(Recordings.event(it.toLong(), "UNGUARDED", """"text":"Bash ran"""")) }
        assertEquals(1, model.items.size)
    }

    @Test
    fun `a plan is replaced in place`() {
        val model = conversation()
        model.apply(Recordings.event(1, "PLAN", """"entries":[{"text":"a","status":"pending","priority":"high"}]"""))
        model.apply(Recordings.event(2, "AGENT_MESSAGE", """"text":"working""""))
        model.apply(Recordings.event(3, "PLAN", """"entries":[{"text":"a","status":"completed","priority":"high"}]"""))
        assertEquals("plan: COMPLETED\nsays: working", model.items.joinToString("\n", transform = ::told))
    }

    @Test
    fun `a call that is still open when the turn ends is not shown as running for ever`() {
        val model = conversation()
        model.apply(Recordings.event(1, "TOOL_CALL", """"tool_call_id":"a","tool":"bash","kind":"execute","status":"in_progress","title":"x","command":"sleep 9""""))
        model.apply(Recordings.event(2, "TURN_ENDED", """"stop_reason":"cancelled","continues":false"""))
        assertEquals("CANCELLED Run sleep 9 (cancelled)\nINFO: Stopped", model.items.joinToString("\n", transform = ::told))
    }

    private fun read(call: Int, path: String) = listOf("started", "completed").mapIndexed { at, status ->
        Recordings.event(10L * call + 30 * at, "OWN_TOOL", """"call":$call,"tool":"intellij_read_file","status":"$status","text":"$path","paths":["$path"]""")
    }

    @Test
    fun `reads in a row are one row once something else comes, and later ones join them`() {
        val model = conversation()
        (1..4).flatMap { read(it, "src/$it.kt") }.forEach(model::apply)
        assertEquals("group: Read ×3\nDONE Read src/4.kt (3 s)", model.items.joinToString("\n", transform = ::told))
        model.apply(Recordings.event(100, "AGENT_MESSAGE", """"text":"So.""""))
        assertEquals("group: Read ×4\nsays: So.", model.items.joinToString("\n", transform = ::told))
        (5..6).flatMap { read(it, "src/$it.kt") }.forEach(model::apply)
        model.apply(Recordings.event(200, "AGENT_MESSAGE", """"text":"Yes.""""))
        assertEquals("group: Read ×4\nsays: So.\nDONE Read src/5.kt (3 s)\nDONE Read src/6.kt (3 s)\nsays: Yes.", model.items.joinToString("\n", transform = ::told))
    }

    @Test
    fun `what is folded is forgotten with what it is folded into`() {
        val model = conversation(maxItems = 2)
        Recordings.events("demo").forEach(model::apply)
        assertEquals(2, model.items.size)
        val small = conversation(maxCharacters = 10)
        repeat(30) { round ->
            Recordings.events("demo").forEach(small::apply)
            assertEquals(1, small.items.size, "round $round")
        }
    }

    @Test
    fun `a piece of text touches one item`() {
        val model = replay("demo")
        model.takeChanged()
        model.apply(Recordings.event(90, "AGENT_MESSAGE", """"text":"a""""))
        model.apply(Recordings.event(91, "AGENT_MESSAGE", """"text":"b""""))
        val changed = model.takeChanged()
        assertEquals(listOf("ab"), changed.map { (it as SpeechItem).text })
        assertTrue(model.takeChanged().isEmpty())
    }

    @Test
    fun `a session of a hundred thousand events stays within its bounds`() {
        val model = conversation(maxItems = 500, maxCharacters = 500_000)
        assertTimeout(Duration.ofSeconds(180)) {
            for (at in 0L until 100_000) {
                model.apply(
                    when (at % 100) {
                        0L -> Recordings.event(at, "TURN_STARTED", """"origin":"user","text":"turn $at"""")
                        in 1L..10L -> Recordings.event(
                            at, "TOOL_CALL",
                            """"tool_call_id":"call-${at / 2}","tool":"bash","kind":"execute","status":"completed","title":"t","command":"echo $at","text":"${"o".repeat(300)}"""",
                        )
                        99L -> Recordings.event(at, "TURN_ENDED", """"stop_reason":"end_turn","continues":false""")
                        else -> Recordings.event(at, "AGENT_MESSAGE", """"text":"piece $at """")
                    },
                )
                if (at % 50 == 0L) model.takeChanged()
            }
        }
        assertTrue(model.items.size <= 500) { "${model.items.size} items" }
        assertTrue(model.items.sumOf { it.size } <= 500_000) { "${model.items.sumOf { it.size }} characters" }
        assertTrue(model.dropped > 5_000) { "${model.dropped} dropped" }
        assertTrue(model.items.any { it is PromptItem && it.text == "turn 99900" })
    }

    @Test
    fun `one endless message is bounded too`() {
        val model = conversation(maxCharacters = 1_000_000)
        repeat(5_000) { model.apply(Recordings.event(it.toLong(), "AGENT_MESSAGE", """"text":"${"x".repeat(1_000)}"""")) }
        assertTrue(model.items.sumOf { it.size } <= 1_000_000)
        assertTrue(model.items.size > 1)
    }

    @Test
    fun `every patch and every item that crosses the boundary is understood`() {
        val patches = JsonParser.parseString(Files.readString(Path.of(System.getProperty("siderail.root"), "tests", "boundary", "view.patches.json"))).asJsonArray
        val model = ConversationModel { patches.map { it.asJsonObject } }
        model.apply(Recordings.event(1, "ERROR", """"kind":"closed","text":"the agent ended","hint":"start it again""""))
        val kinds = patches.map { it.asJsonObject }.mapNotNull { it.textOrNull("item") }
        assertEquals(
            listOf(
                "INFO: The first 3 entries are not shown", "--- Resumed here; the agent does not remember the conversation",
                "you: Change x to 2.", "says: Look:", "RUNNING Write  instead of “tee”", "group: ", "plan: ",
                "WAITING Look at App:, int x;", "changed: src/App.java STANDS", "BAD: The agent exited unexpectedly",
            ),
            model.items.drop(1).map(::told),
        )
        assertEquals(kinds.size - 3, model.items.size, "one is replaced, one is folded, one is removed")
        assertEquals("out of memory", model.items.filterIsInstance<NoticeItem>().last().details)
        val speech = model.items.filterIsInstance<SpeechItem>().single()
        assertEquals(listOf<Piece>(Piece.Html("<p>Look:</p>"), Piece.Code("rust", "let a = 1;\nlet b = 2;")), speech.settled + speech.open)
        val denied = model.items.filterIsInstance<ToolItem>().single().insteadOf!!
        assertEquals(Denial(DeniedBy.POLICY, "the IDE writes", "Use intellij_write_file.", "hook", "intellij_write_file", "delivered", Denial.Outcome.FOLLOWED), denied.denial)
        assertEquals(listOf("src/App.java"), denied.paths)
        assertEquals(listOf(FileChange("src/App.java", "1", "2")), denied.changes)
        assertEquals(3, denied.seconds)
        assertEquals(denied, model.toolOf(7))
        assertTrue(model.proposalOf(9) != null)
    }

    @Test
    fun `what a later engine says of a conversation breaks nothing`() {
        val model = ConversationModel()
        fun says(seq: Long, vararg patches: String) = model.apply(Recordings.event(seq, "SOMETHING_NEW", """"view":[${patches.joinToString(",")}]"""))
        says(1, """{"patch":"turn_over","id":1}""", """{"patch":"append","id":1,"item":"hologram"}""", "7", """{"patch":"extend","id":1,"text":"x"}""")
        says(2, """{"patch":"append","id":2,"item":"call","paths":"no list","diffs":[3],"is_own":"yes","status":"pondered"}""")
        says(3, """{"patch":"replace","id":9,"item":"call"}""", """{"patch":"fold","into":2,"ids":[9,"x"]}""", """{"patch":"remove","id":9}""")
        assertEquals(listOf("PENDING"), model.items.map { (it as ToolItem).status.name })
    }

    private var seq = 5_000L

    private fun ConversationModel.happens(name: String, members: String = "") = apply(Recordings.event(seq++, name, members))

    private fun ConversationModel.told() = items.map(::told)

    @Test
    fun `the past stands between two lines, and nothing of it can be acted on`() {
        val model = conversation()
        val restored = { entry: String -> model.happens("RESTORED", """"at":1700000000000,"entry":$entry""") }
        restored("""{"event":"TURN_STARTED","origin":"user","text":"go on"}""")
        restored("""{"event":"AGENT_MESSAGE","text":"one"}""")
        restored("""{"event":"AGENT_MESSAGE","text":"two"}""")
        restored("""{"event":"TOOL_CALL","tool_call_id":"c1","tool":"bash","kind":"execute","status":"completed","title":"t","command":"ls"}""")
        restored("""{"event":"TURN_STARTED","origin":"user","text":"go on"}""")
        restored("""{"event":"CHANGES","files":[{"path":"a","kind":"changed","old_text":"1","new_text":"2"}]}""")
        model.happens("RESUMED", """"id":"3f2a91c0","by":"history","entries":6,"omitted":3""")
        assertTrue(model.items.all { it.isPast })
        assertTrue(model.revertible == null)
        model.prompt("and now")
        model.happens("TOOL_CALL", """"tool_call_id":"c1","tool":"bash","kind":"execute","status":"completed","title":"t","command":"pwd"""")
        assertEquals(
            listOf("you: go on", "says: one", "says: two", "DONE Run ls", "you: go on", "changed: a STANDS", "INFO: The first 3 entries are not shown"),
            model.told().subList(1, 8),
        )
        assertTrue(model.told()[0].startsWith("--- An earlier conversation, "))
        assertEquals("--- Resumed here; the agent does not remember the conversation", model.told()[8])
        assertEquals(listOf("you: and now", "DONE Run pwd"), model.told().drop(9))
        assertTrue(model.items.drop(9).none { it.isPast })
    }

    @Test
    fun `what an agent tells late of the past still stands above the present`() {
        val model = conversation()
        model.happens("RESUMED", """"id":"3f2a91c0","by":"load","entries":0,"omitted":0""")
        model.happens("RESTORED", """"entry":{"event":"AGENT_MESSAGE","text":"late"}""")
        assertEquals(listOf("--- An earlier conversation", "says: late", "--- Resumed here"), model.told())
    }

    @Test
    fun `a plan that is sent back keeps its text and the person's words, and an approved one goes on with its steps`() {
        val model = conversation()
        model.prompt("refactor")
        model.happens("PLANNING_STARTED", """"mode":"plan","text":"Make a plan first."""")
        model.happens("PLAN", """"entries":[{"text":"look","status":"pending","priority":"high"}]""")
        model.happens("PLAN_PROPOSED", """"request_id":5,"text":"1. x","entries":[],"channel":"acp","asks":true""")
        model.happens("PLAN_REJECTED", """"request_id":5,"by":"user","text":"not x, y","continues":true""")
        val steps = """"entries":[{"text":"y","status":"pending","priority":"medium"},{"text":"z","status":"pending","priority":"medium"}]"""
        model.happens("PLAN_PROPOSED", """"request_id":6,"text":"1. y",$steps,"channel":"turn","asks":true""")
        model.happens("PLAN_APPROVED", """"request_id":6,"by":"user"""")
        model.happens("PLAN", steps.replaceFirst("pending", "completed"))
        assertEquals(
            listOf("you: refactor", "INFO: A plan first", "SENT_BACK x", "you: not x, y", "APPROVED y", "plan: COMPLETED, PENDING"),
            model.told(),
        )
        assertEquals(Progress(1, null, 2), model.progress)
        model.happens("PLAN", steps.replaceFirst("pending", "completed").replaceFirst("pending", "in_progress"))
        assertEquals(Progress(1, 2, 2), model.progress)
        model.sessionEnded()
        assertEquals(Progress(1, null, 2), model.progress, "nobody is at a step any more")
    }

    @Test
    fun `an approved plan without a list of the agent's shows its own steps`() {
        val model = conversation()
        model.happens("PLAN_PROPOSED", """"request_id":6,"text":"1. y","entries":[{"text":"y","status":"pending","priority":"medium"}],"channel":"turn","asks":true""")
        model.happens("PLAN_APPROVED", """"request_id":6,"by":"user"""")
        assertEquals(listOf("APPROVED y", "plan: PENDING"), model.told())
    }

    @Test
    fun `the files of one prompt are told once, at the end, with what each turn of it added`() {
        val model = conversation()
        model.prompt("go")
        model.happens("CHANGES", """"files":[{"path":"a","kind":"created","new_text":"1\n2"}]""")
        model.happens("AGENT_MESSAGE", """"text":"more"""")
        model.happens("CHANGES", """"files":[{"path":"a","kind":"created","new_text":"1\n2"},{"path":"b","kind":"deleted","old_text":"1"},{"path":"c","kind":"changed"}]""")
        assertEquals(listOf("you: go", "says: more", "changed: a STANDS, b STANDS, c STANDS"), model.told())
        assertEquals(listOf(2 to 0, 0 to 1, null), model.revertible!!.files.map { it.count })
        assertEquals(null, model.revertible!!.files[2].change, "what cannot be shown is not offered")
    }

    @Test
    fun `a notice of the agent is as loud as the agent says`() {
        val model = conversation()
        model.happens("AGENT_NOTICE", """"text":"a","severity":"warning"""")
        model.happens("AGENT_NOTICE", """"text":"b"""")
        model.happens("AGENT_NOTICE", """"text":"c","severity":"error"""")
        assertEquals(listOf(Tone.WARNING, Tone.INFO, Tone.BAD), model.items.map { (it as NoticeItem).tone })
    }
}

package dev.siderail.toolwindow

import dev.siderail.BoundaryFiles
import dev.siderail.bridge.Event
import dev.siderail.bridge.QuestionKind
import dev.siderail.engine.Answer
import dev.siderail.engine.PermissionAnswer
import dev.siderail.engine.Question
import dev.siderail.engine.QuestionDesk
import dev.siderail.screens.Recordings
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class WaitingModelsTest {
    private val conversation = conversation()
    private val permissions = PermissionModel(conversation)

    private fun replay(name: String, count: Int = Int.MAX_VALUE) = Recordings.events(name).take(count).forEach {
        conversation.apply(it)
        permissions.apply(it)
    }

    private fun ask(kind: String, options: String, mayBeRemembered: Boolean = true) = Recordings.event(
        1, "PERMISSION_REQUEST",
        """"request_id":5,"tool_call_id":null,"tool":"Bash","kind":"$kind","text":"make","paths":[],"channel":"acp","options":[$options],"may_be_remembered":$mayBeRemembered,"asks":true""",
    )

    private fun option(id: String, kind: String) = """{"id":"$id","name":"name of $id","kind":"$kind"}"""

    @Test
    fun `two questions at once are both open, in order, and leave when the engine says so`() {
        val events = Recordings.events("asks-claude")
        var most = 0
        for (event in events) {
            conversation.apply(event)
            permissions.apply(event)
            most = maxOf(most, permissions.open.size)
            if (most == 2 && permissions.open.size == 2) {
                assertEquals(listOf("gradle publishToMavenLocal --info", "rm -rf build"), permissions.open.map { it.text })
            }
        }
        assertEquals(2, most)
        assertTrue(permissions.open.isEmpty())
    }

    @Test
    fun `a plan waits for approval with its text, through the end of the turn that made it`() {
        val plan = """"request_id":7,"text":"1. change x","entries":[],"channel":"turn","asks":true"""
        permissions.apply(Recordings.event(1, "TURN_ENDED", """"stop_reason":"end_turn","continues":true"""))
        permissions.apply(Recordings.event(2, "PLAN_PROPOSED", plan))
        val ask = permissions.open.single()
        assertEquals("1. change x", ask.text)
        assertEquals(listOf(PermissionAnswer.Allow), ask.choices.map { it.answer })
        assertTrue("plan" in ask.headline("Claude"))
        ask.reason = " y too "
        assertEquals(PermissionAnswer.Deny("y too"), ask.deny())
        permissions.apply(Recordings.event(3, "PLAN_REJECTED", """"request_id":7,"by":"user","text":"y too","continues":true"""))
        assertTrue(permissions.open.isEmpty())
        permissions.apply(Recordings.event(4, "PLAN_PROPOSED", plan.replace("true", "false")))
        assertTrue(permissions.open.isEmpty(), "nobody is asked")
    }

    @Test
    fun `what is asked says what the call does, and names a tool where nobody knows that`() {
        fun headline(tool: String, kind: String): String {
            permissions.clear()
            permissions.apply(Recordings.event(1, "PERMISSION_REQUEST", """"request_id":1,"tool":"$tool","kind":"$kind","text":"","options":[],"asks":true"""))
            return permissions.open.single().headline("Claude")
        }
        assertEquals("May Claude run this command?", headline("Bash", "execute"))
        assertEquals("May Claude run this command?", headline("Bash", "git"))
        assertEquals("May Claude run this command?", headline("run_command", "other"))
        assertEquals("May Claude commit this?", headline("git_commit", "git"))
        assertEquals("May Claude use git_branch?", headline("git_branch", "git"))
        assertEquals("May Claude run the tests?", headline("run_tests", "run_tests"))
        assertEquals("May Claude use db/query?", headline("db/query", "mcp"))
        assertEquals("May Claude do this?", headline("other", "other"))
        assertEquals("May Claude do this?", headline("switch_mode", "mcp"))
    }

    @Test
    fun `a label that only says the kind names no tool`() {
        for (case in BoundaryFiles.json("rule", "nameless_tools").asJsonArray.map { it.asJsonObject }) {
            permissions.clear()
            val body = """"request_id":1,"tool":${case["tool"]},"kind":${case["kind"]},"text":"","options":[],"asks":true"""
            permissions.apply(Recordings.event(1, "PERMISSION_REQUEST", body))
            assertEquals(case["nameless"].asBoolean, permissions.open.single().isNameless, case.toString())
        }
    }

    @Test
    fun `the agent's own options keep their words, and what lasts never comes first`() {
        permissions.apply(ask("execute", listOf(option("always", "allow_always"), option("never", "reject_always"), option("once", "allow_once"), option("no", "reject_once")).joinToString()))
        val choices = permissions.open.single().choices
        assertEquals(listOf("name of once", "Always in this project", "name of always", "name of never"), choices.map { it.label })
        assertEquals(PermissionAnswer.Option("once"), choices[0].answer)
        assertEquals(PermissionAnswer.Always, choices[1].answer)
    }

    @Test
    fun `an option says what it does, whatever it is called`() {
        val lie = """{"id":"x","name":"Reject (recommended)","kind":"allow_once","contradicts":true}"""
        permissions.apply(ask("execute", lie))
        assertEquals("Allow once, although the agent calls it “Reject (recommended)”", permissions.open.single().choices[0].meaning)
        permissions.apply(Recordings.event(2, "TURN_ENDED", """"stop_reason":"cancelled","continues":false"""))
        permissions.apply(ask("execute", option("once", "allow_once")))
        assertEquals("Allow once: name of once", permissions.open.single().choices[0].meaning)
        fun meaning(name: String, kind: ChoiceKind) = PermissionChoice(name, dev.siderail.engine.PermissionAnswer.Option("x"), kind).meaning
        assertEquals("Allow once", meaning("Yes", ChoiceKind.ALLOW_ONCE), "a name that says no more is left out")
        assertEquals("Always allow: Yes", meaning("Yes", ChoiceKind.ALLOW_ALWAYS), "what lasts keeps the agent's own name")
    }

    @Test
    fun `an agent that offers only a lasting yes does not make it the first choice`() {
        permissions.apply(ask("execute", option("always", "allow_always")))
        assertEquals(PermissionAnswer.Allow, permissions.open.single().choices[0].answer)
    }

    @Test
    fun `nothing that lasts is offered where the engine would not remember it, by us or by the agent`() {
        for (kind in listOf("destructive", "edit", "other")) {
            val options = listOf(option("always", "allow_always"), option("odd", "some_kind"), option("once", "allow_once"))
            permissions.apply(ask(kind, options.joinToString(), mayBeRemembered = false))
            assertEquals(listOf<PermissionAnswer>(PermissionAnswer.Option("once")), permissions.open.single().choices.map { it.answer })
        }
    }

    @Test
    fun `a request as the boundary pins it shows its change, what lies outside and what is destroyed`() {
        permissions.apply(Event.of(BoundaryFiles.json("event", "permission_request").asJsonObject))
        val ask = permissions.open.single()
        assertEquals(listOf<PermissionAnswer>(PermissionAnswer.Option("allow")), ask.choices.map { it.answer })
        assertEquals(FileChange("/home/me/App.java", "int x = 1;\n", "int x = 2;\n"), ask.changes.single())
        assertEquals(setOf("/home/me/App.java"), ask.outside)
        assertTrue(ask.outside.all { it in ask.paths })
        assertTrue(ask.destroys.startsWith("App.java is replaced"))
    }

    @Test
    fun `a request that nobody is asked about is not shown, and a turn's end leaves none behind`() {
        replay("demo")
        assertTrue(permissions.open.isEmpty())
        permissions.apply(ask("execute", ""))
        permissions.apply(Recordings.event(2, "TURN_ENDED", """"stop_reason":"cancelled","continues":false"""))
        assertTrue(permissions.open.isEmpty())
    }

    @Test
    fun `a question for an edit shows the change that the agent announced`() {
        conversation.apply(
            Recordings.event(
                1, "TOOL_CALL",
                """"tool_call_id":"c","tool":"edit","kind":"edit","status":"pending","title":"Edit","paths":["/p/a.kt"],"diffs":[{"path":"/p/a.kt","old_text":"a\nb\nc","new_text":"a\nB\nc"}]""",
            ),
        )
        val request = Recordings.event(
            2, "PERMISSION_REQUEST", """"request_id":5,"tool_call_id":"c","tool":"edit","kind":"edit","text":"","paths":["a.kt"],"channel":"acp","options":[],"asks":true""",
        )
        conversation.apply(request)
        permissions.apply(request)
        val ask = permissions.open.single()
        assertEquals(FileChange("/p/a.kt", "a\nb\nc", "a\nB\nc"), ask.changes.single())
        assertEquals(Glance(listOf(" a", "-b", "+B", " c"), 4, 1, 1), ask.glance)
    }

    @Test
    fun `a denial carries the reason without its blanks`() {
        permissions.apply(ask("execute", ""))
        val ask = permissions.open.single()
        ask.reason = "  use gradle \n"
        assertEquals(PermissionAnswer.Deny("use gradle"), ask.deny())
    }

    @Test
    fun `each kind of question takes its answer, and an empty one is not sent`() {
        for (kind in QuestionKind.entries) {
            val desk = QuestionDesk()
            val questions = QuestionModel()
            var answer: Answer? = null
            desk.ask(Question(1, kind, "?", options = if (kind == QuestionKind.CHOICE) listOf("a", "b") else emptyList())) { answer = it }
            questions.show(desk.open)
            val draft = questions.open.single()
            assertFalse(draft.submit()) { "$kind" }
            assertNull(answer)
            if (kind == QuestionKind.CONFIRMATION) {
                draft.confirm(false)
                assertEquals(Answer.Given("no"), answer)
            } else {
                draft.text = "b"
                assertTrue(draft.submit()) { "$kind" }
                assertEquals(Answer.Given("b"), answer)
            }
        }
    }

    @Test
    fun `a habit of pressing Enter confirms nothing`() {
        val desk = QuestionDesk()
        val questions = QuestionModel()
        desk.ask(Question(1, QuestionKind.CONFIRMATION, "Delete all?", default = "yes")) {}
        questions.show(desk.open)
        assertFalse(questions.open.single().submit())
    }

    @Test
    fun `what was typed stays when another question comes and goes`() {
        val desk = QuestionDesk()
        val questions = QuestionModel()
        desk.ask(Question(1, QuestionKind.INPUT, "first", default = "30")) {}
        questions.show(desk.open)
        val first = questions.open.single()
        assertEquals("30", first.text)
        first.text = "45"
        val second = desk.ask(Question(1, QuestionKind.INPUT, "second")) {}
        assertTrue(questions.show(desk.open))
        second.close()
        assertTrue(questions.show(desk.open))
        assertSame(first, questions.open.single())
        assertEquals("45", first.text)
        assertFalse(questions.show(desk.open))
    }

    @Test
    fun `declining is an answer too`() {
        val desk = QuestionDesk()
        val questions = QuestionModel()
        var answer: Answer? = null
        desk.ask(Question(1, QuestionKind.CHOICE, "?", listOf("a"), required = false)) { answer = it }
        questions.show(desk.open)
        questions.open.single().decline()
        assertEquals(Answer.Declined(""), answer)
    }
}

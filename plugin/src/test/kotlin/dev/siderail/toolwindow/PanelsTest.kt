package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.bridge.QuestionKind
import dev.siderail.engine.Answer
import dev.siderail.engine.Attachment
import dev.siderail.engine.PermissionAnswer
import dev.siderail.engine.Question
import dev.siderail.engine.QuestionDesk
import dev.siderail.screens.FakeActions
import dev.siderail.screens.Painter
import dev.siderail.screens.Recordings
import dev.siderail.ui.Badge
import dev.siderail.ui.CardButton
import dev.siderail.ui.Line
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Prose
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.Component
import java.awt.Container
import java.awt.Dimension
import java.awt.event.ActionEvent
import javax.swing.AbstractButton
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JMenuItem
import javax.swing.JTextArea
import javax.swing.KeyStroke
import javax.swing.SwingUtilities
import javax.swing.text.JTextComponent
import kotlin.io.path.readText
import kotlin.io.path.walk

class PanelsTest {
    private fun inWindow(body: () -> Unit) = Painter.under(Painter.Theme.LIGHT, body = body)

    private fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())

    private inline fun <reified C : Component> Component.the(matches: (C) -> Boolean = { true }): C = all(this).filterIsInstance<C>().first(matches)

    private fun JComponent.press(key: String) {
        val stroke = KeyStroke.getKeyStroke(key)
        val name = inputMap.get(stroke) ?: getInputMap(JComponent.WHEN_ANCESTOR_OF_FOCUSED_COMPONENT).get(stroke) ?: error("$key is not bound")
        actionMap.get(name).actionPerformed(ActionEvent(this, ActionEvent.ACTION_PERFORMED, key))
    }

    private fun Scenes.Scene.give(vararg events: Event) = panel.apply(events.toList())

    private fun started() = Recordings.event(1, "SESSION_STARTED", """"agent":"claude","policy":"redirect"""")

    private fun asks(id: Int, text: String) = Recordings.event(
        id.toLong(), "PERMISSION_REQUEST",
        """"request_id":$id,"tool":"Bash","kind":"execute","text":"$text","paths":[],"options":[{"id":"y","name":"Yes","kind":"allow_once"},{"id":"a","name":"Always","kind":"allow_always"}],"may_be_remembered":true,"asks":true""",
    )

    private val Scenes.Scene.field: JTextArea get() = panel.the<Composer>().the<JTextArea>()

    @Test
    fun `a key shows all of a long command, with what a screen would hide, and answers nothing`() = inWindow {
        val scene = Scenes.scene()
        val lines = (1..100).map { if (it == 50) "rm -rf src\\recho fine" else "echo $it" }
        scene.chat.send("go")
        scene.give(started(), asks(7, lines.joinToString("\\n")))
        val card = scene.panel.the<PermissionCard>()
        val shown = { card.the<Prose> { "echo 1\n" in it.text }.text }
        assertTrue("echo 100" in shown() && "echo 45" !in shown(), shown())
        card.the<CardButton> { it.text == "Deny" }.press("A")
        assertEquals(100, shown().lines().size)
        assertTrue("rm -rf src\u240decho fine" in shown())
        assertSame(card, scene.panel.the<PermissionCard>(), "it still waits")
        assertTrue(all(card).none { it is LinkButton && it.text == "Show all" })
    }

    @Test
    fun `Enter sends, Shift+Enter starts a line, and what is typed while the agent works waits`() = inWindow {
        val scene = Scenes.scene()
        scene.field.text = "first"
        scene.field.press("ENTER")
        assertEquals("", scene.field.text)
        scene.give(started())
        scene.field.text = "second"
        scene.field.caretPosition = 6
        scene.field.press("shift ENTER")
        assertEquals("second\n", scene.field.text)
        scene.field.press("ENTER")
        assertEquals(listOf("second\n"), scene.chat.queue.map { it.text })
        assertTrue(all(scene.panel).any { it is Line && it.text == "second" })
    }

    @Test
    fun `text that is being typed survives whatever the agent does`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.field.text = "half a sent"
        scene.panel.apply(Recordings.events("asks-claude"))
        assertEquals("half a sent", scene.field.text)
        assertEquals("half a sent", scene.chat.draft)
    }

    @Test
    fun `a card says what lies outside, what is destroyed, and how much of the change it leaves out`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        val long = (1..60).joinToString("") { "line $it\\n" }
        scene.give(
            started(),
            Recordings.event(
                4, "PERMISSION_REQUEST",
                """"request_id":4,"tool":"Edit","kind":"edit","text":"Edit","paths":["/etc/hosts"],"outside":["/etc/hosts"],
                "diffs":[{"path":"/etc/hosts","old_text":null,"new_text":"$long"}],"destroys":"notes.txt is replaced, 3 lines",
                "options":[],"may_be_remembered":false,"asks":true""",
            ),
        )
        val lines = all(scene.panel).filterIsInstance<Line>().map { it.text }
        assertTrue("outside the project" in lines, lines.toString())
        assertTrue(lines.any { it.startsWith("36 more lines are not shown") }, lines.toString())
        assertTrue(all(scene.panel).any { it is Prose && it.text.startsWith("notes.txt is replaced") })
        assertTrue(all(scene.panel).none { it is CardButton && it.text == "Always in this project" })
    }

    @Test
    fun `digits answer a card from any of its buttons, each with its own choice`() = inWindow {
        for ((key, answer) in listOf("1" to "Option(id=y)", "2" to "Deny(reason=)", "3" to "Always", "4" to "Option(id=a)")) {
            val scene = Scenes.scene()
            scene.chat.send("go")
            scene.give(started(), asks(5, "make"))
            scene.panel.the<PermissionCard>().the<CardButton> { it.text == "Deny" }.press(key)
            assertTrue(scene.calls.last().endsWith(answer)) { scene.calls.toString() }
            assertTrue(all(scene.panel).none { it is PermissionCard })
        }
    }

    @Test
    fun `what lasts is in a list that says where it is saved, and what cannot be taken back is marked`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), asks(5, "make"))
        val card = scene.panel.the<PermissionCard>()
        val buttons = all(card).filterIsInstance<CardButton>()
        assertEquals(listOf("Allow once", "Deny", "Always\u2026"), buttons.map { it.text })
        assertEquals(listOf("1", "2", ""), buttons.map { it.key })
        assertTrue(buttons.none { it.isDangerous })
        val list = Opened.by { buttons.last().doClick(0) }
        assertEquals(listOf("3  Always in this project", "4  Always allow: Always"), list.choices.map { it.title })
        assertEquals(listOf("Saved by Siderail", "Saved by the agent"), list.choices.map { it.group })
        assertTrue("siderail policy list" in list.choices[0].hint, list.choices[0].hint)
        val menu = list.menu().components.map { it as JMenuItem }
        assertEquals(list.choices.flatMap { listOf(it.group, it.title) }, menu.map { it.text })
        scene.give(Recordings.event(6, "PERMISSION_REQUEST", """"request_id":6,"tool":"Bash","kind":"destructive","text":"rm -rf build","paths":[],"options":[],"may_be_remembered":false,"asks":true"""))
        assertTrue(all(scene.panel).any { it is CardButton && it.isDangerous && it.text == "Allow once" })
        assertEquals(1, all(scene.panel).count { it is CardButton && it.text == "Always\u2026" })
        menu[3].doClick(0)
        assertTrue(scene.calls.last().endsWith("Option(id=a)"), "a choice in the list answers as its digit does")
    }

    @Test
    fun `several questions are answered at once, with yes only where all of it can be taken back`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), asks(5, "make"))
        assertTrue(all(scene.panel).none { it is LinkButton && " all" in it.text })
        scene.give(asks(6, "ls"))
        scene.panel.the<LinkButton> { it.text == "Allow all once (2)" }.doClick()
        assertEquals(listOf("answer 1 5 Option(id=y)", "answer 1 6 Option(id=y)"), scene.calls.takeLast(2))
        scene.give(asks(7, "make"), Recordings.event(8, "PERMISSION_REQUEST", """"request_id":8,"tool":"Bash","kind":"destructive","text":"rm -rf build","paths":[],"options":[],"may_be_remembered":false,"asks":true"""))
        assertTrue(all(scene.panel).none { it is LinkButton && it.text == "Allow all once (2)" })
        scene.panel.the<LinkButton> { it.text == "Deny all (2)" }.doClick()
        assertEquals(listOf("answer 1 7 Deny(reason=)", "answer 1 8 Deny(reason=)"), scene.calls.takeLast(2))
    }

    @Test
    fun `an empty chat offers ways to begin and what was talked about last`() = inWindow {
        val scene = Scenes.scene()
        val opened = ArrayList<String>()
        scene.panel.goOn = { opened += it.id }
        scene.panel.recent(listOf(PastConversation("c1", "claude", "Fix the retry", 0, 3)))
        scene.panel.the<LinkButton> { it.text.startsWith("Explain how") }.doClick()
        assertEquals("Explain how this project is structured", scene.field.text)
        assertTrue(scene.calls.isEmpty(), "the person sends it")
        scene.panel.the<LinkButton> { it.text == "Fix the retry · Claude Code" }.doClick()
        assertEquals(listOf("c1"), opened)
    }

    @Test
    fun `keys of the IDE answer the first question and stop the agent`() = inWindow {
        val scene = Scenes.scene()
        scene.panel.run(ChatCommand.ALLOW)
        scene.chat.send("go")
        scene.give(started(), asks(5, "make"), asks(6, "ls"))
        scene.panel.run(ChatCommand.DENY)
        assertEquals("answer 1 5 Deny(reason=)", scene.calls.last())
        scene.panel.run(ChatCommand.ALLOW)
        assertEquals("answer 1 6 Option(id=y)", scene.calls.last())
        scene.panel.run(ChatCommand.STOP)
        assertEquals("cancel 1", scene.calls.last())
    }

    @Test
    fun `keys of the IDE answer the first card that waits, whatever it asks, and never one behind it`() = inWindow {
        val scene = Scenes.scene()
        val desk = QuestionDesk()
        val answers = ArrayList<Answer>()
        val ask = { kind: QuestionKind ->
            desk.ask(Question(1, kind, "Well?", listOf("a"))) { answers += it }
            scene.panel.show(desk.open)
        }
        scene.chat.send("go")
        scene.give(started(), plan(7), asks(8, "make"), asks(9, "ls"))
        scene.panel.run(ChatCommand.ALLOW)
        assertEquals("answer 1 7 Allow", scene.calls.last(), "the plan is above the command")
        scene.panel.run(ChatCommand.ALLOW)
        assertEquals("answer 1 8 Option(id=y)", scene.calls.last())
        ask(QuestionKind.CONFIRMATION)
        scene.panel.run(ChatCommand.DENY)
        assertEquals("answer 1 9 Deny(reason=)" to emptyList<Answer>(), scene.calls.last() to answers)
        scene.panel.run(ChatCommand.ALLOW)
        assertEquals(listOf<Answer>(Answer.Given("yes")), answers)
        ask(QuestionKind.CONFIRMATION)
        scene.panel.run(ChatCommand.DENY)
        assertEquals(Answer.Given("no"), answers.last())
        scene.give(plan(10))
        scene.panel.the<HintedArea>().text = "not x"
        scene.panel.run(ChatCommand.DENY)
        assertEquals("answer 1 10 Deny(reason=not x)", scene.calls.last(), "what was typed goes along")
        val before = scene.calls.size
        ask(QuestionKind.CHOICE)
        ask(QuestionKind.CONFIRMATION)
        listOf(ChatCommand.ALLOW, ChatCommand.DENY).forEach(scene.panel::run)
        assertEquals(listOf(before, 2, 2), listOf(scene.calls.size, answers.size, desk.open.size), "a choice is neither yes nor no")
        scene.give(Recordings.event(20, "LOGIN_NEEDED", """"methods":[{"id":"k","name":"Key","kind":"agent","description":"","command_line":"","vars":[]}]"""), asks(11, "make"))
        listOf(ChatCommand.ALLOW, ChatCommand.DENY).forEach(scene.panel::run)
        assertEquals(before, scene.calls.size, "the login comes first")
    }

    private fun plan(id: Int) = Recordings.event(id.toLong(), "PLAN_PROPOSED", """"request_id":$id,"text":"1. change x","entries":[],"channel":"acp","asks":true""")

    @Test
    fun `a running call and the turn show their seconds, as the window's clock counts them`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), Recordings.event(2, "TURN_STARTED", """"origin":"user","text":"go""""))
        scene.give(Recordings.event(3, "OWN_TOOL", """"call":1,"tool":"run_tests","text":"","paths":[],"status":"started""""))
        val row = { scene.panel.the<ToolView>().the<RowButton>().accessibleContext.accessibleName }
        assertEquals("Run tests", row())
        scene.pass(75)
        assertEquals("Run tests, 1 min 15 s", row())
        assertTrue(all(scene.panel).any { it is Line && it.text == "working… 1 min 15 s" })
        Painter.lay(scene.panel, 350, 500)
        assertTrue(all(scene.panel).any { it is Line && it.text == "1 min 15 s" }, "a narrow window has no room for more")
    }

    @Test
    fun `the action Allow allows this once, wherever that stands among the choices`() = inWindow {
        val once = PermissionChoice("Yes", PermissionAnswer.Option("y"), ChoiceKind.ALLOW_ONCE)
        val never = PermissionChoice("Never", PermissionAnswer.Option("n"), ChoiceKind.REJECT_ALWAYS)
        val always = PermissionChoice("Always", PermissionAnswer.Always, ChoiceKind.REMEMBERED)
        val own = { choices: List<PermissionChoice> -> PermissionAsk(1, "Bash", "execute", "make", true, emptyList(), emptySet(), emptyList(), null, "", choices) }
        val expected = listOf(listOf(once, always) to once.answer, listOf(never, always, once) to once.answer, listOf(always, never) to PermissionAnswer.Allow)
        for ((choices, allowed) in expected) {
            val answers = ArrayList<PermissionAnswer>()
            val card = PermissionCard(own(choices), "Claude", ToolTexts(Recordings.PROJECT), FakeActions()) { answers += it }
            card.allow()
            card.deny()
            assertEquals(listOf(allowed, PermissionAnswer.Deny("")), answers)
        }
    }

    @Test
    fun `choices open in the list that there is, with the one that holds, and what is taken is picked`() = inWindow {
        var picked: Choice? = null
        val choices = (1..40).map { Choice("m$it", "Model $it", group = if (it > 20) "new" else "") }
        val picker = Picker(choices, choices[1], "Model") { picked = it }
        val list = Opened.by { picker.doClick() }
        assertEquals(choices, list.choices)
        assertEquals("m2", list.selected?.id)
        list.take(choices[32])
        assertEquals("m33", picked?.id)
        assertEquals("Model 33", picker.text)
        assertEquals(listOf("Model 1", "Model 33  ·  new"), listOf(choices[0], choices[32]).map(IdePopups::textOf))
    }

    @Test
    fun `code that is whole is an editor where there is one, and drawn while it grows`() = inWindow {
        val made = ArrayList<String>()
        EditorViews.views = object : EditorViews {
            override fun code(text: String, language: String): JComponent? {
                made += "$language: $text"
                return if (text.length > 1_000) null else JLabel("an editor")
            }

            override fun diff(lines: List<String>): JComponent = JLabel("a diff of ${lines.size} lines")
        }
        try {
            val body = SpeechBody(FakeActions())
            val code = Piece.Code("kotlin", "val a = 1")
            body.show(emptyList(), listOf(code))
            assertEquals(emptyList<String>(), made)
            assertTrue(all(body).any { it is CodeText })
            body.show(listOf(code), emptyList())
            assertEquals(listOf("kotlin: val a = 1"), made)
            assertTrue(all(body).none { it is CodeText } && all(body).any { (it as? JLabel)?.text == "an editor" })
            body.show(listOf(code, Piece.Code("", "x".repeat(2_000))), emptyList())
            assertEquals(2, made.size)
            assertTrue(all(body).any { it is CodeText }, "what no editor takes is drawn")
            assertTrue(all(DiffView(listOf("+a"))).any { (it as? JLabel)?.text == "a diff of 1 lines" })
        } finally {
            EditorViews.views = null
        }
        assertEquals(listOf("kt", "sh", "toml"), listOf("Kotlin", "bash", "toml").map(EditorViews::extension))
        assertEquals(3 * 10, EditorBlock(JLabel(), 3, 5) { Dimension(8, 10) }.heightFor(100))
    }

    @Test
    fun `Enter in the reason denies with it`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), asks(5, "make"))
        val reason = scene.panel.the<PlaceholderField>()
        reason.text = "use gradle"
        reason.postActionEvent()
        assertEquals("answer 1 5 Deny(reason=use gradle)", scene.calls.last())
    }

    @Test
    fun `a second question leaves the first card as it is`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), asks(5, "make"))
        val card = scene.panel.the<PermissionCard>()
        card.the<PlaceholderField>().text = "becau"
        scene.give(asks(6, "ls"))
        assertSame(card, scene.panel.the<PermissionCard>())
        assertEquals("becau", card.the<PlaceholderField>().text)
        assertEquals(2, all(scene.panel).count { it is PermissionCard })
    }

    private val changed = """"files":[{"path":"src/A.kt","kind":"changed","old_text":"1","new_text":"2"},{"path":"b.bin","kind":"changed"}]"""

    @Test
    fun `changed files open their diff, are taken back one by one, and all of them only when asked twice`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), Recordings.event(2, "CHANGES", changed))
        val link = { text: String -> scene.panel.the<ChangesView>().the<LinkButton> { it.text == text } }
        assertFalse(link("Revert").isEnabled, "a running turn may still write")
        scene.give(Recordings.event(3, "TURN_ENDED", """"stop_reason":"end_turn","continues":false"""))
        link("Diff").doClick()
        assertEquals("diff src/A.kt", scene.actions.calls.last())
        assertEquals(1, all(scene.panel).count { it is LinkButton && it.text == "Diff" }, "no diff of what is no text")
        link("Revert all").doClick()
        assertTrue(scene.calls.none { it.startsWith("revert") })
        link("Cancel").doClick()
        link("Revert").doClick()
        assertEquals("revert 1 src/A.kt", scene.calls.last())
        scene.give(Recordings.event(4, "REVERTED", """"path":"src/A.kt","done":false,"text":"it has changed since""""))
        assertTrue(all(scene.panel).any { it is Prose && it.text == "Not reverted: it has changed since." })
        link("Revert all").doClick()
        link("Revert 2 files").doClick()
        assertEquals(listOf("revert 1 src/A.kt", "revert 1 b.bin"), scene.calls.takeLast(2))
    }

    private fun oneChange(seq: Long, path: String, before: String, after: String) =
        Recordings.event(seq, "CHANGES", """"files":[{"path":"$path","kind":"changed","old_text":"$before","new_text":"$after"}]""")

    private fun ended(seq: Long) = Recordings.event(seq, "TURN_ENDED", """"stop_reason":"end_turn","continues":false""")

    @Test
    fun `what a prompt changed is marked in editors, and what is decided there is seen in the chat`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), oneChange(2, "A", "1\\nx\\n2\\n", "one\\nx\\ntwo\\n"), ended(3))
        assertEquals("review A 2", scene.actions.calls.last())
        val file = scene.chat.conversation.revertible!!.files.single()
        val link = { text: String -> scene.panel.the<ChangesView>().the<LinkButton> { it.text == text } }
        val says = { text: String -> all(scene.panel.the<ChangesView>()).any { it is Line && it.text == text } }
        file.reviewed!!.keep(setOf(0))
        scene.actions.listener!!.decided(file.reviewed!!, "")
        assertTrue(says("1 left"))
        link("Revert").doClick()
        assertEquals("revert A [1]", scene.actions.calls.last(), "the part that is kept stays")
        assertTrue(says("kept"))
        assertTrue(scene.calls.none { it.startsWith("revert") }, "the engine knows whole files only")
    }

    @Test
    fun `files of an older prompt are kept or reverted as far as nobody has changed them since`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("one")
        scene.give(started(), oneChange(2, "A", "1", "2"), ended(3))
        scene.chat.send("two")
        scene.give(ended(4))
        val link = { text: String -> scene.panel.the<ChangesView>().the<LinkButton> { it.text == text } }
        scene.actions.refusal = "it has changed since"
        link("Revert").doClick()
        assertEquals("revert A [0]", scene.actions.calls.last())
        assertTrue(all(scene.panel).any { it is Prose && it.text == "Not reverted: it has changed since." })
        link("Keep").doClick()
        assertFalse(all(scene.panel.the<ChangesView>()).any { it is LinkButton && it.text in listOf("Keep", "Revert") })
    }

    @Test
    fun `all that a prompt changed is kept at once, and nothing of it is marked any more`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        val files = listOf("A", "B").joinToString { """{"path":"$it","kind":"changed","old_text":"1","new_text":"2"}""" }
        scene.give(started(), Recordings.event(2, "CHANGES", """"files":[$files]"""), ended(3))
        val view = scene.panel.the<ChangesView>()
        fun links() = all(view).filterIsInstance<LinkButton>().map { it.text }
        view.the<LinkButton> { it.text == "Keep all" }.doClick()
        assertEquals("review A 0, B 0", scene.actions.calls.last())
        assertEquals(2, all(view).count { it is Line && it.text == "kept" })
        assertFalse(links().any { it in listOf("Keep", "Revert", "Keep all", "Revert all") }, "${links()}")
        assertTrue(scene.calls.none { it.startsWith("revert") })
    }

    @Test
    fun `back to before a prompt reverts what came since, the newest first, and gives its text back`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("one")
        scene.give(started(), oneChange(2, "A", "1", "2"), ended(3))
        scene.chat.send("two")
        scene.give(Recordings.event(4, "TURN_STARTED", """"origin":"user","text":"two""""), oneChange(4, "A", "2", "3"), ended(5))
        val first = all(scene.panel).first { it is PromptView } as PromptView
        val link = { text: String -> all(first).first { it is LinkButton && it.isVisible && it.text == text } as LinkButton }
        link("Go back to before this").doClick()
        assertTrue(scene.actions.calls.none { it.startsWith("revert") }, "asked first")
        link("Revert everything since").doClick()
        val reviewed = scene.chat.conversation.items.filterIsInstance<ChangesItem>().map { it.files.single() }
        assertEquals(listOf(RevertState.REVERTED, RevertState.REVERTED), reviewed.map { it.state })
        assertEquals(listOf("revert A [0]", "revert A [0]"), scene.actions.calls.filter { it.startsWith("revert") })
        assertEquals("one", scene.chat.draft)
        assertEquals("one", (scene.panel.firstFocus as javax.swing.text.JTextComponent).text)
        assertTrue(scene.chat.conversation.items.any { it is NoticeItem && it.title == "Went back: 2 file changes reverted" })
        assertFalse(all(first).any { it is LinkButton && it.isVisible && it.parent.isVisible }, "nothing is left to take back")
    }

    @Test
    fun `back to before a prompt wants a plan first again where that prompt did`() = inWindow {
        val scene = Scenes.scene()
        val plan = { all(scene.panel).first { it is javax.swing.JCheckBox && it.text == "Plan first" } as javax.swing.JCheckBox }
        for ((at, wantsPlan) in listOf(true, false).withIndex()) {
            scene.chat.wantsPlan = wantsPlan
            scene.chat.send("prompt $at")
            if (at == 0) scene.give(started())
            scene.give(turn(at + 1, "prompt $at"), oneChange(at * 2 + 2L, "A", "$at", "${at + 1}"), ended(at * 2 + 3L))
        }
        val prompts = scene.chat.conversation.items.filterIsInstance<PromptItem>()
        scene.panel.review.goBack(prompts[1])
        assertFalse(scene.chat.wantsPlan, "that prompt wanted none")
        scene.panel.review.goBack(prompts[0])
        assertTrue(scene.chat.wantsPlan && plan().isSelected)
    }

    private fun turn(number: Int, text: String) = Recordings.event(number * 2L, "TURN_STARTED", """"origin":"user","text":"$text"""", turn = number)

    @Test
    fun `back to before a prompt brings its attachments back, and names those that the window no longer has`() = inWindow {
        val scene = Scenes.scene()
        val conversation = scene.chat.conversation
        val chips = { scene.chat.attachments.all.map { it.name } }
        val image = Attachment.Image("shot.png", "x".repeat(6_000_000))
        for ((at, one) in listOf(image, Attachment.Text("notes", "old")).withIndex()) {
            scene.chat.attachments.add(one)
            scene.chat.send("prompt $at")
            if (at == 0) scene.give(Recordings.event(1, "SESSION_STARTED", """"images":true"""))
            scene.give(turn(at + 1, "prompt $at"), oneChange(at * 2 + 2L, "A", "$at", "${at + 1}"), ended(at * 2 + 3L))
        }
        val prompts = conversation.items.filterIsInstance<PromptItem>()
        assertFalse(conversation.dropped > 0, "attachments are not text of the conversation")
        scene.chat.attachments.add(Attachment.Text("notes", "new"))
        scene.panel.review.goBack(prompts[1])
        assertEquals(listOf(Attachment.Text("notes", "new")), scene.chat.attachments.all, "what is there under that name stays")
        scene.panel.review.goBack(prompts[0])
        assertEquals(listOf("shot.png", "notes"), chips())
        assertTrue(all(scene.panel).any { it is AbstractButton && it.accessibleContext.accessibleName == "Remove shot.png" })

        scene.chat.attachments.take()
        repeat(4) {
            scene.chat.attachments.add(Attachment.Image("more $it", "x".repeat(6_000_000)))
            scene.chat.send("more $it")
            scene.give(turn(it + 3, "more $it"), oneChange(it * 2 + 10L, "B", "$it", "${it + 1}"), ended(it * 2 + 11L))
        }
        scene.panel.review.goBack(conversation.items.filterIsInstance<PromptItem>()[2])
        assertEquals(emptyList<String>(), chips())
        val notice = conversation.items.filterIsInstance<NoticeItem>().last()
        assertTrue(notice.text.endsWith("Attach again: more 0."), notice.text)
    }

    @Test
    fun `the request for a commit message is written ahead of what is being typed, and sent by the person`() = inWindow {
        val scene = Scenes.scene()
        val field = scene.panel.firstFocus as javax.swing.text.JTextComponent
        field.text = "half a thought"
        scene.panel.run(ChatCommand.COMMIT_MESSAGE)
        assertTrue(field.text.startsWith("Propose a commit message") && field.text.endsWith("half a thought")) { field.text }
        assertTrue(scene.calls.isEmpty())
    }

    @Test
    fun `the sum of what was changed is that of the files that still stand so, and none where one is not known`() = inWindow {
        val sum = { scene: Scenes.Scene -> all(all(scene.panel.the<ChangesView>()).first { it is Counts }).filterIsInstance<Line>().map { it.text } }
        val scene = Scenes.scene()
        scene.chat.send("go")
        val two = """"files":[{"path":"A","kind":"changed","old_text":"1","new_text":"2"},{"path":"B","kind":"changed","old_text":"x","new_text":"y\nz"}]"""
        scene.give(started(), Recordings.event(2, "CHANGES", two), Recordings.event(3, "TURN_ENDED", """"stop_reason":"end_turn","continues":false"""))
        assertEquals(listOf("+3", "−2"), sum(scene))
        scene.chat.revert("B")
        scene.give(Recordings.event(4, "REVERTED", """"path":"B","done":true"""))
        assertEquals(listOf("+1", "−1"), sum(scene))
        val other = Scenes.scene()
        other.chat.send("go")
        other.give(started(), Recordings.event(2, "CHANGES", changed))
        assertEquals(1, all(other.panel.the<ChangesView>()).count { it is Counts }, "only that of the file")
    }

    @Test
    fun `a plan is approved, sent back with what is to be different, or turned down`() = inWindow {
        val answers = listOf<Pair<(PlanCard) -> Unit, String>>(
            { card: PlanCard -> card.the<CardButton> { it.text == "Approve and start" }.doClick() } to "answer 1 7 Allow",
            { card: PlanCard -> card.the<HintedArea>().text = "not x"; card.the<CardButton> { it.text == "Request changes" }.doClick() } to "answer 1 7 Deny(reason=not x)",
            { card: PlanCard -> card.the<HintedArea>().text = "not x"; card.the<HintedArea>().press("ctrl ENTER") } to "answer 1 7 Deny(reason=not x)",
            { card: PlanCard -> card.the<HintedArea>().text = "not x"; card.the<CardButton> { it.text == "Reject" }.doClick() } to "answer 1 7 Deny(reason=)",
            { card: PlanCard -> card.the<CardButton> { it.text == "Reject" }.press("1") } to "answer 1 7 Allow",
        )
        for ((press, answer) in answers) {
            val scene = Scenes.scene()
            scene.chat.send("go")
            scene.give(started(), Recordings.event(2, "PLAN_PROPOSED", """"request_id":7,"text":"1. change x","entries":[],"channel":"acp","asks":true"""))
            val card = scene.panel.the<PlanCard>()
            assertFalse(card.the<CardButton> { it.text == "Request changes" }.isEnabled, "there is nothing to send yet")
            press(card)
            assertEquals(answer, scene.calls.last())
            assertTrue(all(scene.panel).none { it is PlanCard })
        }
    }

    @Test
    fun `a command is completed by the keyboard, and sent by the next Enter`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), Recordings.event(2, "AGENT_COMMANDS", """"commands":[{"name":"compact"},{"name":"commit"}]"""))
        scene.field.text = "/co"
        assertTrue(scene.panel.the<CommandList>().isVisible)
        assertFalse(scene.field.focusTraversalKeysEnabled, "Tab takes the command")
        scene.field.press("DOWN")
        scene.field.press("TAB")
        assertEquals("/commit ", scene.field.text)
        assertFalse(scene.panel.the<CommandList>().isVisible)
        assertTrue(scene.field.focusTraversalKeysEnabled, "Tab is the way out again")
        scene.field.text = "/co"
        scene.field.press("ESCAPE")
        assertFalse(scene.panel.the<CommandList>().isVisible)
        scene.field.press("ENTER")
        assertEquals("/co", scene.chat.queue.single().text)
        scene.field.text = "/com"
        scene.field.press("ENTER")
        assertEquals("/compact ", scene.field.text)
        scene.field.press("ctrl ENTER")
        assertEquals("steer 1 /compact ", scene.calls.last())
    }

    @Test
    fun `a waiting text says what becomes of it and is given to the turn by its link`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started())
        scene.field.text = "and y"
        scene.field.press("ENTER")
        scene.panel.the<WaitingPrompts>().the<LinkButton> { it.text == "Send now" }.doClick()
        assertEquals("steer 1 and y", scene.calls.last())
        assertTrue(all(scene.panel).any { it is Badge && it.text == "sending" })
        scene.give(Recordings.event(2, "STEERED", """"text":"and y","taken":false"""))
        assertTrue(all(scene.panel).any { it is Badge && it.text == "next" })
        assertTrue(all(scene.panel).none { it is LinkButton && it.text == "Send now" })
    }

    private val models = (1..40).joinToString { """{"value":"m$it","name":"Model $it"}""" }
    private val options = """"modes":[],"options":[{"id":"model","name":"Model","category":"model","kind":"select","current":"m2","choices":[$models]},
        {"id":"think","name":"Thinking","kind":"boolean","current":"false"},{"id":"rate","name":"Rate","kind":"unknown","current":"3"}"""

    @Test
    fun `options of every shape are beside the field, and picking one asks the agent`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), Recordings.event(2, "SESSION_OPTIONS", "$options]"))
        val composer = scene.panel.the<Composer>()
        composer.the<javax.swing.JCheckBox> { it.text == "Thinking" }.doClick()
        assertEquals("set 1 think=true", scene.calls.last())
        assertTrue(all(composer).any { it is Picker && it.text == "Model 2" })
        assertTrue(all(composer).any { it is Line && it.text == "Rate: 3" })
        scene.give(Recordings.event(3, "SESSION_OPTIONS", """$options,{"id":"four","name":"Four","kind":"boolean","current":"true"}]"""))
        val list = Opened.by { composer.the<LinkButton> { it.text == "Options" }.doClick() }
        assertEquals(listOf("Thinking: off", "Rate: 3", "Four: on"), list.choices.map { it.title }, "more than fit beside each other are behind one word")
        list.take(list.choices[2])
        assertEquals("set 1 four=false", scene.calls.last())
        assertTrue(all(composer).none { it is javax.swing.JCheckBox && it.text == "Thinking" })
    }

    @Test
    fun `the past is fainter than the present`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(
            Recordings.event(1, "RESTORED", """"entry":{"event":"AGENT_MESSAGE","text":"then"}"""),
            Recordings.event(2, "RESUMED", """"id":"a","by":"load","entries":1,"omitted":0"""),
            started(),
            said("now"),
        )
        val image = Painter.paint(scene.panel, 440, 600)
        val darkest = all(scene.panel).filterIsInstance<HtmlPane>().associate { pane ->
            val place = SwingUtilities.convertRectangle(pane.parent, pane.bounds, scene.panel)
            val inks = (0 until place.width * place.height).map { image.getRGB(place.x + it % place.width, place.y + it / place.width) and 0xFF }
            pane.document.getText(0, pane.document.length).trim() to inks.min()
        }
        assertTrue(darkest.getValue("then") > darkest.getValue("now") + 40) { "$darkest" }
    }

    private val ways = """"methods":[{"id":"oauth","name":"Browser","kind":"agent"},{"id":"term","name":"Terminal","kind":"terminal","command":["copilot","log in"],"command_line":"copilot 'log in'"},
        {"id":"key","name":"Key","kind":"env_var","vars":["API_KEY","REGION"]}]"""

    @Test
    fun `a login is a button, a command to copy, or keys that are kept and given to the agent`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(Recordings.event(1, "LOGIN_NEEDED", ways))
        val card = { scene.panel.the<LoginCard>() }
        assertTrue(scene.panel.asks)
        card().the<LinkButton> { it.text == "Copy" }.doClick()
        assertEquals("copy copilot 'log in'", scene.actions.calls.last())
        card().the<LinkButton> { it.text == "Run it in a terminal" }.doClick()
        assertEquals("terminal copilot 'log in'", scene.actions.calls.last())
        card().the<CardButton> { it.text == "Browser" }.doClick()
        assertEquals("login 1 oauth by agent", scene.calls.last())
        assertTrue(all(card()).any { it is Prose && it.text.startsWith("Waiting for “Browser”") })
        scene.give(Recordings.event(2, "LOGIN_NEEDED", ways))
        card().the<CardButton> { it.text == "I have logged in, try again" }.doClick()
        assertEquals("login 1 term", scene.calls.last())
        scene.give(Recordings.event(3, "LOGIN_NEEDED", ways))
        val keep = card().the<CardButton> { it.text == "Save and try again" }
        keep.doClick()
        assertEquals("login 1 term", scene.calls.last(), "nothing is entered yet")
        card().the<javax.swing.JPasswordField> { it.accessibleContext.accessibleName == "API_KEY" }.text = " sk-1 "
        keep.doClick()
        assertEquals("keep claude {API_KEY=sk-1}", scene.actions.calls.last())
        assertEquals("login 1 key {API_KEY=sk-1}", scene.calls.last())
        assertTrue(all(scene.panel).none { it is LoginCard })
    }

    @Test
    fun `the title of the conversation is told to the tab, and usage is shown only once it is known`() = inWindow {
        val scene = Scenes.scene()
        val titles = ArrayList<String>()
        scene.panel.titled = { titles += it }
        scene.chat.send("go")
        scene.give(started())
        assertFalse(scene.panel.the<UsageRow>().isVisible)
        scene.give(Recordings.event(2, "USAGE", """"used":10,"size":100"""), Recordings.event(3, "SESSION_TITLE", """"title":"Retry delay""""))
        assertTrue(scene.panel.the<UsageRow>().isVisible)
        scene.give(Recordings.event(4, "AGENT_MESSAGE", """"text":"x""""))
        assertEquals(listOf("Retry delay"), titles)
    }

    @Test
    fun `no button of a card is a window's default button`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), asks(5, "make"))
        assertTrue(all(scene.panel).filterIsInstance<CardButton>().none { it.isDefaultButton })
    }

    @Test
    fun `a question that lacks its answer says what is missing and stays`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        val desk = QuestionDesk()
        var answer: Answer? = null
        desk.ask(Question(1, QuestionKind.CHOICE, "Which?", listOf("a", "b"))) { answer = it }
        scene.panel.show(desk.open)
        val card = scene.panel.the<QuestionCard>()
        card.the<CardButton> { it.text == "Answer" }.doClick()
        assertTrue(all(card).any { it is Line && it.isVisible && it.text == "Choose one first." })
        card.the<AbstractButton> { it.text == "b" }.doClick()
        card.the<CardButton> { it.text == "Answer" }.doClick()
        assertEquals(Answer.Given("b"), answer)
    }

    @Test
    fun `questions of another chat are not shown here`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        val desk = QuestionDesk()
        desk.ask(Question(9, QuestionKind.INPUT, "Whose?")) {}
        scene.panel.show(desk.open)
        assertTrue(all(scene.panel).none { it is QuestionCard })
    }

    @Test
    fun `a piece of an answer changes one part of one view`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), said("# Title\n\nText.\n\n```kotlin\nval a = 1\n```\n\nMore"))
        val parts = scene.panel.the<SpeechBody>().components.toList()
        scene.give(said(" and more"))
        assertEquals(parts, scene.panel.the<SpeechBody>().components.toList())
        assertTrue((parts.last() as HtmlPane).text.contains("More and more"))
    }

    private fun said(text: String) = Recordings.event(9, "AGENT_MESSAGE", """"text":${com.google.gson.Gson().toJson(text)}""")

    @Test
    fun `a long conversation shows its end, and earlier entries when asked`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started())
        repeat(60) { batch ->
            scene.panel.apply(
                (0 until 20).map {
                    val id = batch * 20 + it
                    Recordings.event(id.toLong(), "TOOL_CALL", """"tool_call_id":"c$id","tool":"bash","kind":"execute","status":"completed","title":"t","command":"echo $id"""")
                },
            )
        }
        val conversation = scene.panel.the<ConversationPanel>()
        assertTrue(conversation.viewCount in 200..420) { "${conversation.viewCount} views" }
        val before = conversation.viewCount
        conversation.the<LinkButton> { it.text.startsWith("Show") }.doClick()
        assertTrue(conversation.viewCount > before)
    }

    @Test
    fun `a hundred thousand pieces are shown in a bounded number of views and in reasonable time`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started())
        val begin = System.nanoTime()
        repeat(1_000) { batch -> scene.panel.apply(List(100) { said(if (it == 99) "word $batch\n\n" else "word ") }) }
        val seconds = (System.nanoTime() - begin) / 1e9
        assertTrue(all(scene.panel).size < 5_000) { "${all(scene.panel).size} components" }
        assertTrue(seconds < 240) { "$seconds s" }
    }

    @Test
    fun `a page loads nothing, even if a tag that would had come this far`() = inWindow {
        val followed = ArrayList<String>()
        val pane = HtmlPane { followed += it }
        pane.show("<p>a<img src=\"http://127.0.0.1:9/x.png\">b</p><object data=\"x\"></object>")
        // Leaves are made when lines are.
        pane.heightFor(300)
        fun views(view: javax.swing.text.View): List<javax.swing.text.View> = listOf(view) + (0 until view.viewCount).flatMap { views(view.getView(it)) }
        val names = views(pane.ui.getRootView(pane)).map { it.javaClass.simpleName }
        assertFalse(names.any { it == "ImageView" || it == "ObjectView" || it == "FrameView" || it == "FormView" }) { names.toString() }
        assertTrue(followed.isEmpty())
    }

    @Test
    fun `links go to the file or the browser, by a click only`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), said("[a](src/A.kt:3) and https://example.org"))
        val pane = scene.panel.the<HtmlPane>()
        assertTrue(scene.actions.calls.isEmpty())
        for (address in listOf("file-ref:src/A.kt:3", "https://example.org")) {
            pane.fireHyperlinkUpdate(javax.swing.event.HyperlinkEvent(pane, javax.swing.event.HyperlinkEvent.EventType.ACTIVATED, null, address))
        }
        assertEquals(listOf("open src/A.kt:3", "browse https://example.org"), scene.actions.calls)
    }

    @Test
    fun `a change of the theme reaches what is already shown`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.give(started(), said("text with `code`"))
        val light = Painter.paint(scene.panel, 440, 500)
        Painter.use(Painter.Theme.DARK)
        SwingUtilities.updateComponentTreeUI(scene.panel)
        val dark = Painter.paint(scene.panel, 440, 500)
        assertNotEquals(light.getRGB(5, 500), dark.getRGB(5, 500))
        val pane = scene.panel.the<HtmlPane>()
        val place = SwingUtilities.convertRectangle(pane.parent, pane.bounds, scene.panel)
        val inks = (0 until place.width * place.height).mapTo(HashSet()) { dark.getRGB(place.x + it % place.width, place.y + it / place.width) }
        assertTrue(Look.foreground.rgb in inks, "text in the dark theme's ink")
    }

    @Test
    fun `everything that can be pressed or typed into has a name for those who hear it`() = inWindow {
        for (picture in Pictures.all) {
            val nameless = all(picture.make()).filter { (it is AbstractButton || it is JTextComponent && it.isEditable || it is javax.swing.JComboBox<*>) && it.isVisible }
                .filter { it.accessibleContext.accessibleName.isNullOrBlank() && !isPartOfTheme(it) }
            assertTrue(nameless.isEmpty()) { "${picture.name}: ${nameless.map { it.javaClass.name + " in " + it.parent.javaClass.simpleName }}" }
        }
    }

    /** Arrows of scroll bars and spinners, the text inside of a spinner or a combo box. */
    private fun isPartOfTheme(component: Component): Boolean = generateSequence(component.parent) { it.parent }
        .any { it is javax.swing.JScrollBar || it is javax.swing.JSpinner || it is javax.swing.JComboBox<*> || it is javax.swing.plaf.basic.BasicSplitPaneDivider }

    @Test
    fun `the focus is moved only where the person asked for it`() {
        val sources = listOf("src", "plugin/src", "../../src").map { java.nio.file.Path.of(it, "main") }.first { java.nio.file.Files.isDirectory(it) }
        val found = sources.walk().filter { "$it".endsWith(".kt") || "$it".endsWith(".java") }.flatMap { file ->
            val lines = file.readText().lines()
            lines.indices.filter { ("requestFocus" in lines[it] && "requestFocus(false)" !in lines[it]) || ".activate(" in lines[it] || "showDialog" in lines[it] || "DialogWrapper" in lines[it] }
                .map { at -> file.fileName.toString() to lines.subList((at - 3).coerceAtLeast(0), at + 1).joinToString("\n") }
        }.filterNot { (file, text) -> "fun takeFocus()" in text || file == "FocusChatAction.java" }.toList()
        assertEquals(emptyList<Any>(), found)
    }
}

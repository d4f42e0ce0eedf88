package dev.siderail.toolwindow

import dev.siderail.TestFolders
import dev.siderail.engine.Attachment
import dev.siderail.engine.EngineState
import dev.siderail.screens.Recordings
import dev.siderail.ui.LinkButton
import java.io.RandomAccessFile
import javax.swing.JComponent
import javax.swing.JTextArea

/** Scenes of what goes into a message, and of calls that are one row. */
internal object ContextScenes {
    private var seq = 4_000L

    private fun event(name: String, members: String) = Recordings.event(seq++, name, members)

    private fun started(images: Boolean) = event("SESSION_STARTED", """"agent":"claude","policy":"redirect"${if (images) ""","images":true""" else ""}""")

    private fun field(scene: Scenes.Scene): JTextArea = fields(scene.panel).first { it.isEditable }

    private fun fields(root: java.awt.Component): List<JTextArea> =
        listOfNotNull(root as? JTextArea) + (root as? java.awt.Container)?.components.orEmpty().flatMap(::fields)

    fun empty(): JComponent = Scenes.scene().also { scene ->
        scene.panel.recent(
            listOf(
                PastConversation("1", "claude", "Make the retry delay configurable", 1_700_000_000_000, 3),
                PastConversation("2", "gemini", "Why is BackoffTest flaky?", 1_700_000_000_000, 1),
            ),
        )
        val machine = AgentsModel(Scenes.agents) { it == "codex" }
        machine.apply(event("AGENTS", Scenes.agentsFound)) { "" }
        machine.apply(event("LOGIN_NEEDED", "")) { "codex" }
        scene.panel.agents(machine.all!!)
    }.panel

    fun install(): JComponent = Scenes.scene("gemini").also { scene ->
        val machine = AgentsModel(Scenes.agents) { false }
        machine.apply(event("AGENTS", Scenes.agentsFound.replace(""""program":"/bin/claude",""", ""))) { "" }
        scene.panel.agents(machine.all!!)
        links(scene.panel).last { it.text == "Install" }.doClick()
    }.panel

    private fun links(root: java.awt.Component): List<LinkButton> =
        listOfNotNull(root as? LinkButton) + (root as? java.awt.Container)?.components.orEmpty().flatMap(::links)

    fun typing(): JComponent = Scenes.scene().also { scene ->
        scene.actions.context = listOf(
            Mention("Backoff.java", "src/retry", "src/retry/Backoff.java"),
            Mention("BackoffTest.java", "test/retry", "test/retry/BackoffTest.java"),
            Mention("backoffDelay", "src/retry/Backoff.java:12", "src/retry/Backoff.java:12"),
        )
        scene.chat.attachments.add(Attachment.Text("src/retry/HttpClient.java:40-58", "int x;"))
        scene.chat.attachments.add(Attachment.Image("image 2", ""))
        field(scene).text = "Why does this wait longer than @Back"
        scene.panel.refresh()
    }.panel

    /** The agent's own commands, while one is being typed. */
    fun commands(): JComponent = Scenes.scene().also { scene ->
        scene.chat.send("How are retries done here?")
        val commands = listOf("review" to "Review the changes of this branch", "rewind" to "Go back to an earlier point", "compact" to "Summarize the conversation", "release" to "Prepare a release")
        val list = commands.joinToString { (name, what) -> """{"name":"$name","description":"$what","hint":""}""" }
        scene.panel.apply(listOf(started(images = true), event("AGENT_COMMANDS", """"commands":[$list]""")))
        field(scene).text = "/re"
        scene.panel.refresh()
    }.panel

    fun refused(): JComponent = Scenes.scene().also { scene ->
        scene.chat.attachments.add(Attachment.Image("image 1", ""))
        scene.chat.send("What is wrong with this dialog?")
        scene.panel.apply(listOf(started(images = false)))
    }.panel

    /** Larger than a prompt may hold. */
    fun large(): JComponent = dropped("dialog.png", byteArrayOf(0x89.toByte(), 'P'.code.toByte(), 'N'.code.toByte(), 'G'.code.toByte()), SeenFile.IMAGE_BYTES + 1)

    /** Of a type that no model reads. */
    fun wrongType(): JComponent = dropped("dialog.bmp", "BM".toByteArray(), 2)

    private fun dropped(name: String, head: ByteArray, size: Long): JComponent = Scenes.scene().also { scene ->
        val file = TestFolders.create("image").resolve(name).toFile()
        RandomAccessFile(file, "rw").use {
            it.write(head)
            it.setLength(size)
        }
        scene.panel.apply(listOf(started(images = true)))
        field(scene).text = "What is wrong with this dialog?"
        scene.chat.attachments.add(listOf(SeenFile.of(file, "")))
        scene.panel.refresh()
    }.panel

    private fun read(call: Int, path: String, status: String = "completed") =
        event("OWN_TOOL", """"call":$call,"tool":"intellij_read_file","status":"$status","text":"$path","paths":["$path"]""")

    fun reads(): JComponent = Scenes.scene().also { scene ->
        scene.chat.send("How are retries done here?")
        val paths = listOf("src/retry/Backoff.java", "src/retry/HttpClient.java", "src/retry/RetrySettings.java", "README.md")
        scene.panel.apply(
            listOf(started(images = true), event("TURN_STARTED", """"origin":"user","text":"How are retries done here?"""")) +
                paths.flatMapIndexed { at, path -> listOf(read(at + 1, path, "started"), read(at + 1, path)) } +
                event("AGENT_MESSAGE", """"text":"The delay is read in three places. I run the tests that cover them.""""),
        )
        val lint = """"call":9,"tool":"run_command","text":"./gradlew lint","paths":[]"""
        val began = event("OWN_TOOL", """$lint,"status":"started"""")
        seq += 120
        scene.pass(12)
        scene.panel.apply(
            listOf(
                began,
                event("OWN_TOOL", """$lint,"status":"completed""""),
                event("TOOL_CALL", """"tool_call_id":"t","tool":"run_tests","kind":"execute","status":"in_progress","title":"run_tests","paths":[],"own":true,"diffs":[]"""),
            ),
        )
        scene.pass(75)
        val group = scene.chat.conversation.items.filterIsInstance<GroupItem>().single()
        (scene.panel.conversation.viewOf(group) as GroupView).toggle()
    }.panel

    /** A project that is not trusted: the message waits. */
    fun safeMode(): JComponent = Scenes.scene().also { scene ->
        scene.panel.show(EngineState.Untrusted)
        scene.chat.send("How are retries done here?")
        scene.panel.refresh()
    }.panel

    /** Stopped while a message waited, which waits on. */
    fun held(): JComponent = Scenes.scene().also { scene ->
        scene.chat.send("How are retries done here?")
        scene.panel.apply(listOf(started(images = true), event("TURN_STARTED", """"origin":"user","text":"How are retries done here?""""), read(1, "src/retry/Backoff.java")))
        scene.chat.send("Then write that into the README.")
        scene.chat.stop()
        scene.panel.apply(listOf(event("TURN_ENDED", """"stop_reason":"cancelled","continues":false""")))
    }.panel

    fun danger(): JComponent = Scenes.scene().also { scene ->
        scene.chat.send("Clean up the old branches")
        scene.panel.apply(
            listOf(
                started(images = true),
                event(
                    "PERMISSION_REQUEST",
                    """"request_id":9,"tool":"Bash","kind":"destructive","text":"git reset --hard origin/main","paths":[],"destroys":"Uncommitted changes are lost: 3 files.",
                    "options":[{"id":"y","name":"Yes","kind":"allow_once"},{"id":"n","name":"No","kind":"reject_once"}],"may_be_remembered":false,"asks":true""",
                ),
            ),
        )
    }.panel

    fun many(): JComponent = Scenes.scene().also { scene ->
        scene.chat.send("Build it and run the tests")
        fun asks(id: Int, command: String) = event(
            "PERMISSION_REQUEST",
            """"request_id":$id,"tool":"Bash","kind":"execute","text":"$command","paths":[],"options":[{"id":"y","name":"Yes","kind":"allow_once"}],"may_be_remembered":true,"asks":true""",
        )
        scene.panel.apply(listOf(started(images = true), asks(1, "npm install --save-dev left-pad"), asks(2, "npm run build")))
    }.panel
}

package dev.siderail.toolwindow

import dev.siderail.bridge.Event
import dev.siderail.engine.Attachment
import dev.siderail.screens.Painter
import dev.siderail.screens.Recordings
import dev.siderail.ui.Badge
import dev.siderail.ui.Prose
import java.awt.Component
import java.awt.Container
import java.awt.datatransfer.DataFlavor
import java.awt.datatransfer.StringSelection
import java.awt.datatransfer.Transferable
import java.awt.event.ActionEvent
import java.awt.image.BufferedImage
import java.io.File
import java.nio.file.Path
import java.util.Base64
import javax.swing.JButton
import javax.swing.JTextArea
import javax.swing.KeyStroke
import kotlin.io.path.createFile
import kotlin.io.path.writeBytes
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** What a person puts beside a prompt. */
class ContextTest {
    private fun inWindow(body: () -> Unit) = Painter.under(Painter.Theme.LIGHT, body = body)

    private fun all(root: Component): List<Component> = listOf(root) + ((root as? Container)?.components?.flatMap(::all) ?: emptyList())

    private inline fun <reified C : Component> Component.the(): C = all(this).filterIsInstance<C>().first()

    private val Scenes.Scene.field: JTextArea get() = all(panel.the<Composer>()).filterIsInstance<JTextArea>().first { it.isEditable }

    private fun JTextArea.press(key: String) =
        actionMap.get(inputMap.get(KeyStroke.getKeyStroke(key))).actionPerformed(ActionEvent(this, ActionEvent.ACTION_PERFORMED, key))

    private fun started(takesImages: Boolean, seq: Long = 1): Event =
        Recordings.event(seq, "SESSION_STARTED", """"agent":"claude","policy":"redirect"${if (takesImages) ""","images":true""" else ""}""")

    private fun given(flavor: DataFlavor, data: Any) = object : Transferable {
        override fun getTransferDataFlavors() = arrayOf(flavor)

        override fun isDataFlavorSupported(asked: DataFlavor) = asked == flavor

        override fun getTransferData(asked: DataFlavor) = data
    }

    private fun Scenes.Scene.paste(what: Transferable) = field.transferHandler.importData(field, what)

    private fun chips(scene: Scenes.Scene): List<String> = scene.chat.attachments.all.map { it.name }

    @Test
    fun `an at sign offers files, and the one taken stands in the text, quoted where it has blanks`() = inWindow {
        val scene = Scenes.scene()
        scene.actions.context = listOf(Mention("App.java", "src", "src/App.java"), Mention("a b.rs", "", "docs/a b.rs"))
        scene.field.text = "look at @App"
        assertTrue(scene.panel.the<CommandList>().isVisible)
        scene.field.press("ENTER")
        assertEquals("look at @src/App.java ", scene.field.text)
        assertFalse(scene.panel.the<CommandList>().isVisible)
        scene.field.replaceSelection("and (@a b")
        assertFalse(scene.panel.the<CommandList>().isVisible, "a blank ends a name that is not quoted")
        scene.field.text = "and @\"a b"
        scene.field.press("TAB")
        assertEquals("and @\"docs/a b.rs\" ", scene.field.text)
        scene.field.text = "me@App"
        assertFalse(scene.panel.the<CommandList>().isVisible)
    }

    @Test
    fun `a question about the selection is written, with the selection beside it, and sent by the person`() = inWindow {
        val scene = Scenes.scene()
        scene.actions.context = listOf(Mention("selection", "") { it(Attachment.Text("App.java:3-4", "int x;")) })
        scene.panel.run(ChatCommand.ASK_SELECTION)
        assertTrue(scene.field.text.startsWith("Explain the selected code")) { scene.field.text }
        assertEquals(listOf("App.java:3-4"), chips(scene))
        scene.panel.run(ChatCommand.ADD_SELECTION)
        assertTrue(scene.field.text.startsWith("Explain the selected code"), "adding writes nothing and loses nothing")
        assertTrue(scene.calls.isEmpty())
    }

    @Test
    fun `what is not there to be attached is said, until something is`() = inWindow {
        val scene = Scenes.scene()
        var found: Attachment? = null
        scene.actions.context = listOf(Mention("selection", "", nothing = "No text is selected in the editor") { done -> done(found) })
        scene.field.text = "@sel"
        scene.field.press("ENTER")
        assertEquals("No text is selected in the editor", scene.chat.attachments.refusal)
        assertTrue(all(scene.panel.the<Chips>()).any { it is Prose && it.text == "No text is selected in the editor" })
        found = Attachment.Text("App.java:1", "x")
        scene.field.text = "@sel"
        scene.field.press("ENTER")
        assertEquals("" to listOf("App.java:1"), scene.chat.attachments.refusal to chips(scene))
    }

    @Test
    fun `what could not be read is said beside what goes along`() = inWindow {
        val scene = Scenes.scene()
        scene.actions.context = listOf(Mention("diff", "", nothing = "There are no changes") { it(Attachment.Text("diff", "x"), "a.toy cannot be read") })
        scene.field.text = "@diff"
        scene.field.press("ENTER")
        assertEquals("a.toy cannot be read" to listOf("diff"), scene.chat.attachments.refusal to chips(scene))
        scene.actions.context = listOf(Mention("diff", "", nothing = "There are no changes") { it(null, "nothing can be read") })
        scene.field.text = "@diff"
        scene.field.press("ENTER")
        assertEquals("nothing can be read", scene.chat.attachments.refusal)
    }

    @Test
    fun `Escape puts a list aside, and what comes late is not shown for another word`() {
        val answers = ArrayList<(List<Mention>) -> Unit>()
        val mentions = Mentions { _, found -> answers += found }
        mentions.typed("@a") {}
        mentions.typed("@ab") {}
        answers[0](listOf(Mention("a", "", "a")))
        assertFalse(mentions.isOffering)
        answers[1](listOf(Mention("ab", "", "ab")))
        assertTrue(mentions.isOffering)
        mentions.putAside()
        assertFalse(mentions.isOffering)
    }

    @Test
    fun `a name is looked for as long as it is one`() {
        val asked = ArrayList<String>()
        val mentions = Mentions { query, _ -> asked += query }
        for (typed in listOf("@\"q\\\"uo", "@\"q\"uo", "@\"back\\", "see @a\u00a0b")) mentions.typed(typed) {}
        assertEquals(listOf("q\"uo", "back\\"), asked, "a quote behind a backslash ends no name, and any blank does")
    }

    @Test
    fun `a name with quotes is found as it is written`() = inWindow {
        val scene = Scenes.scene()
        scene.actions.context = listOf(Mention("odd \"one\".rs", "", "odd \"one\".rs"))
        scene.field.text = "see @\"odd \\\"on"
        assertTrue(scene.panel.the<CommandList>().isVisible)
        scene.field.press("TAB")
        assertEquals("see @\"odd \\\"one\\\".rs\" ", scene.field.text)
    }

    @Test
    fun `an image whose name has quotes is the one that is meant`() {
        assertEquals(listOf("odd \\\"x\\\".png", "odd \"x\".png", "a b.png"), Mentions.images("see @\"odd \\\"x\\\".png\", @\"a b.png\" and @c.txt"))
    }

    @Test
    fun `a long line is read to its end`() {
        val asked = ArrayList<String>()
        val mentions = Mentions { query, _ -> asked += query }
        for (long in listOf("x".repeat(100_000), "x\\\\".repeat(33_000), "\\\"".repeat(50_000))) {
            mentions.typed("see @\"$long") {}
            assertTrue(asked.removeAt(0) == long.replace(Regex("""\\(.)"""), "$1"))
            mentions.typed("see @\"$long\" ") {}
            assertTrue(asked.isEmpty(), "the quotes are closed")
            assertTrue(Mentions.named("see @\"$long\" ") == listOf(long))
            assertTrue(Mentions.named("see @\"$long") == listOf(long))
        }
    }

    @Test
    fun `what the editor has selected goes along as a chip, which a press takes away`() = inWindow {
        val scene = Scenes.scene()
        scene.actions.context = listOf(Mention("selection", "") { it(Attachment.Text("App.java:3-4", "int x;")) })
        scene.field.text = "why @sel"
        scene.field.press("ENTER")
        assertEquals("why ", scene.field.text)
        assertEquals(listOf("App.java:3-4"), chips(scene))
        all(scene.panel.the<Chips>()).filterIsInstance<JButton>().single().doClick(0)
        assertEquals(emptyList<String>(), chips(scene))
        scene.field.text = "why @sel"
        scene.field.press("ENTER")
        scene.field.press("ENTER")
        assertEquals(emptyList<String>(), chips(scene))
        scene.panel.apply(listOf(started(takesImages = false)))
        assertEquals("prompt 1 why  +App.java:3-4", scene.calls.last())
        assertTrue(all(scene.panel.the<PromptView>()).any { it is Badge && it.text == "App.java:3-4" })
    }

    @Test
    fun `a pasted image is a PNG, dropped files are named or go along, and text is pasted as text`(@TempDir folder: Path) = inWindow {
        val scene = Scenes.scene()
        scene.paste(given(DataFlavor.imageFlavor, BufferedImage(4, 4, BufferedImage.TYPE_INT_RGB)))
        val image = scene.chat.attachments.all.single() as Attachment.Image
        assertEquals(listOf<Byte>(0x89.toByte(), 'P'.code.toByte()), Base64.getDecoder().decode(image.data).take(2))
        val outside = folder.resolve("notes.txt").createFile().toFile()
        scene.paste(given(DataFlavor.javaFileListFlavor, listOf(File("${Recordings.PROJECT}/src/A b.kt"), outside)))
        assertEquals("@\"src/A b.kt\" ", scene.field.text)
        assertEquals(listOf("image 1", "notes.txt"), chips(scene))
        scene.paste(StringSelection("text"))
        assertEquals("@\"src/A b.kt\" text", scene.field.text)
        scene.field.text = ""
        scene.field.press("ENTER")
        scene.panel.apply(listOf(started(takesImages = true)))
        assertEquals("prompt 1  +image 1 +notes.txt", scene.calls.last(), "what is attached can be sent alone")
    }

    @Test
    fun `an image that cannot be sent is refused with the reason`(@TempDir folder: Path) {
        val attachments = Attachments()
        fun add(name: String, bytes: ByteArray) = attachments.add(listOf(SeenFile.of(folder.resolve(name).apply { writeBytes(bytes) }.toFile(), "")))
        add("large.png", PNG.copyOf(5_000_001))
        assertTrue("larger than 5 MB" in attachments.refusal)
        add("photo.heic", ByteArray(0))
        assertTrue("only PNG, JPEG, GIF and WebP" in attachments.refusal)
        add("text.png", "no image".toByteArray())
        assertTrue("only PNG, JPEG, GIF and WebP" in attachments.refusal, "the name says nothing")
        add("renamed.dat", "II*\u0000".toByteArray())
        assertTrue("only PNG, JPEG, GIF and WebP" in attachments.refusal, "the bytes are a TIFF's")
        attachments.add(ByteArray(5_000_001))
        assertTrue("larger than 5 MB" in attachments.refusal)
        attachments.takesImages = false
        add("small.png", PNG)
        assertTrue("does not accept images" in attachments.refusal)
        assertEquals(emptyList<Attachment>(), attachments.all)
        attachments.takesImages = null
        add("small.png", PNG)
        add("photo", byteArrayOf(-1, -40, -1, -32))
        assertEquals("" to listOf("small.png", "photo"), attachments.refusal to attachments.all.map { it.name })
        assertTrue(attachments.all.all { it is Attachment.Image }, "sent as images, whatever their names are")
        add("BM.txt", "BMW is a make of cars".toByteArray())
        assertTrue(attachments.all.last() is Attachment.File)
    }

    @Test
    fun `the reason for one dropped file stays when others are taken`(@TempDir folder: Path) = inWindow {
        val scene = Scenes.scene()
        val files = listOf("a.heic", "b.txt", "c.bmp").map { folder.resolve(it).createFile().toFile() }
        scene.paste(given(DataFlavor.javaFileListFlavor, files))
        assertEquals(listOf("b.txt"), chips(scene))
        assertEquals(listOf("a.heic", "c.bmp"), scene.chat.attachments.refusal.lines().map { it.substringBefore(' ') })
    }

    /** A scene in a project with a few images. */
    private fun withImages(folder: Path): Scenes.Scene = Scenes.scene().also { scene ->
        folder.resolve("shot.png").writeBytes(PNG)
        folder.resolve("large shot.png").writeBytes(PNG.copyOf(5_000_001))
        folder.resolve("wrong.jpg").writeBytes(PNG)
        folder.resolve("icon.ico").createFile()
        scene.actions.projectFolder = folder.toString()
        scene.actions.context = listOf("shot.png", "large shot.png", "wrong.jpg", "icon.ico").map { Mention(it, "", it) }
    }

    @Test
    fun `an image that is picked behind an at sign is refused with the reason, and its name leaves the text`(@TempDir folder: Path) = inWindow {
        val scene = withImages(folder)
        fun pick(word: String): Pair<String, String> {
            scene.field.text = "see @$word"
            scene.field.press("ENTER")
            return scene.field.text to scene.chat.attachments.refusal.substringAfter(": ").take(20)
        }
        assertEquals("see @shot.png " to "", pick("shot"))
        assertEquals("see " to "it is larger than 5 ", pick("large"))
        assertEquals("see " to "only PNG, JPEG, GIF ", pick("icon"))
        assertEquals("see " to "", pick("wrong"))
        assertEquals(listOf("wrong.jpg"), chips(scene), "the engine would go by its extension, and send a link")
        scene.chat.attachments.takesImages = false
        assertEquals("see " to "this agent does not ", pick("shot"))
        assertTrue(scene.calls.isEmpty())
    }

    @Test
    fun `a prompt that names an image that cannot be sent stays in the field, with the reason`(@TempDir folder: Path) = inWindow {
        val scene = withImages(folder)
        for ((text, why) in listOf("why (@\"large shot.png\")" to "larger than 5 MB", "see @icon.ico:3, please" to "only PNG")) {
            scene.field.text = text
            scene.field.press("ENTER")
            assertEquals(text, scene.field.text)
            assertTrue(all(scene.panel.the<Chips>()).any { it is Prose && why in it.text }, text)
        }
        assertTrue(scene.chat.queue.isEmpty())
        for (text in listOf("none@large.png", "@gone.png", "large shot.png")) {
            scene.field.text = text
            scene.field.press("ENTER")
            assertEquals("", scene.field.text, text)
        }
    }

    @Test
    fun `a prompt that names an image comes back from an agent that takes none, and is not given to a running turn`(@TempDir folder: Path) = inWindow {
        val scene = withImages(folder)
        scene.field.text = "what is @shot.png?"
        scene.field.press("ENTER")
        assertEquals("", scene.field.text)
        scene.panel.apply(listOf(started(takesImages = false)))
        assertTrue(scene.calls.none { it.startsWith("prompt") })
        assertEquals("what is @shot.png?", scene.field.text)
        assertTrue("shot.png cannot be sent: this agent does not accept images" in scene.chat.attachments.refusal)
        scene.chat.attachments.takesImages = true
        scene.field.press("ENTER")
        assertEquals("prompt 1 what is @shot.png?", scene.calls.last())
        scene.field.text = "and @shot.png"
        scene.field.press("ctrl ENTER")
        assertTrue(scene.calls.none { it.startsWith("steer") }, scene.calls.toString())
        assertEquals(listOf("and @shot.png"), scene.chat.queue.map { it.text })
    }

    @Test
    fun `an agent that turns out to take no images gives the prompt back, with the reason`() = inWindow {
        val scene = Scenes.scene()
        scene.paste(given(DataFlavor.imageFlavor, BufferedImage(4, 4, BufferedImage.TYPE_INT_RGB)))
        scene.field.text = "what is this?"
        scene.field.press("ENTER")
        assertEquals("", scene.field.text)
        scene.panel.apply(listOf(started(takesImages = false)))
        assertTrue(scene.calls.none { it.startsWith("prompt") })
        assertEquals("what is this?", scene.field.text)
        assertEquals(listOf("image 1"), chips(scene))
        assertTrue(all(scene.panel.the<Chips>()).any { it is Prose && "does not accept images" in it.text })
        scene.field.press("ENTER")
        assertEquals("what is this?", scene.field.text)
        all(scene.panel.the<Chips>()).filterIsInstance<JButton>().single().doClick(0)
        scene.field.press("ENTER")
        assertEquals("prompt 1 what is this?", scene.calls.last())
    }

    @Test
    fun `a prompt with something attached is edited with it, and is not given to a running turn`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("go")
        scene.panel.apply(listOf(started(takesImages = true)))
        scene.chat.attachments.add(Attachment.Text("diff", "x"))
        scene.chat.sendNow("and this")
        assertTrue(scene.calls.none { it.startsWith("steer") }, scene.calls.toString())
        assertEquals("and this", scene.chat.takeBack(0))
        assertEquals(listOf("diff"), chips(scene))
    }

    @Test
    fun `the arrow up brings back what was written before, and only in a field that nothing else stands in`() = inWindow {
        val scene = Scenes.scene()
        scene.chat.send("one")
        scene.panel.apply(listOf(started(false), Recordings.event(2, "TURN_ENDED", """"stop_reason":"end_turn","continues":false""")))
        scene.chat.send("two")
        scene.field.press("UP")
        assertEquals("two", scene.field.text)
        scene.field.press("UP")
        assertEquals("one", scene.field.text)
        scene.field.press("DOWN")
        scene.field.press("DOWN")
        assertEquals("", scene.field.text)
        val history = PromptHistory { listOf("one", "two") }
        assertEquals(null, history.older("mine"))
        assertEquals(listOf("two", "one", null), listOf(history.older(""), history.older("two"), history.older("one")))
        assertEquals(null, history.older("two, changed"), "what was brought back is the person's own once it is changed")
    }

    private companion object {
        val PNG = byteArrayOf(0x89.toByte(), 'P'.code.toByte(), 'N'.code.toByte(), 'G'.code.toByte(), 13, 10, 26, 10)
    }
}

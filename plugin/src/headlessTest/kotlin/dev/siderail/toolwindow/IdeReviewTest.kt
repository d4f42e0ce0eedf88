package dev.siderail.toolwindow

import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.DataContext
import com.intellij.openapi.actionSystem.Presentation
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import dev.siderail.document.Reverted
import dev.siderail.document.ReviewedFile
import dev.siderail.document.WriterFixture
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.document.partsOf
import dev.siderail.headless.NamedActions
import dev.siderail.ui.Texts
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import javax.swing.SwingUtilities
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** What is decided at a mark changes the file. [PlatformCallsTest] opens the menu. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdeReviewTest {
    private val ide = WriterFixture()
    private val decided = LinkedBlockingQueue<String>()
    private val listener = object : ReviewListener {
        override val canRevert get() = true

        override fun decided(file: ReviewedFile, refusal: String) {
            check(SwingUtilities.isEventDispatchThread())
            decided += "${file.path} ${file.open.sorted()} $refusal".trim()
        }
    }
    private val project = object : Project by ide.platform.project {
        override fun getBasePath() = ide.folder.root.toString()
    }
    private lateinit var review: IdeReview
    private val file = ReviewedFile("a.txt", "a\nb\nc\n", "A\nb\nC\n", partsOf(0, 1, 0, 1, 2, 3, 2, 3))

    init {
        ide.put("a.txt", "A\nb\nC\n")
        onEventThread {
            review = IdeReview(project, { onEventThread(it) }) { _, _ -> }
            review.show(listOf(file), listener)
        }
    }

    @AfterEach
    fun close() = onEventThread { Disposer.dispose(review) }

    private fun press(name: String, part: Int): String? {
        val event = AnActionEvent(null, DataContext { null }, "mark", Presentation(), NamedActions(emptyMap()), 0)
        val action = review.actions(file, part, true).single { it.templatePresentation.text == Texts["review.$name"] }
        onEventThread { action.actionPerformed(event) }
        return decided.poll(20, TimeUnit.SECONDS)
    }

    @Test
    fun `a part that is reverted at its mark is reverted in the file, and one that is kept stays`() {
        assertEquals("a.txt [1]", press("revert", 0))
        assertEquals("a\nb\nC\n", ide.onDisk("a.txt"))
        assertEquals("a.txt []", press("keep", 1))
        assertEquals("a\nb\nC\n", ide.document("a.txt").text)
    }

    @Test
    fun `the whole file is reverted, but for what somebody has changed since`() {
        ide.type("a.txt", "A\nb\nmine\n")
        assertEquals("a.txt [1] it has changed since", press("revert.file", 0))
        assertEquals("a\nb\nmine\n", ide.document("a.txt").text)
    }

    @Test
    fun `a revert that the chat asks for answers with the parts that went`() {
        val reverted = LinkedBlockingQueue<Reverted>()
        review.revert(file, setOf(0, 1), reverted::add)
        val outcome = checkNotNull(reverted.poll(20, TimeUnit.SECONDS))
        assertEquals(setOf(0, 1) to "", outcome.parts to outcome.refusal)
        assertEquals("a\nb\nc\n", ide.onDisk("a.txt"))
    }
}

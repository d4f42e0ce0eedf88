package dev.siderail.toolwindow

import dev.siderail.screens.Recordings
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread

class EventFeedTest {
    private val scheduled = ArrayList<Runnable>()
    private val batches = ArrayList<List<Long>>()

    private fun feed(capacity: Int = 100) =
        EventFeed(capacity, { synchronized(scheduled) { scheduled += it } }, { batch -> batches += batch.map { it.seq } })

    private fun run() = synchronized(scheduled) { scheduled.toList().also { scheduled.clear() } }.forEach { it.run() }

    private fun events(range: LongRange) = range.map { Recordings.event(it, "AGENT_MESSAGE") }

    @Test
    fun `many deliveries are one change of the screen, in order`() {
        val feed = feed()
        for (at in 1L..30) feed.offer(events(at..at))
        assertEquals(1, scheduled.size)
        run()
        assertEquals(listOf((1L..30).toList()), batches)
        feed.offer(events(31L..31))
        run()
        assertEquals(listOf(31L), batches.last())
    }

    @Test
    fun `a window that does not keep up makes the engine's thread wait, and loses nothing`() {
        val feed = feed(capacity = 10)
        val done = CountDownLatch(1)
        val offering = thread {
            for (at in 1L..100) feed.offer(events(at..at))
            done.countDown()
        }
        waitFor { offering.state == Thread.State.WAITING }
        assertEquals(1, done.count)
        while (!done.await(5, TimeUnit.MILLISECONDS)) run()
        run()
        assertEquals((1L..100).toList(), batches.flatten())
    }

    @Test
    fun `closing lets a waiting thread go`() {
        val feed = feed(capacity = 1)
        feed.offer(events(1L..1))
        val waiting = thread { feed.offer(events(2L..2)) }
        waitFor { waiting.state == Thread.State.WAITING }
        feed.close()
        waiting.join(10_000)
        assertTrue(!waiting.isAlive)
        run()
        assertTrue(batches.isEmpty())
    }

    private fun waitFor(condition: () -> Boolean) {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
        while (!condition()) {
            check(System.nanoTime() < end) { "it did not happen" }
            Thread.sleep(5)
        }
    }

    @Test
    fun `paths are read as agents write them`() {
        fun check(text: String, path: String, line: Int) = assertEquals(FilePlace(path, line), FilePlace.parse(text))
        check("src/A.kt", "src/A.kt", 0)
        check("src/A.kt:12", "src/A.kt", 11)
        check("src/A.kt:12:5", "src/A.kt", 11)
        check("src/A.kt:12-20", "src/A.kt", 11)
        check("src/A.kt#L7", "src/A.kt", 6)
        check("C:\\a\\B.kt", "C:\\a\\B.kt", 0)
        assertEquals("/p/src/A.kt", FilePlace("src/A.kt", 0).absolute("/p"))
        assertEquals("C:/a.kt", FilePlace("C:/a.kt", 0).absolute("/p"))
    }
}

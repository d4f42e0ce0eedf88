package dev.siderail.document

import com.intellij.openapi.progress.ProgressManager
import dev.siderail.document.WriterFixture.Companion.onEventThread
import dev.siderail.headless.HeadlessPlatform
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundReadTest {
    private val application = HeadlessPlatform.instance.application

    @Test
    fun `a write does not wait for a long read in the background, which begins anew behind it`() {
        val attempts = AtomicInteger()
        val begun = CountDownLatch(1)
        val reading = CompletableFuture.supplyAsync {
            BackgroundRead.of { if (attempts.incrementAndGet() == 1) readLong(begun) else "read" }
        }
        begun.await()
        val start = System.nanoTime()
        onEventThread { application.runWriteAction {} }
        val waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)
        assertEquals("read", reading.get(30, TimeUnit.SECONDS))
        assertEquals(2, attempts.get())
        assertTrue(waited < LONG_MS / 2, "$waited ms")
    }

    private fun readLong(begun: CountDownLatch): String {
        begun.countDown()
        val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONG_MS)
        while (System.nanoTime() < end) {
            ProgressManager.checkCanceled()
            Thread.sleep(10)
        }
        return "read in one go"
    }

    private companion object {
        const val LONG_MS = 10_000L
    }
}

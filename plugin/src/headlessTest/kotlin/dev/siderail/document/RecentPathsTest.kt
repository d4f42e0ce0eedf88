package dev.siderail.document

import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** How long an agent's changes keep version control from asking about a path. */
class RecentPathsTest {
    /** [System.nanoTime] may be about to overflow. */
    private var now = Long.MAX_VALUE - 1
    private val recent = RecentPaths { now }

    private fun pass(seconds: Long) {
        now += TimeUnit.SECONDS.toNanos(seconds)
    }

    @Test
    fun `a path is remembered for ten seconds and no longer`() {
        recent.remember(listOf("/a"))
        pass(9)
        assertTrue("/a" in recent)
        assertFalse("/b" in recent)
        pass(1)
        assertFalse("/a" in recent)
        pass(3_600)
        assertFalse("/a" in recent)
    }

    @Test
    fun `a path that is changed again is remembered anew`() {
        recent.remember(listOf("/a"))
        pass(9)
        recent.remember(listOf("/a"))
        pass(9)
        assertTrue("/a" in recent)
    }

    @Test
    fun `what is over is not kept`() {
        recent.remember(listOf("/a", "/b"))
        pass(11)
        recent.remember(listOf("/c"))
        assertEquals(1, recent.size)
    }
}

package dev.siderail.toolwindow

import java.time.Instant
import java.time.LocalDate
import java.time.ZoneId
import java.time.format.DateTimeFormatter
import java.time.format.FormatStyle

/** Moments as people read them, in their own zone and language. Pure. */
internal object Moments {
    private val day = DateTimeFormatter.ofLocalizedDate(FormatStyle.MEDIUM)
    private val time = DateTimeFormatter.ofLocalizedTime(FormatStyle.SHORT)

    /** [millis] since 1970. */
    fun dayAndTime(millis: Long, zone: ZoneId = ZoneId.systemDefault()): String {
        val at = Instant.ofEpochMilli(millis).atZone(zone)
        return day.format(at) + ", " + time.format(at)
    }

    /** The time for today, the day for what was before. */
    fun brief(millis: Long, today: LocalDate = LocalDate.now(), zone: ZoneId = ZoneId.systemDefault()): String {
        val at = Instant.ofEpochMilli(millis).atZone(zone)
        return if (at.toLocalDate() == today) time.format(at) else day.format(at)
    }
}

/** A clock that spans are measured by; tests and pictures have one that stands still. */
class Stopwatch(val nanos: () -> Long = System::nanoTime) {
    fun secondsSince(began: Long): Int = ((nanos() - began) / 1_000_000_000L).toInt()
}

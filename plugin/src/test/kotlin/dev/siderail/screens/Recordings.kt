package dev.siderail.screens

import com.google.gson.JsonParser
import dev.siderail.bridge.Event

/** Events as the engine really sent them, from `src/test/resources/events`. */
object Recordings {
    const val PROJECT = "/projects/backoff"

    fun events(name: String): List<Event> {
        val stream = Recordings::class.java.getResourceAsStream("/events/$name.jsonl") ?: error("no recording $name")
        return stream.bufferedReader().readLines().filter { it.isNotBlank() }.map(::event)
    }

    fun event(line: String): Event = Event.of(JsonParser.parseString(line).asJsonObject)

    /** An event that no recording holds, by its members. */
    fun event(seq: Long, name: String, members: String = "", session: Long = 1, turn: Int = 1): Event {
        val more = if (members.isEmpty()) "" else ",$members"
        return event("""{"v":1,"seq":$seq,"t":${seq / 10.0},"session":$session,"turn":$turn,"event":"$name"$more}""")
    }
}

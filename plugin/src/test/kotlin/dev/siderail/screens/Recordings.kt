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

    /** An event that no recording holds, by its members; those that its kind always has are added. */
    fun event(seq: Long, name: String, members: String = "", session: Long = 1, turn: Int = 1): Event {
        val more = if (members.isEmpty()) "" else ",$members"
        val body = JsonParser.parseString("""{"v":1,"seq":$seq,"t":${seq / 10.0},"session":$session,"turn":$turn,"event":"$name"$more}""").asJsonObject
        val always = ALWAYS[name]?.let { JsonParser.parseString(it).asJsonObject.entrySet() }.orEmpty()
        for ((member, value) in always) if (!body.has(member)) body.add(member, value)
        return Event.of(body)
    }

    /** What an engine never leaves out of these. */
    private val ALWAYS = mapOf(
        "SESSION_STARTED" to """{"agent":"claude","version":null,"agent_session":"s","policy":"redirect","mode":null}""",
        "PERMISSION_REQUEST" to """{"tool_call_id":null,"paths":[],"channel":"acp","options":[],"asks":true}""",
        "PERMISSION_DENIED" to """{"tool_call_id":null,"text":"","paths":[]}""",
        "PERMISSION_APPROVED" to """{"tool_call_id":null,"tool":"Bash","kind":"execute"}""",
        "TOOL_CALL" to """{"title":"","paths":[]}""",
        "SUMMARY" to
            """{"agent":"copilot","stop_reason":"end_turn","turns":1,"denials":{},"escalations":{"turn":0,"session":0},"guidance":{},
            "followed":0,"ignored":0,"redirect_rate":null,"files_written":[],"hidden":[],"unguarded":false,"duration_s":1.0}""",
    )
}

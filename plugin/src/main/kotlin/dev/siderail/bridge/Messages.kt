package dev.siderail.bridge

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.ByteArrayInputStream
import java.io.InputStreamReader
import java.nio.file.Path

/*
 * What crosses the boundary towards the IDE, and the answers to calls. The shapes are pinned by the files in
 * `tests/boundary`, which a test here and one of the Rust side read. Members that are not known are kept in
 * `body`, so that an event of a later engine is shown rather than lost.
 */

/**
 * Something that happened in a session.
 *
 * @property seq rises from event to event of an engine; numbers may be missing where pieces of text were joined
 * @property t seconds since the engine started
 * @property session the session's number; 0 for none
 * @property turn the prompt turn in the session, from 1; 0 before the first
 * @property name what happened, in capitals, such as `AGENT_MESSAGE`: any word, since the engine may be a later one
 * @property body the whole event, with what belongs to its name
 * @property view what it changes of the conversation that a window shows: patches, as `docs/internals/ide.md` has them
 */
class Event(
    val seq: Long,
    val t: Double,
    val session: Long,
    val turn: Int,
    val name: String,
    val body: JsonObject,
    val view: List<JsonObject> = emptyList(),
) {
    /** What happened; null where a later engine has a name that is not known here. */
    val known: EventName? = EventName.of(name)

    override fun toString(): String = "$seq $name"

    companion object {
        /** Reads a JSON array of events. */
        fun decodeBatch(bytes: ByteArray): List<Event> = parse(bytes).asJsonArray.map { of(it.asJsonObject) }

        /** Reads one event. */
        fun of(body: JsonObject): Event = Event(
            seq = body.number("seq").asLong,
            t = body.number("t").asDouble,
            session = body.number("session").asLong,
            turn = body.number("turn").asInt,
            name = body.text("event"),
            body = body,
            view = (body.remove("view") as? JsonArray)?.mapNotNull { it as? JsonObject }.orEmpty(),
        )
    }
}

/**
 * Something that the engine wants done here.
 *
 * @property call names the call in its answer
 * @property session the session it is for; 0 for none
 * @property project the project's base folder, canonical
 * @property request what it wants: any word, since the engine may be a later one
 * @property body the whole call: with `tool` the members `name` and `arguments`, with `refresh_files` `paths`, with those
 *   about documents mostly `path` and more
 */
class HostCall(
    val call: Long,
    val session: Long,
    val project: Path,
    val request: String,
    val body: JsonObject,
    val roots: List<Path> = emptyList(),
) {
    /** What it wants; null where a later engine has a word that is not known here. */
    val known: HostRequest? = HostRequest.of(request)

    override fun toString(): String = "$call $request"

    companion object {
        /** Reads a call. */
        fun decode(bytes: ByteArray): HostCall {
            val whole = parse(bytes).asJsonObject
            val request = whole.getAsJsonObject("request") ?: missing("request")
            return HostCall(
                call = whole.number("call").asLong,
                session = whole.number("session").asLong,
                project = Path.of(whole.text("project")),
                request = request.text("request"),
                body = request,
                roots = whole.getAsJsonArray("roots")?.map { Path.of(it.asString) }.orEmpty(),
            )
        }
    }
}

/** What the text of a file was and what it became; null if there was no file, or there is no longer one. */
data class TextChange(val path: String, val before: String?, val after: String?) {
    internal fun toJson() = JsonObject().also {
        it.addProperty("path", path)
        it.addProperty("old_text", before)
        it.addProperty("new_text", after)
    }
}

/** The outcome of a [HostCall]. */
sealed interface HostReply {
    /**
     * A tool's result: the text for the model, the files that changed (relative to the project, `/`), a unified diff.
     *
     * @property before what files were that the call does not name and that it has changed all the same
     * @property change what the answer shows as a diff, which the engine makes
     */
    data class Tool(
        val text: String,
        val filesWritten: List<String> = emptyList(),
        val diff: String? = null,
        val before: List<Before> = emptyList(),
        val change: TextChange? = null,
    ) : HostReply

    /** A file before a tool changed it; no [text] where there was none, or where it is too large or not UTF-8. */
    data class Before(val path: String, val existed: Boolean, val text: String?)

    /** A file's text. */
    data class Text(val text: String) : HostReply

    /** A file was written; [diff] is a unified diff. */
    data class Written(val diff: String? = null) : HostReply

    /** Documents are saved, or the files were looked at again. */
    data object Done : HostReply

    /**
     * A file's text as the IDE has it; [stamp] shows whether it is still the same.
     *
     * @property conflict the disk has changed as well as the editor
     */
    data class Document(
        val text: String,
        val stamp: Long,
        val unsaved: Boolean,
        val conflict: Boolean,
        val charset: String,
        val byteOrderMark: Boolean,
        val lineSeparator: String,
    ) : HostReply

    /** A text is in its document, tidied: [notes] for the model, new syntax errors, why other names lack the text. */
    data class Applied(
        val text: String,
        val stamp: Long,
        val saved: Boolean,
        val notes: List<String> = emptyList(),
        val problems: List<String> = emptyList(),
        val unlinked: String? = null,
    ) : HostReply

    /** Texts that are not on the disk, with their files. */
    data class Unsaved(val texts: List<Pair<Path, String>>) : HostReply

    /** Folders that the project leaves out. */
    data class LeftOut(val folders: List<Path>) : HostReply

    /** What the IDE knows of the project, each a line. */
    data class AboutProject(val lines: List<String>) : HostReply

    /** The person's answer to a question, as its kind wants it. */
    data class Answered(val text: String) : HostReply

    /** The person does not want to answer a question; [why] may be empty. */
    data class Declined(val why: String) : HostReply

    /** An expected failure; [text] says what to do. */
    data class Failed(val code: ToolErrorCode, val text: String) : HostReply

    /** The answer as the engine reads it. */
    fun toJson(): JsonObject = when (this) {
        is Tool -> reply("tool") {
            addProperty("text", text)
            add("files_written", filesWritten.toJson())
            diff?.let { addProperty("diff", it) }
            if (before.isNotEmpty()) add("before", JsonArray().apply { before.forEach { add(it.toJson()) } })
            change?.let { add("change", it.toJson()) }
        }
        is Text -> reply("text") { addProperty("text", text) }
        is Written -> reply("written") { diff?.let { addProperty("diff", it) } }
        Done -> reply("done") {}
        is Document -> reply("document") {
            addProperty("text", text)
            addProperty("stamp", stamp)
            addProperty("unsaved", unsaved)
            addProperty("conflict", conflict)
            addProperty("charset", charset)
            addProperty("byte_order_mark", byteOrderMark)
            addProperty("line_separator", lineSeparator)
        }
        is Applied -> reply("applied") {
            addProperty("text", text)
            addProperty("stamp", stamp)
            addProperty("saved", saved)
            add("notes", notes.toJson())
            add("problems", problems.toJson())
            unlinked?.let { addProperty("unlinked", it) }
        }
        is Unsaved -> reply("unsaved") {
            val each = JsonArray()
            for ((path, text) in texts) {
                each.add(
                    JsonObject().apply {
                        addProperty("path", path.toString())
                        addProperty("text", text)
                    },
                )
            }
            add("texts", each)
        }
        is LeftOut -> reply("left_out") { add("folders", folders.map(Path::toString).toJson()) }
        is AboutProject -> reply("about_project") { add("lines", lines.toJson()) }
        is Answered -> reply("answered") { addProperty("text", text) }
        is Declined -> reply("declined") { addProperty("why", why) }
        is Failed -> reply("failed") {
            addProperty("code", code.word)
            addProperty("text", text)
        }
    }
}

private fun HostReply.Before.toJson() = JsonObject().apply {
    addProperty("path", path)
    addProperty("existed", existed)
    addProperty("text", text)
}

private fun reply(name: String, members: JsonObject.() -> Unit) =
    JsonObject().apply {
        addProperty("reply", name)
        members()
    }

/** The bytes that cross the boundary. */
internal fun JsonElement.encode(): ByteArray = toString().toByteArray(Charsets.UTF_8)

internal fun Collection<String>.toJson(): JsonArray = JsonArray(size).also { array -> forEach(array::add) }

private fun parse(bytes: ByteArray): JsonElement =
    JsonParser.parseReader(InputStreamReader(ByteArrayInputStream(bytes), Charsets.UTF_8))

private fun JsonObject.number(member: String) = getAsJsonPrimitive(member) ?: missing(member)

private fun JsonObject.text(member: String): String = (getAsJsonPrimitive(member) ?: missing(member)).asString

private fun missing(member: String): Nothing = throw IllegalArgumentException("a message without `$member`")

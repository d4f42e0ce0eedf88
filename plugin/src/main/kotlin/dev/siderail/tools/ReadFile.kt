package dev.siderail.tools

import com.google.gson.JsonObject
import dev.siderail.document.DocumentReader
import dev.siderail.document.DocumentWriter
import dev.siderail.document.TextSnapshot
import dev.siderail.document.linesOf

/** `intellij_read_file`. */
internal class ReadFile(
    private val reader: DocumentReader,
    private val writer: DocumentWriter,
    private val missing: MissingPath,
) : Tool {
    override val name get() = "intellij_read_file"

    override fun touches(arguments: Arguments) = listOfNotNull(arguments.text("path"))

    override fun run(call: ToolCall): ToolResult {
        val place = missing.existing(call.place(), call)
        val first = call.arguments.number("start_line", 1, Int.MAX_VALUE) ?: 1
        val last = call.arguments.number("end_line", 1, Int.MAX_VALUE)
        val room = call.arguments.amount("max_chars", LEAST_ANSWER, MOST_ANSWER) ?: ANSWER
        val snapshot = reader.read(place, call.patience).also(writer::seen)
        return ToolResult(answer(snapshot, first, last, room))
    }

    private fun answer(file: TextSnapshot, first: Int, last: Int?, room: Int): String {
        val lines = linesOf(file.text)
        val start = minOf(first, maxOf(lines.size, 1))
        val wanted = (last ?: lines.size).coerceIn(minOf(start, lines.size), lines.size)
        val body = StringBuilder()
        var used = RESERVE
        var end = start - 1
        for (index in start - 1 until wanted) {
            val line = numbered(index + 1, lines[index])
            used += line.length
            // The first line always goes out, or reading would never get past it.
            if (body.isNotEmpty() && used > room) break
            body.append(line)
            end = index + 1
        }
        val shown = if (lines.isEmpty()) "0-0" else "$start-$end"
        val path = file.place.name
        return buildString {
            append("$path lines $shown of ${lines.size}, stamp ${file.stamp}${file.remarks}\n")
            if (first > start) append("Note: line $first is behind the last line, ${lines.size}.\n")
            if (lines.isEmpty()) append("The file is empty.\n")
            append(body)
            if (end < lines.size) append(nextCall(path, end + 1, last?.takeIf { end < it }, room))
        }
    }

    private fun numbered(number: Int, line: String): String {
        val left = line.length - LINE
        return if (left <= 0) "$number\t$line\n" else "$number\t${line.take(LINE)} [$left more characters of this line]\n"
    }

    /** The call that goes on where this answer ends. */
    private fun nextCall(path: String, start: Int, last: Int?, room: Int): String {
        val call = JsonObject()
        call.addProperty("path", path)
        call.addProperty("start_line", start)
        last?.let { call.addProperty("end_line", it) }
        if (room != ANSWER) call.addProperty("max_chars", room)
        return "Next: intellij_read_file $call\n"
    }

    private companion object {
        /** Characters of one line. */
        const val LINE = 2_000

        /** Characters of an answer, unless more are asked for. */
        const val ANSWER = 10_000
        const val LEAST_ANSWER = 1_000
        const val MOST_ANSWER = 30_000

        /** What the head, the notes and the last line may take of an answer. */
        const val RESERVE = 400
    }
}

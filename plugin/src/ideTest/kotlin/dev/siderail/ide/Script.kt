/*
 * Writes scripts for the scripted agent (their format is described at the head of rust/testkit/src/script.rs). Knows nothing
 * of the IDE.
 */
package dev.siderail.ide

import java.nio.file.Files
import java.nio.file.Path

/** One turn of the agent: [steps], and [says] once they are through. With [match] it is for the message that contains that. */
internal fun turn(vararg steps: String, says: String = "all done", match: String? = null): String {
    val start = listOfNotNull("[[prompt]]", match?.let { "match = ${toml(it)}" }, "step = [\n  ").joinToString("\n")
    return (steps.toList() + say(says)).joinToString(",\n  ", start, ",\n]\n")
}

internal fun say(text: String): String = "{ say = ${toml(text)} }"

/** For what takes its time by itself; for what the test does there is [Signal]. */
internal fun sleep(seconds: Int): String = "{ sleep = $seconds.0 }"

/** A call of a tool, whose answer has to contain [result] and must not contain [lacks]. */
internal fun call(
    tool: String,
    vararg arguments: Pair<String, Any>,
    expect: String? = null,
    result: String? = null,
    lacks: String? = null,
): String {
    val members = listOfNotNull(
        "call = ${toml(tool)}",
        "arguments = ${arguments.joinToString(", ", "{ ", " }") { (name, value) -> "$name = ${toml(value)}" }}",
        expect?.let { "expect = ${toml(it)}" },
        result?.let { "expect_result_contains = ${toml(it)}" },
        lacks?.let { "expect_result_lacks = ${toml(it)}" },
    )
    return members.joinToString(", ", "{ ", " }")
}

/** Presents a plan for approval. */
internal fun present(plan: String): String = "{ present = ${toml(plan)} }"

/** What is done only where the step before was allowed. */
internal fun ifAllowed(vararg steps: String): String = steps.joinToString(", ", "{ if_allowed = true, steps = [ ", " ] }")

/** The model must have read [text] since the message. */
internal fun seen(text: String): String = "{ expect_seen_contains = ${toml(text)} }"

/** Writes a file, or a part of it, which has to succeed. */
internal fun write(path: String, vararg arguments: Pair<String, Any>, result: String? = null): String =
    call("intellij_write_file", "path" to path, *arguments, expect = "allowed", result = result)

internal fun replace(path: String, old: String, new: String): String = write(path, "old_text" to old, "new_text" to new)

/** The agent waits for it, so that what the test does first has happened before the agent continues. */
internal class Signal {
    private val file: Path = Files.createTempDirectory("siderail-signal").resolve("given")

    val awaited: String = "{ wait_for = ${toml("$file")} }"

    fun give() {
        Files.createFile(file)
    }
}

private fun toml(value: Any): String = when (value) {
    is String -> toml(value)
    is List<*> -> value.joinToString(", ", "[", "]") { toml(checkNotNull(it)) }
    else -> "$value"
}

private fun toml(text: String): String = buildString {
    append('"')
    for (char in text) {
        when {
            char == '"' || char == '\\' -> append('\\').append(char)
            char.isISOControl() -> append("\\u%04x".format(char.code))
            else -> append(char)
        }
    }
    append('"')
}

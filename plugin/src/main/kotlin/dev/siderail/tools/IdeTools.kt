package dev.siderail.tools

import com.intellij.notification.Notification
import com.intellij.notification.NotificationsManager
import com.intellij.openapi.application.PathManager
import com.intellij.openapi.project.Project
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.ToolFailure
import dev.siderail.ui.Html
import dev.siderail.ui.atMost
import java.io.RandomAccessFile
import java.nio.file.Files
import java.nio.file.Path
import java.time.Instant
import java.time.ZoneId
import java.time.format.DateTimeFormatter
import java.time.temporal.ChronoUnit

/** The tools that show what the IDE says. */
internal fun ideTools(project: Project): List<Tool> = listOf(ReadIdeLog(OtherProjects(project)::folders), GetNotifications(project))

/** `read_ide_log`. */
internal class ReadIdeLog(
    /** Folders of other projects, which this project's agent must not learn of. */
    private val otherFolders: () -> List<String> = { emptyList() },
    private val log: () -> Path = { Path.of(PathManager.getLogPath(), "idea.log") },
) : Tool {
    override val name get() = ToolName.READ_IDE_LOG

    override fun run(call: ToolCall): ToolResult {
        val file = log()
        if (!Files.isRegularFile(file)) throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "the IDE has no log at $file")
        val most = call.arguments.amount("lines", 1, MOST_LINES) ?: LINES
        val contains = call.arguments.text("filter")
        val least = LEVELS[call.arguments.text("level") ?: "info"]
            ?: throw ToolFailure.invalid("`level` is one of ${LEVELS.keys.joinToString()}")
        // A folder whose name only begins like another project's is not that project's.
        val others = otherFolders().map { Regex(Regex.escape(it) + """(?![\w-])""", RegexOption.IGNORE_CASE) }
        val lines = tail(file).filter { line -> line.replace(BACKSLASHES, "/").let { said -> others.none { it.containsMatchIn(said) } } }.filter { contains == null || it.contains(contains, ignoreCase = true) }
            .filter { line -> least.isEmpty() || least.any { it in line } }
        val shown = LastLines.of(lines, most, ANSWER)
        return ToolResult("the last ${shown.size} of ${lines.size} fitting lines of $file\n" + shown.joinToString("") { "$it\n" })
    }

    /** The lines of the file's end; a line that is cut at the beginning is left out. */
    private fun tail(file: Path): List<String> = RandomAccessFile(file.toFile(), "r").use { log ->
        val start = maxOf(0, log.length() - TAIL_BYTES)
        log.seek(start)
        val bytes = ByteArray((log.length() - start).toInt())
        log.readFully(bytes)
        val lines = bytes.toString(Charsets.UTF_8).trimEnd().lines()
        if (start > 0) lines.drop(1) else lines
    }

    private companion object {
        /** How Windows writes paths, in messages and in what is escaped; the platform names folders with `/`. */
        val BACKSLASHES = Regex("""\\+""")
        const val LINES = 100
        const val MOST_LINES = 500
        const val ANSWER = 10_000
        const val TAIL_BYTES = 2L * 1024 * 1024

        /** How a record of at least that level is marked; all lines if there is no mark. */
        val LEVELS = mapOf(
            "error" to listOf(" SEVERE ", " ERROR "),
            "warn" to listOf(" SEVERE ", " ERROR ", " WARN "),
            "info" to emptyList(),
        )
    }
}

/** `get_notifications`. */
internal class GetNotifications(private val project: Project) : Tool {
    override val name get() = ToolName.GET_NOTIFICATIONS

    override fun run(call: ToolCall): ToolResult {
        val manager = NotificationsManager.getNotificationsManager()
        val all = manager.getNotificationsOfType(Notification::class.java, project).toList() +
            manager.getNotificationsOfType(Notification::class.java, null)
        val limit = call.arguments.amount("limit", 1, MOST) ?: LIMIT
        val shown = all.distinct().sortedByDescending { it.timestamp }.take(limit)
        return ToolResult(
            buildString {
                append("${all.distinct().size} notifications in the IDE\n")
                for (notification in shown) append(line(notification))
            },
        )
    }

    private fun line(notification: Notification): String {
        val time = Instant.ofEpochMilli(notification.timestamp).atZone(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS)
        val texts = listOf(notification.title, notification.content).map { Html.plain(it).atMost(LONGEST) }
        val words = texts.filter { it.isNotEmpty() }.joinToString(": ")
        return "${DateTimeFormatter.ISO_LOCAL_TIME.format(time)} ${notification.type.name.lowercase()} $words\n"
    }

    private companion object {
        const val LIMIT = 20
        const val MOST = 100
        const val LONGEST = 500
    }
}

package dev.siderail.tools

import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.fileEditor.impl.LoadTextUtil
import com.intellij.openapi.vfs.VFileProperty
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.BackgroundRead
import dev.siderail.document.DocumentReader
import dev.siderail.document.Patience
import dev.siderail.document.Place
import dev.siderail.document.ToolFailure
import dev.siderail.document.WrittenName
import dev.siderail.psi.ProjectFiles
import java.util.regex.Pattern
import java.util.regex.PatternSyntaxException

/** `search_text`: in documents where there are some, unsaved changes included, else in the files. */
internal class SearchText(
    private val reader: DocumentReader,
    private val files: ProjectFiles,
    private val missing: MissingPath,
) : Tool {
    override val name get() = "search_text"

    override fun run(call: ToolCall): ToolResult {
        val query = SearchQuery(call.arguments)
        val scope = missing.existing(call.folder.resolve(call.arguments.text("path") ?: "."), call)
        val limit = call.arguments.amount("limit", 1, MOST_LINES) ?: LINES
        val glob = call.arguments.text("pattern")?.let { Glob(it, call.folder.root.toString(), scope.relative) }
        val found = FoundLines(query, call.arguments.cursor(), limit)
        val deadline = System.nanoTime() + TIME_NS
        val patience = Patience {
            call.patience.check()
            if (System.nanoTime() > deadline) throw OutOfTime
        }
        try {
            search(call, scope, glob, found, patience)
        } catch (_: OutOfTime) {
            found.isCut = true
        }
        return ToolResult(found.answer(scope))
    }

    private fun search(call: ToolCall, scope: Place, glob: Glob?, found: FoundLines, patience: Patience) {
        val root = reader.find(scope, patience) ?: return
        if (!root.isDirectory) {
            lookInto(root, scope.relative, found, patience)
            return
        }
        files.visit(root) { file ->
            patience.check()
            val path = ProjectPath.of(scope, root, file)
            if (glob == null || glob.matches(path)) lookInto(file, path, found, patience)
            found.isCut = found.total >= MOST_MATCHES
            !found.isCut
        }
    }

    private fun lookInto(file: VirtualFile, path: String, found: FoundLines, patience: Patience) {
        if (file.`is`(VFileProperty.SPECIAL)) {
            found.unsearched.add("${WrittenName.of(path)} is a pipe, a socket or a device")
            return
        }
        if (file.length > MOST_BYTES) {
            found.unsearched.add("${WrittenName.of(path)} has ${file.length} bytes, too many")
            return
        }
        val text = textOf(file)
        if (text == null) found.binary++ else found.lookInto(path, text, patience)
    }

    /** Null for what is no text. The disk is read with no lock held. */
    private fun textOf(file: VirtualFile): String? {
        val open = BackgroundRead.of { if (file.isValid) FileDocumentManager.getInstance().getCachedDocument(file)?.text else null }
        if (open != null) return open
        if (!file.isValid || file.fileType.isBinary) return null
        return LoadTextUtil.loadText(file).toString().takeUnless { '\u0000' in it }
    }

    private object OutOfTime : RuntimeException() {
        private fun readResolve(): Any = OutOfTime
    }

    private companion object {
        const val LINES = 100
        const val MOST_LINES = 500

        /** Larger files are named as not searched. */
        const val MOST_BYTES = 20L * 1024 * 1024

        /** Matches that are counted. */
        const val MOST_MATCHES = 50_000

        /** How long a search may take. */
        const val TIME_NS = 30_000_000_000L
    }
}

/** What is looked for. */
internal class SearchQuery(arguments: Arguments) {
    val text: String = arguments.requiredText("query")
    private val pattern: Pattern

    /** Plain text that is written as only a regular expression is. */
    val isEscaped: Boolean

    /** Matches may go over lines. */
    val spansLines: Boolean

    init {
        if (text.isEmpty()) throw ToolFailure.invalid("`query` is empty; name the text to find")
        val isRegex = arguments.flag("regex")
        val expression = if (isRegex) text else Pattern.quote(text.replace("\r\n", "\n"))
        val case = if (arguments.flag("case_sensitive")) 0 else Pattern.CASE_INSENSITIVE or Pattern.UNICODE_CASE
        pattern = try {
            Pattern.compile(expression, case or Pattern.MULTILINE)
        } catch (error: PatternSyntaxException) {
            throw ToolFailure.invalid(
                "`query` is no usable regular expression: ${error.description}; to find it as plain text, leave out `regex`",
            )
        }
        isEscaped = !isRegex && ESCAPES.any { it in text }
        spansLines = '\n' in text || isRegex && "\\n" in text
    }

    /** Starts of matches. A pattern that runs away is ended with the call. */
    fun starts(text: String, patience: Patience): Sequence<Int> {
        val matcher = pattern.matcher(Watched(text, patience))
        return generateSequence { if (matcher.find()) matcher.start() else null }
    }

    private class Watched(private val text: CharSequence, private val patience: Patience) : CharSequence {
        private var looks = 0

        override val length get() = text.length

        override fun get(index: Int): Char {
            if (++looks % LOOKS == 0) patience.check()
            return text[index]
        }

        override fun subSequence(startIndex: Int, endIndex: Int) = text.subSequence(startIndex, endIndex)

        override fun toString() = text.toString()
    }

    private companion object {
        const val LOOKS = 100_000

        /** What models write for a line break, a blank and so on, and means that in a regular expression only. */
        val ESCAPES = listOf("\\n", "\\r", "\\t", "\\s", "\\d", "\\w", "\\b")
    }
}

/** Matching lines, and how they are told. */
internal class FoundLines(private val query: SearchQuery, private val skipped: Int, private val limit: Int) {
    var total = 0
        private set
    var binary = 0
    var isCut = false
    val unsearched = ArrayList<String>()
    private var files = 0
    private var matchingFiles = 0
    private var shownLines = 0
    private val shown = StringBuilder()

    fun lookInto(path: String, text: String, patience: Patience) {
        files++
        val before = total
        var line = 1
        var counted = 0
        var lastLine = 0
        for (start in query.starts(text, patience)) {
            for (index in counted until start) if (text[index] == '\n') line++
            counted = start
            // A line is told once, unless matches may go over lines.
            if (line == lastLine && !query.spansLines) continue
            lastLine = line
            val lineStart = text.lastIndexOf('\n', start - 1) + 1
            val lineEnd = text.indexOf('\n', lineStart).let { if (it < 0) text.length else it }
            if (start == text.length && lineStart == start && start > 0) continue
            add(path, line, text.substring(lineStart, lineEnd), minOf(start - lineStart, lineEnd - lineStart))
        }
        if (total > before) matchingFiles++
    }

    private fun add(path: String, number: Int, line: String, start: Int) {
        total++
        if (total <= skipped || shownLines >= limit || shown.length >= ANSWER) return
        shownLines++
        shown.append("${WrittenName.of(path)}:$number:${start + 1}: ${LineExcerpt.around(line, start)}\n")
    }

    fun answer(scope: Place): String = buildString {
        val place = if (scope.relative == ".") "the project" else scope.name
        if (isCut) append("at least ")
        append("$total matching lines in $matchingFiles files for `${query.text}` in $place ($files files searched)\n")
        if (total == 0 && !isCut && unsearched.isEmpty()) {
            append("This is complete and final for that scope: searching again by other means finds nothing more.")
            if (binary > 0) append(" $binary binary files were left out.")
            append(" What the project excludes or ignores was not searched.\n")
        }
        if (total == 0 && query.isEscaped) {
            append("A backslash stands for itself here; with regex set, \\n is a line break, \\w a letter.\n")
        }
        append(shown)
        if (isCut) append("Not complete: the search was ended early; narrow it by path or query.\n")
        unsearched.take(MOST_UNSEARCHED).forEach { append("Not searched: $it\n") }
        val end = skipped + shownLines
        if (total > end) append("Next: the same call with \"cursor\": \"$end\" (${total - end} lines left)\n")
    }

    private companion object {
        /** Characters of an answer. */
        const val ANSWER = 10_000
        const val MOST_UNSEARCHED = 5
    }
}

/** A line's text around a place in it, short enough to show. */
internal object LineExcerpt {
    private const val LINE = 250
    private const val BEFORE = 80

    fun around(line: String, start: Int): String {
        val left = if (start > LINE / 2) start - BEFORE else 0
        val shown = line.drop(left).take(LINE)
        val lead = if (left > 0) "…" else ""
        val tail = if (left + shown.length < line.length) "…" else ""
        return "$lead${shown.trimEnd()}$tail"
    }
}

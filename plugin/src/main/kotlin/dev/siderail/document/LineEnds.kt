package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.editor.Document
import com.intellij.openapi.vfs.SavingRequestor
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.util.diff.Diff
import com.intellij.util.diff.FilesTooBigForDiffException

/**
 * Files whose lines end in more than one way. An editor saves all lines with one kind of end; a person who has asked for
 * one line to be changed would find every line changed. So lines that an edit leaves alone get back the ends they had.
 */
internal object LineEnds {
    const val NOTE = "its line ends are mixed: lines that were not edited keep theirs, until somebody saves the file from an editor"

    /** The text as it lies on the disk, where its lines end in more than one way; else null. */
    fun mixed(file: VirtualFile): String? {
        val bytes = file.contentsToByteArray()
        val start = minOf(file.bom?.size ?: 0, bytes.size)
        val text = String(bytes, start, bytes.size - start, file.charset)
        return text.takeIf { lines(it).mapNotNullTo(HashSet()) { line -> line.end.takeIf(String::isNotEmpty) }.size > 1 }
    }

    private class Line(val text: String, val end: String)

    private fun lines(text: String): List<Line> {
        val lines = ArrayList<Line>()
        var start = 0
        var at = 0
        while (at < text.length) {
            val end = if (text.startsWith("\r\n", at)) "\r\n" else if (text[at] == '\n' || text[at] == '\r') text[at].toString() else ""
            if (end.isNotEmpty()) {
                lines += Line(text.substring(start, at), end)
                start = at + end.length
            }
            at += maxOf(end.length, 1)
        }
        if (start < text.length) lines += Line(text.substring(start), "")
        return lines
    }

    /** [now], whose lines end in `\n`, with the ends that its lines had in [before]; new lines get [usual]. */
    fun kept(before: String, now: String, usual: String): String {
        val (old, new) = lines(before) to lines(now)
        val ends = arrayOfNulls<String>(new.size)
        var (oldAt, newAt) = 0 to 0
        for ((line0, line1, deleted, inserted) in changes(old, new)) {
            while (oldAt < line0 && newAt < line1) ends[newAt++] = old[oldAt++].end
            oldAt = line0 + deleted
            newAt = line1 + inserted
        }
        while (oldAt < old.size && newAt < new.size) ends[newAt++] = old[oldAt++].end
        return new.withIndex().joinToString("") { (at, line) ->
            // A last line without an end stays so, and one that goes on needs one.
            line.text + if (line.end.isEmpty()) "" else ends[at]?.takeIf { it.isNotEmpty() } ?: usual
        }
    }

    private data class Step(val line0: Int, val line1: Int, val deleted: Int, val inserted: Int)

    private fun changes(old: List<Line>, new: List<Line>): List<Step> = try {
        generateSequence(Diff.buildChanges(old.map { it.text }.toTypedArray(), new.map { it.text }.toTypedArray())) { it.link }
            .map { Step(it.line0, it.line1, it.deleted, it.inserted) }.toList()
    } catch (_: FilesTooBigForDiffException) {
        listOf(Step(0, 0, old.size, new.size))
    }

    /** Puts the ends back on the disk after the document was saved. On the event dispatch thread. */
    fun putBack(file: VirtualFile, document: Document, before: String) {
        val text = kept(before, document.immutableCharSequence.toString(), file.detectedLineSeparator ?: "\n")
        // A save by whose hand the document is not read anew: its text is what stands there.
        val requestor = object : SavingRequestor {}
        ApplicationManager.getApplication().runWriteAction {
            file.getOutputStream(requestor, document.modificationStamp, -1).use { it.write(text.toByteArray(file.charset)) }
        }
    }
}

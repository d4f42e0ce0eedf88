package dev.siderail.tools

import com.google.gson.JsonObject
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.HostRequest
import dev.siderail.bridge.TidyHow
import dev.siderail.document.BackgroundRead
import dev.siderail.document.Change
import dev.siderail.document.DocumentReader
import dev.siderail.document.DocumentWriter
import dev.siderail.document.FileNames
import dev.siderail.document.FileRelocator
import dev.siderail.document.Place
import dev.siderail.document.Replacement
import dev.siderail.psi.ProjectFiles
import java.nio.file.Path

/**
 * What the engine's file tools ask of the IDE: a text with its stamp and whether it is saved, a change as one undo step,
 * what is deleted and moved, what is not on the disk, what the project leaves out, and
 * what else the IDE knows of it. Paths come confined to the project, edits come placed.
 */
internal class DocumentRequests(
    private val project: Project,
    private val reader: DocumentReader,
    private val writer: DocumentWriter,
    private val edits: Edits,
    private val relocator: FileRelocator,
    private val files: ProjectFiles,
) {
    /** Null for a request of another kind. */
    fun perform(call: HostCall, with: ToolCall): HostReply? = when (call.known) {
        HostRequest.READ_DOCUMENT -> read(place(call, with), with)
        HostRequest.APPLY_TEXT -> apply(call.body, place(call, with), with)
        HostRequest.PUT_LINE_ENDS -> {
            writer.putLineEnds(place(call, with), call.body["stamp"].asLong, call.body["text"].asString, with.patience)
            HostReply.Done
        }
        HostRequest.DELETE_PATH -> HostReply.Done.also { relocator.delete(place(call, with), with.patience) }
        HostRequest.MOVE_PATH -> {
            relocator.move(place(call, with), place(call, with, "to"), call.body["overwrite"].asBoolean, with.patience)
            HostReply.Done
        }
        HostRequest.UNSAVED_TEXTS -> HostReply.Unsaved(unsaved(place(call, with)))
        HostRequest.LEFT_OUT -> HostReply.LeftOut(leftOut(call.body.getAsJsonArray("folders").map { Path.of(it.asString) }))
        HostRequest.ABOUT_PROJECT -> HostReply.AboutProject(AboutProject.lines(project))
        else -> null
    }

    private fun place(call: HostCall, with: ToolCall, member: String = "path"): Place =
        with.folder.confined(Path.of(call.body[member].asString))

    private fun read(place: Place, with: ToolCall): HostReply {
        val text = reader.read(place, with.patience)
        val file = text.file
        return HostReply.Document(
            text.text,
            text.modificationStamp,
            text.unsaved,
            text.conflict,
            file.charset.name(),
            file.bom != null,
            file.detectedLineSeparator ?: "\n",
        )
    }

    private fun apply(body: JsonObject, place: Place, with: ToolCall): HostReply {
        val stamp = body["stamp"].takeUnless { it.isJsonNull }?.asLong
        val names = FileNames(body["separate"].asBoolean, body.getAsJsonArray("other_names").map { Path.of(it.asString) })
        val tidy = body.getAsJsonObject("tidy")
        val result = when (TidyHow.of(tidy["how"].asString)) {
            TidyHow.NOT -> edits.writeExactly(with, place, change(body), stamp, names)
            TidyHow.NOW -> edits.tidyNow(with, place, stamp, tidy["imports"].asBoolean, tidy["format"].asBoolean, lines(tidy))
            TidyHow.AS_SET, null -> edits.write(with, place, change(body), stamp, names, newImports(body))
        }
        val written = result.written
        return HostReply.Applied(
            written.after,
            written.stamp,
            written.saved,
            written.notes,
            result.problems.map { "${it.place.line}:${it.place.column}: ${it.severity.name.lowercase()}: ${it.message}" },
            written.unlinked,
        )
    }

    private fun newImports(body: JsonObject): Set<String> =
        body.getAsJsonArray("new_imports")?.mapTo(LinkedHashSet()) { it.asString }.orEmpty()

    private fun change(body: JsonObject): Change {
        val steps = body["steps"].takeUnless { it.isJsonNull }?.asJsonArray ?: return Change.Whole(body["text"].asString)
        return Change.Pieces(
            steps.map { step ->
                step.asJsonArray.map { it.asJsonObject }
                    .map { Replacement(it["start"].asInt, it["end"].asInt, it["text"].asString) }
            },
        )
    }

    private fun lines(tidy: JsonObject): IntRange? = tidy["lines"].takeUnless { it.isJsonNull }?.asJsonArray
        ?.let { it[0].asInt..minOf(it[1].asLong, Int.MAX_VALUE.toLong()).toInt() }

    private fun unsaved(place: Place): List<Pair<Path, String>> {
        val documents = FileDocumentManager.getInstance()
        val local = StandardFileSystems.local()
        val texts = BackgroundRead.of {
            documents.unsavedDocuments.mapNotNull { document ->
                val file = documents.getFile(document)?.takeIf { it.isValid && it.fileSystem == local }
                file?.let { pathOf(it) to document.immutableCharSequence }
            }
        }
        return texts.filter { it.first.startsWith(place.absolute) }.map { (path, text) -> path to text.toString() }
    }

    /** A folder of which the IDE knows nothing is nothing that it leaves out. */
    private fun leftOut(folders: List<Path>): List<Path> {
        val local = StandardFileSystems.local()
        val known = folders.mapNotNull { path -> local.findFileByPath(path.toString().replace('\\', '/'))?.let { path to it } }
        val out = files.leftOut(known.map { it.second }).toSet()
        return known.filter { it.second in out }.map { it.first }
    }

    /** Without links, as the engine names it. */
    private fun pathOf(file: VirtualFile): Path = Path.of(file.canonicalPath ?: file.path)

    companion object {
        private val CHANGES = setOf(HostRequest.APPLY_TEXT, HostRequest.PUT_LINE_ENDS, HostRequest.DELETE_PATH, HostRequest.MOVE_PATH)

        /** Whether only its answer says what became of it, however unwanted it is by then. */
        fun changes(call: HostCall): Boolean = call.known in CHANGES
    }
}

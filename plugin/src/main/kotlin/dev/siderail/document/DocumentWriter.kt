package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.command.CommandProcessor
import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.RangeMarker
import com.intellij.openapi.editor.ReadOnlyFragmentModificationException
import com.intellij.openapi.editor.ReadOnlyModificationException
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.SavingRequestor
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VfsUtil
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import java.io.IOException
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.nio.file.Files
import java.nio.file.Path

/**
 * A file that was written.
 *
 * @property before the old text; null where there was no file
 * @property after the text as it is now, after tidying and saving
 * @property stamp of the document, which tells whether the text is still this one
 * @property notes what the model should know, without full stops
 * @property unlinked why the file's other names do not all have the new text; null where they do
 */
class Written(
    val file: VirtualFile,
    val before: String?,
    val after: String,
    val stamp: Long,
    val saved: Boolean,
    val notes: List<String>,
    val importsWait: Boolean,
    val unlinked: String? = null,
)

/**
 * Changes texts through documents: write, commit, optimise imports, format in one command, then save.
 *
 * One command is one undo step. The change was placed elsewhere; the event dispatch thread only applies it, and only if
 * the text is still the same.
 */
class DocumentWriter(
    private val project: Project,
    private val eventThread: EventThread,
    private val reader: DocumentReader,
) : AgentRequestor {
    private val tidier = Tidier(project)

    /**
     * Writes a text in place of the one of [stamp], or a new file if that is null; fails as stale if the file has
     * another stamp now. [work] is asked with the texts before and after.
     */
    fun write(
        place: Place,
        change: Change,
        stamp: Long?,
        patience: Patience,
        names: FileNames = FileNames(),
        work: (before: String, after: String) -> TidyWork,
    ): Written {
        patience.check()
        val written = when {
            stamp != null -> replace(place, change, stamp, patience, names, work)
            change is Change.Whole -> create(place, change.text, patience, work)
            else -> null
        }
        PendingWrites.flush()
        return written ?: throw changed(place)
    }

    private fun changed(place: Place) =
        ToolFailure(ToolErrorCode.STALE, "${place.name} was changed by somebody else meanwhile; nothing was written, try again")

    /** Puts other line ends on the disk behind a text that was saved, if its document is still of that [stamp]. */
    fun putLineEnds(place: Place, stamp: Long, text: String, patience: Patience) {
        val old = reader.read(place, patience)
        // A save that does not make the IDE read the document anew: its text is what is there.
        val requestor = object : SavingRequestor {}
        eventThread.run(patience) {
            if (old.document.modificationStamp != stamp || isUnsaved(old.document)) throw changed(place)
            try {
                ApplicationManager.getApplication().runWriteAction<Unit, IOException> {
                    old.file.getOutputStream(requestor, stamp, -1).use { it.write(text.toByteArray(old.file.charset)) }
                }
            } catch (error: IOException) {
                throw ToolFailure.io("write", place.name, error)
            }
        }
        PendingWrites.flush()
    }

    /** Null where the text changed meanwhile. */
    private fun replace(
        place: Place,
        change: Change,
        stamp: Long,
        patience: Patience,
        names: FileNames,
        work: (String, String) -> TidyWork,
    ): Written? {
        val old = reader.read(place, patience)
        if (old.modificationStamp != stamp || old.conflict) return null
        val text = change.of(old.text)
        if (!old.file.isWritable || !Files.isWritable(place.absolute)) throw readOnly(place)
        old.lossOnWriting(text)?.let { throw ToolFailure.invalid("${place.name} was not written: $it") }
        val tidying = work(old.text, text)
        val name = "Agent: edit ${old.file.name}"
        val applied = eventThread.run(patience) {
            if (!old.file.isValid || old.document.modificationStamp != stamp) return@run null
            if (names.outside) separate(place)
            val applied = Applied(old.file, old.document, name)
            Command.run(project, name, applied.group) { applied.changed = apply(old.document, change, place) }
            settled(applied, tidying)
        } ?: return null
        val tidied = tidied(applied, tidying, patience, isWrite = change !is Change.Tidy)
        return finished(applied, old.text, tidied, rejoined(place, applied.document, names.inside))
    }

    private fun separate(place: Place) = try {
        FileNames.separate(place.absolute)
    } catch (error: IOException) {
        throw ToolFailure.io("write", place.name, error)
    }

    /** The text is written by then: an error is reported and fails nothing. */
    private fun rejoined(place: Place, document: Document, others: List<Path>): String? {
        if (others.isEmpty() || isUnsaved(document)) return null
        return try {
            PendingWrites.flush()
            FileNames.rejoin(place.absolute, others)
            // The IDE does not know that they are one file.
            others.mapNotNull { StandardFileSystems.local().findFileByPath(it.toString()) }.forEach { it.refresh(true, false) }
            null
        } catch (error: IOException) {
            error.message ?: error.javaClass.simpleName
        }
    }

    /** A text that is in its document. [group] holds the commands together that are one undo step. */
    private class Applied(val file: VirtualFile, val document: Document, val name: String, val group: Any = Any()) {
        var changed: List<RangeMarker>? = null
        var stamp = 0L
    }

    /** On the event dispatch thread, behind the command: saves what nothing more is done with. */
    private fun settled(applied: Applied, tidying: TidyWork): Applied {
        tidier.commit(applied.document)
        applied.stamp = applied.document.modificationStamp
        if (tidying.isNothing) save(applied.document)
        return applied
    }

    /**
     * The second half of a write: prepared here in the background, then one command with the first, then saved. Where there
     * was no first, [isWrite] is false.
     */
    private fun tidied(applied: Applied, work: TidyWork, patience: Patience, isWrite: Boolean = true): Tidied {
        if (work.isNothing) return NOT_TIDIED
        val prepared = tidier.prepare(applied.document, work, patience)
        return try {
            // Once a text is written, a cancel must not keep it from the disk. A tidying alone is not wanted any more:
            // what a turn has changed may have been reported by then.
            eventThread.run(if (isWrite) Patience {} else patience) {
                val tidied = tidyNow(applied, work, prepared)
                save(applied.document)
                tidied
            }
        } catch (failure: ToolFailure) {
            Tidied(listOf("not tidied: ${failure.text}"), work.imports)
        } finally {
            applied.changed?.forEach(RangeMarker::dispose)
        }
    }

    private fun tidyNow(applied: Applied, work: TidyWork, prepared: Tidier.Prepared?): Tidied {
        if (prepared == null) return NOT_TIDIED
        if (!applied.file.isValid || applied.document.modificationStamp != applied.stamp) {
            return Tidied(listOf("not tidied: the text was changed meanwhile; call ${ToolName.FORMAT_CODE}"), work.imports)
        }
        var tidied = NOT_TIDIED
        Command.join(project, applied.name, applied.group) { tidied = tidier.apply(applied.document, work, prepared, applied.changed) }
        return tidied
    }

    private fun apply(document: Document, change: Change, place: Place): List<RangeMarker>? = try {
        ApplicationManager.getApplication().runWriteAction<List<RangeMarker>?, RuntimeException> {
            change.applyTo(document)
        }
    } catch (_: ReadOnlyModificationException) {
        throw readOnly(place)
    } catch (_: ReadOnlyFragmentModificationException) {
        throw ToolFailure(ToolErrorCode.READ_ONLY, "a part of ${place.name} that the edit touches is generated and guarded by the IDE")
    }

    /** Null where somebody else created the file meanwhile. */
    private fun create(place: Place, given: String, patience: Patience, work: (String, String) -> TidyWork): Written? {
        val text = ChangeParts.plain(given)
        val folder = FolderMaker(reader).nearest(place, patience)
        val tidying = work("", text)
        val name = "Agent: create ${place.absolute.fileName}"
        lateinit var file: VirtualFile
        var made: Applied? = null
        val isMade = eventThread.run(patience) {
            if (Files.exists(place.absolute)) return@run false
            val group = Any()
            AgentChanges.during(listOf(place)) {
                Command.run(project, name, group) {
                    file = createFile(place, folder, given)
                    val document = FileDocumentManager.getInstance().getDocument(file)
                    if (document == null) ApplicationManager.getApplication().runWriteAction { VfsUtil.saveText(file, text) }
                    else {
                        // Loading the empty file has found no line ends. As given is what is meant.
                        file.detectedLineSeparator = if ("\r\n" in given) "\r\n" else "\n"
                        ApplicationManager.getApplication().runWriteAction { document.setText(text) }
                        made = Applied(file, document, name, group)
                    }
                }
            }
            made?.let { settled(it, tidying) }
            true
        }
        if (!isMade) return null
        val applied = made ?: return Written(file, null, text, 0, true, emptyList(), false)
        return finished(applied, null, tidied(applied, tidying, patience))
    }

    private fun createFile(place: Place, folder: FolderMaker.Missing, given: String): VirtualFile = try {
        ApplicationManager.getApplication().runWriteAction<VirtualFile, IOException> {
            val file = folder.make(this).createChildData(this, place.absolute.fileName.toString())
            file.charset = Charsets.UTF_8
            if (given.startsWith(MARK)) file.bom = UTF_8_MARK
            file
        }
    } catch (error: IOException) {
        throw ToolFailure.io("create", place.name, error)
    }

    private fun finished(applied: Applied, before: String?, tidied: Tidied, unlinked: String? = null): Written {
        val document = applied.document
        val (text, stamp) = BackgroundRead.of { document.text to document.modificationStamp }
        val saved = !isUnsaved(document)
        val unsaved = if (saved) emptyList() else listOf("the text is in the editor and could not be saved to the disk")
        return Written(applied.file, before, text, stamp, saved, tidied.notes + unsaved, tidied.importsWait, unlinked)
    }

    private fun isUnsaved(document: Document) = FileDocumentManager.getInstance().isDocumentUnsaved(document)

    private fun save(document: Document) = FileDocumentManager.getInstance().saveDocument(document)

    private fun readOnly(place: Place) =
        ToolFailure(ToolErrorCode.READ_ONLY, "${place.name} is read-only; ask the user before changing that")

    private companion object {
        const val MARK = "\uFEFF"
        val UTF_8_MARK = byteArrayOf(0xEF.toByte(), 0xBB.toByte(), 0xBF.toByte())
        val NOT_TIDIED = Tidied(emptyList(), false)
    }
}

/** A command of the IDE: what happens inside is one undo step. On the event dispatch thread. */
internal object Command {
    /** Commands of one [group] that follow each other are one undo step. */
    fun run(project: Project, name: String, group: Any? = null, work: () -> Unit) {
        var failure: Throwable? = null
        CommandProcessor.getInstance().executeCommand(
            project,
            {
                // Left to itself the platform logs what is thrown here, and the caller that waits hears nothing.
                try {
                    work()
                } catch (error: Throwable) {
                    failure = error
                }
            },
            name,
            group,
        )
        failure?.let { throw it }
    }

    /** As [run], and one step with the command before also where that one created a file, as far as the IDE can. */
    fun join(project: Project, name: String, group: Any, work: () -> Unit) {
        val command = Runnable { run(project, name, group, work) }
        val merging = MERGING ?: return command.run()
        try {
            merging.invoke(CommandProcessor.getInstance(), command)
        } catch (error: InvocationTargetException) {
            throw error.cause ?: error
        }
    }

    /** Experimental, and not in every IDE: `allowMergeGlobalCommands`. */
    private val MERGING: Method? = try {
        CommandProcessor::class.java.getMethod("allowMergeGlobalCommands", Runnable::class.java)
    } catch (_: NoSuchMethodException) {
        null
    }
}

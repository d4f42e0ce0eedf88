package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.command.CommandProcessor
import com.intellij.openapi.editor.Document
import com.intellij.openapi.editor.RangeMarker
import com.intellij.openapi.editor.ReadOnlyFragmentModificationException
import com.intellij.openapi.editor.ReadOnlyModificationException
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.VfsUtil
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.document.ToolFailure.Code
import java.io.IOException
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.nio.file.Files

/** What is to become of a file. */
sealed interface Change {
    /** The whole new text, line ends as given. */
    class Content(val text: String) : Change

    /** Replacements, in order, all or nothing. */
    class Edits(val edits: List<Edit>) : Change {
        /** Replacing nothing by something is how some models create a file. */
        val isCreation: Boolean get() = edits.singleOrNull()?.old?.isEmpty() == true
    }

    /** The text stays and is tidied; where [lines] are given, from 1, only they are formatted. */
    class Tidy(val lines: IntRange? = null) : Change
}

/**
 * A file that was written.
 *
 * @property before the old text; null where there was no file
 * @property after the text as it is now, after tidying and saving
 * @property notes what the model should know, without full stops
 */
class Written(
    val place: Place,
    val file: VirtualFile,
    val before: String?,
    val after: String,
    val notes: List<String>,
    val importsWait: Boolean,
) {
    val stamp: String = TextStamp.of(after)

    /** The same with more notes, behind those of the edit. */
    internal fun noting(more: List<String>) = Written(place, file, before, after, notes + more, importsWait)
}

/**
 * Changes texts through documents: write, commit, optimise imports, format in one command, then save.
 *
 * One command is one undo step. The text is looked at and the edit is placed on the calling background thread;
 * the event dispatch thread only applies it, and only if the text is still the same.
 */
class DocumentWriter(
    private val project: Project,
    private val eventThread: EventThread,
    private val reader: DocumentReader,
) : AgentRequestor {
    private val tidier = Tidier(project)
    private val recent = RecentTexts()

    /** Remembers a text that a model has seen, so that a stale edit can be told what has changed since. */
    fun seen(snapshot: TextSnapshot) = recent.keep(snapshot.place.relative, snapshot.stamp, snapshot.text)

    /** Writes a file that may be there or not. [work] is asked with the texts before and after. */
    fun write(
        place: Place,
        change: Change,
        expectedStamp: String?,
        patience: Patience,
        work: (before: String, after: String) -> TidyWork,
    ): Written {
        repeat(ATTEMPTS) {
            patience.check()
            val written = if (place.exists) {
                replace(place, change, expectedStamp, patience, work)
            } else {
                if (expectedStamp != null) throw EditConflict.gone(place)
                create(place, change, patience, work)
            }
            if (written != null) {
                recent.keep(place.relative, written.stamp, written.after)
                PendingWrites.flush()
                return written
            }
        }
        throw ToolFailure(
            Code.STALE,
            "${place.name} keeps being changed by somebody else; nothing was written, try again later",
        )
    }

    /** Null where the text changed meanwhile. */
    private fun replace(
        place: Place,
        change: Change,
        expectedStamp: String?,
        patience: Patience,
        work: (String, String) -> TidyWork,
    ): Written? {
        val old = reader.read(place, patience)
        if (expectedStamp != null && old.stamp != expectedStamp) {
            throw EditConflict.stale(old, expectedStamp, recent.text(place.relative, expectedStamp))
        }
        if (old.conflict) throw EditConflict.unsaved(place)
        val plan = EditPlan.of(place, old.text, change)
        if (change !is Change.Tidy && plan.text == old.text) {
            return Written(place, old.file, old.text, old.text, emptyList(), false)
        }
        if (!old.file.isWritable || !Files.isWritable(place.absolute)) throw readOnly(place)
        old.lossOnWriting(plan.text)?.let { throw ToolFailure.invalid("${place.name} was not written: $it") }
        val tidying = work(old.text, plan.text)
        val disk = DiskFile.before(old, patience)
        val name = "Agent: edit ${old.file.name}"
        val applied = eventThread.run(patience) {
            if (!old.file.isValid || old.document.modificationStamp != old.modificationStamp) return@run null
            disk.separate()
            val applied = Applied(old.file, old.document, name)
            Command.run(project, name, applied.group) { applied.changed = apply(old.document, plan, place) }
            settled(applied, tidying) { if (!isUnsaved(old.document)) disk.saved() }
        } ?: return null
        val tidied = tidied(applied, tidying, patience) { if (!isUnsaved(old.document)) disk.saved() }
        return finished(place, applied, old.text, plan.notes + tidied.notes, tidied.importsWait).noting(disk.after())
    }

    /** A text that is in its document. [group] holds the commands together that are one undo step. */
    private class Applied(val file: VirtualFile, val document: Document, val name: String, val group: Any = Any()) {
        var changed: List<RangeMarker>? = null
        var stamp = 0L
    }

    /** On the event dispatch thread, behind the command: saves what nothing more is done with. */
    private fun settled(applied: Applied, tidying: TidyWork, saved: () -> Unit): Applied {
        tidier.commit(applied.document)
        applied.stamp = applied.document.modificationStamp
        if (tidying.isNothing) {
            save(applied.document)
            saved()
        }
        return applied
    }

    /** The second half of a write: prepared here in the background, then one command with the first, then saved. */
    private fun tidied(applied: Applied, work: TidyWork, patience: Patience, saved: () -> Unit = {}): Tidied {
        if (work.isNothing) return NOT_TIDIED
        val prepared = tidier.prepare(applied.document, work, patience)
        return try {
            // The text is written: whoever cancels now must not keep it from the disk.
            eventThread.run({}) {
                val tidied = tidyNow(applied, work, prepared)
                save(applied.document)
                saved()
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
            return Tidied(listOf("not tidied: the text was changed meanwhile; call format_code"), work.imports)
        }
        var tidied = NOT_TIDIED
        Command.join(project, applied.name, applied.group) { tidied = tidier.apply(applied.document, work, prepared, applied.changed) }
        return tidied
    }

    private fun apply(document: Document, plan: EditPlan, place: Place): List<RangeMarker>? = try {
        ApplicationManager.getApplication().runWriteAction<List<RangeMarker>?, RuntimeException> {
            plan.applyTo(document)
        }
    } catch (_: ReadOnlyModificationException) {
        throw readOnly(place)
    } catch (_: ReadOnlyFragmentModificationException) {
        throw ToolFailure(Code.READ_ONLY, "a part of ${place.name} that the edit touches is generated and guarded by the IDE")
    }

    /** Null where somebody else created the file meanwhile. */
    private fun create(place: Place, change: Change, patience: Patience, work: (String, String) -> TidyWork): Written? {
        val given = textOfNewFile(place, change)
        val text = unified(given.removePrefix(MARK))
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
            made?.let { settled(it, tidying) {} }
            true
        }
        if (!isMade) return null
        val applied = made ?: return Written(place, file, null, text, emptyList(), false)
        val tidied = tidied(applied, tidying, patience)
        return finished(place, applied, null, tidied.notes, tidied.importsWait)
    }

    private fun textOfNewFile(place: Place, change: Change): String {
        if (change is Change.Content) return change.text
        if (change is Change.Edits && change.isCreation) return change.edits.single().new
        throw ToolFailure(Code.FILE_NOT_FOUND, "${place.name} does not exist")
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

    private fun finished(place: Place, applied: Applied, before: String?, notes: List<String>, importsWait: Boolean): Written {
        val text = BackgroundRead.of { applied.document.text }
        val unsaved = if (isUnsaved(applied.document)) listOf("the text is in the editor and could not be saved to the disk") else emptyList()
        return Written(place, applied.file, before, text, notes + unsaved, importsWait)
    }

    private fun isUnsaved(document: Document) = FileDocumentManager.getInstance().isDocumentUnsaved(document)

    private fun save(document: Document) = FileDocumentManager.getInstance().saveDocument(document)

    private fun readOnly(place: Place) =
        ToolFailure(Code.READ_ONLY, "${place.name} is read-only; ask the person before changing that")

    private companion object {
        /** How often a write starts over because somebody else changed the text meanwhile. */
        const val ATTEMPTS = 5
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
                // Left to itself the platform logs what is thrown here, and whoever waits hears nothing.
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

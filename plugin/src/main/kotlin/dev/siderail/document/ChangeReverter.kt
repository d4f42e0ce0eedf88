package dev.siderail.document

import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.project.Project
import dev.siderail.bridge.ToolErrorCode

/**
 * Takes parts of an agent's changes back for the person, as edits that can be undone. For background threads.
 *
 * What somebody has changed since stays as it is.
 */
class ChangeReverter(project: Project, private val folder: () -> ProjectFolder) {
    private val eventThread = EventThread(project)
    private val reader = DocumentReader(eventThread)
    private val writer = DocumentWriter(project, eventThread, reader)
    private val relocator = FileRelocator(project, eventThread, reader)

    /** Never throws. */
    fun revert(file: ReviewedFile, parts: Set<Int>): Reverted {
        if (parts.isEmpty()) return Reverted(emptySet())
        val end = System.nanoTime() + LIMIT_NANOS
        val patience = Patience { if (System.nanoTime() > end) throw ToolFailure(ToolErrorCode.TIMEOUT, "the IDE was busy for too long") }
        return try {
            revert(file, parts, patience)
        } catch (failure: ToolFailure) {
            Reverted(emptySet(), failure.text)
        } catch (error: Exception) {
            LOG.warn("${file.path} was not reverted", error)
            Reverted(emptySet(), error.message ?: error.javaClass.simpleName)
        }
    }

    private fun revert(file: ReviewedFile, parts: Set<Int>, patience: Patience): Reverted {
        val place = folder().resolve(file.path)
        val before = file.before
        val after = file.after
        return when {
            before == null -> {
                if (!place.exists) return Reverted(parts)
                if (reader.read(place, patience).text != ChangeParts.plain(after.orEmpty())) return Reverted(emptySet(), CHANGED)
                relocator.delete(place, patience)
                Reverted(parts)
            }
            after == null -> {
                if (place.exists) return Reverted(emptySet(), "there is another file in its place")
                write(place, before, null, patience)
                Reverted(parts)
            }
            else -> parts(file, place, parts, patience)
        }
    }

    private fun parts(file: ReviewedFile, place: Place, parts: Set<Int>, patience: Patience): Reverted {
        val present = reader.read(place, patience)
        val already = file.change.standing(present.text).filter { it.state == Standing.State.REVERTED && it.part.number in parts }
        val (text, reverted) = file.change.without(present.text, parts)
        if (reverted.isNotEmpty()) write(place, text, present.modificationStamp, patience)
        val done = reverted + already.map { it.part.number }
        return Reverted(done, if (done.size == parts.size) "" else CHANGED)
    }

    private fun write(place: Place, text: String, stamp: Long?, patience: Patience) {
        writer.write(place, Change.Whole(text), stamp, patience) { _, _ -> TidyWork.NOTHING }
    }

    private companion object {
        val LOG = Logger.getInstance(ChangeReverter::class.java)
        const val CHANGED = "it has changed since"
        const val LIMIT_NANOS = 30_000_000_000L
    }
}

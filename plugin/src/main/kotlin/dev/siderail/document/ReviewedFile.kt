package dev.siderail.document

/**
 * A file that a prompt changed, and what the person has decided about the parts of its change. [before] and [after]
 * are null where there was no file. Lives on the event dispatch thread, apart from what never changes.
 */
class ReviewedFile(val path: String, val before: String?, val after: String?, parts: List<ChangePart>) {
    /** What there is to decide about: a file that came or went is one part. */
    internal val change: ChangeParts by lazy { ChangeParts(before.orEmpty(), after.orEmpty(), parts) }
    private val isWhole: Boolean get() = before == null || after == null
    val all: Set<Int> get() = if (isWhole) setOf(0) else change.parts.mapTo(HashSet()) { it.number }
    private val kept = HashSet<Int>()
    private val reverted = HashSet<Int>()

    /** The parts that were reverted. */
    val gone: Set<Int> get() = reverted

    /** The parts that are not decided about. */
    val open: Set<Int> get() = all - kept - reverted
    val isDecided: Boolean get() = kept.isNotEmpty() || reverted.isNotEmpty()

    /** True where nothing of the change is left. */
    val isReverted: Boolean get() = reverted.isNotEmpty() && open.isEmpty() && kept.isEmpty()

    /** What a part was, and what it became. */
    fun texts(part: Int): Pair<String, String> =
        change.parts.find { it.number == part }?.let { change.before(it) to change.after(it) } ?: (before.orEmpty() to after.orEmpty())

    fun keep(parts: Set<Int> = open) {
        kept += parts
    }

    fun reverted(parts: Set<Int>) {
        reverted += parts
        kept -= parts
    }
}

/** What became of a revert: the [parts] that are as they were before, and, where others are not, why. */
class Reverted(val parts: Set<Int>, val refusal: String = "")

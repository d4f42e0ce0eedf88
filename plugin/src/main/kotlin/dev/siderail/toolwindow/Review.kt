package dev.siderail.toolwindow

import dev.siderail.bridge.ChangeKind
import dev.siderail.bridge.PromptWay
import dev.siderail.document.Reverted
import dev.siderail.document.ReviewedFile

/** Hears what the person decides at the marks in editors. */
interface ReviewListener {
    /** False while the agent may still write. */
    val canRevert: Boolean

    /** Parts of [file] were kept or reverted; [refusal] says why one was not. */
    fun decided(file: ReviewedFile, refusal: String)
}

/**
 * Keeps and reverts what prompts changed. A file of the last prompt is reverted as a whole by the engine, which then no
 * longer counts it; parts, and files of older prompts, are reverted here, as far as nobody has changed them since.
 */
internal class Review(private val chat: ChatModel, private val actions: ChatActions, private val changed: () -> Unit) {
    private var marked: ChangesItem? = null

    /** Marks what is new in editors. After each batch of events. */
    fun follow() {
        val last = chat.conversation.revertible ?: return
        var isNew = last !== marked
        for (file in last.files) {
            val reviewed = file.reviewed ?: continue
            if (file.state == RevertState.REVERTED && !reviewed.isReverted) {
                reviewed.reverted(reviewed.open)
                isNew = true
            }
        }
        if (isNew) mark(last)
    }

    /** Marks the parts of these changes in editors, instead of those before. */
    fun mark(item: ChangesItem) {
        marked = item
        actions.review(item.files.mapNotNull { it.reviewed }, object : ReviewListener {
            override val canRevert get() = chat.canRevert

            override fun decided(file: ReviewedFile, refusal: String) {
                item.files.find { it.reviewed === file }?.let { settle(it, refusal) }
                tell(item)
            }
        })
    }

    fun show(item: ChangesItem) {
        mark(item)
        item.files.firstOrNull { it.kind != ChangeKind.DELETED && it.state != RevertState.REVERTED }?.let { actions.openFile(it.path) }
    }

    fun canRevert(item: ChangesItem, file: FileEntry): Boolean =
        !item.isPast && file.isOpen && (isByEngine(item, file) || file.reviewed != null)

    fun canKeep(item: ChangesItem, file: FileEntry): Boolean = !item.isPast && file.isOpen && file.reviewed != null

    fun keep(item: ChangesItem, files: List<FileEntry> = item.files) {
        for (file in files.filter { canKeep(item, it) }) {
            file.reviewed?.keep()
            file.state = RevertState.KEPT
        }
        if (marked === item) mark(item)
        tell(item)
    }

    fun revert(item: ChangesItem, files: List<FileEntry> = item.files) {
        if (!chat.canRevert) return
        for (file in files.filter { canRevert(item, it) }) {
            if (isByEngine(item, file)) chat.revert(file.path) else revert(item, file, file.reviewed?.open.orEmpty()) {}
        }
        tell(item)
    }

    /**
     * The state before [prompt]: what came since is reverted, the newest first, and the prompt is in the field again.
     */
    fun goBack(prompt: PromptItem) {
        if (!canGoBack(prompt)) return
        val steps = since(prompt).asReversed().flatMap { item -> item.files.filter { it.state != RevertState.REVERTED }.map { item to it } }
        next(prompt, ArrayDeque(steps), 0, ArrayList())
    }

    fun canGoBack(prompt: PromptItem): Boolean =
        chat.canRevert && !prompt.isPast && prompt.way == PromptWay.USER && since(prompt).any { item -> item.files.any { it.state != RevertState.REVERTED } }

    private fun since(prompt: PromptItem): List<ChangesItem> =
        chat.conversation.items.dropWhile { it !== prompt }.filterIsInstance<ChangesItem>().filter { !it.isPast }

    private fun next(prompt: PromptItem, steps: ArrayDeque<Pair<ChangesItem, FileEntry>>, done: Int, refused: MutableList<String>) {
        val (item, file) = steps.removeFirstOrNull() ?: return wentBack(prompt, done, refused)
        val reviewed = file.reviewed
        if (reviewed == null) {
            refused += file.path
            return next(prompt, steps, done, refused)
        }
        revert(item, file, reviewed.all - reviewed.gone) { reverted ->
            if (reverted.refusal.isNotEmpty()) refused += file.path
            next(prompt, steps, if (reverted.refusal.isEmpty()) done + 1 else done, refused)
        }
    }

    private fun wentBack(prompt: PromptItem, done: Int, refused: List<String>) {
        chat.wentBack(prompt, done, refused.distinct())
        changed()
    }

    private fun revert(item: ChangesItem, file: FileEntry, parts: Set<Int>, then: (Reverted) -> Unit) {
        val reviewed = file.reviewed ?: return
        file.state = RevertState.REVERTING
        tell(item)
        actions.revert(reviewed, parts) { outcome ->
            settle(file, outcome.refusal)
            tell(item)
            then(outcome)
        }
    }

    private fun settle(file: FileEntry, refusal: String) {
        val reviewed = file.reviewed ?: return
        file.refusal = refusal
        file.state = when {
            reviewed.isReverted -> RevertState.REVERTED
            refusal.isNotEmpty() -> RevertState.REFUSED
            reviewed.open.isEmpty() -> RevertState.KEPT
            else -> RevertState.STANDS
        }
    }

    private fun tell(item: ChangesItem) {
        chat.conversation.settled(item)
        changed()
    }

    private fun isByEngine(item: ChangesItem, file: FileEntry): Boolean =
        item.canRevert && file.reviewed?.isDecided != true
}


package dev.siderail.document

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.project.Project
import dev.siderail.bridge.ToolErrorCode
import java.awt.Dialog
import java.awt.Window
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicReference

/** Whether a call is still wanted. */
fun interface Patience {
    /** Throws [ToolFailure] where the call was cancelled or has run out of time. */
    fun check()
}

/**
 * Work on the event dispatch thread for background threads.
 *
 * A modal dialog would keep such work waiting until somebody closes it, so that is found out and said, unless it closes
 * within a moment, as the IDE's own progress dialogs do.
 * Work that has not begun is withdrawn when its call is no longer wanted; what has begun is waited for, so that
 * the answer is true.
 */
class EventThread(private val project: Project) {
    private enum class State { WAITING, RUNNING, WITHDRAWN }

    /** Runs [work] with no dialog open and returns its result. Not to be called in a read action. */
    fun <T> run(patience: Patience, work: () -> T): T {
        val state = AtomicReference(State.WAITING)
        val result = CompletableFuture<T>()
        val application = ApplicationManager.getApplication()
        check(!application.isDispatchThread) { "this waits for the event dispatch thread" }
        val begun = System.nanoTime()
        fun failIfModal() = application.invokeLater(
            {
                val title = modalTitle()
                val isLasting = System.nanoTime() - begun > DIALOG_MS * 1_000_000
                if (title != null && isLasting && state.compareAndSet(State.WAITING, State.WITHDRAWN)) {
                    result.completeExceptionally(ToolFailure(ToolErrorCode.MODAL_BLOCKING, blockedBy(title)))
                }
            },
            ModalityState.any(),
        )
        failIfModal()
        application.invokeLater(
            {
                if (state.compareAndSet(State.WAITING, State.RUNNING)) complete(result, work)
            },
            ModalityState.NON_MODAL,
        )
        while (true) {
            try {
                return result.get(LOOK_MS, TimeUnit.MILLISECONDS)
            } catch (_: TimeoutException) {
                withdrawIfUnwanted(patience, state)
                if (state.get() == State.WAITING) failIfModal()
            } catch (error: ExecutionException) {
                throw error.cause ?: error
            }
        }
    }

    private fun <T> complete(result: CompletableFuture<T>, work: () -> T) {
        try {
            if (project.isDisposed) throw disposed()
            result.complete(work())
        } catch (error: Throwable) {
            // The platform reports misuse by errors; the caller that waits has to hear of them too.
            result.completeExceptionally(error)
        }
    }

    private fun withdrawIfUnwanted(patience: Patience, state: AtomicReference<State>) {
        try {
            if (project.isDisposed) throw disposed()
            patience.check()
        } catch (failure: ToolFailure) {
            if (state.compareAndSet(State.WAITING, State.WITHDRAWN)) throw failure
        }
    }

    /** The title of the dialog that is open, empty where it has none; null if there is no dialog. */
    private fun modalTitle(): String? {
        if (ModalityState.current() == ModalityState.NON_MODAL) return null
        return Window.getWindows().filterIsInstance<Dialog>().lastOrNull { it.isShowing && it.isModal }?.title.orEmpty()
    }

    private fun blockedBy(title: String): String {
        val which = if (title.isEmpty()) "a dialog" else "the dialog \"$title\""
        return "$which is open in the IDE and blocks changes; ask the person to close it, then call again"
    }

    companion object {
        private const val LOOK_MS = 100L

        /** How long a dialog may be open before it counts as one that somebody has to close. */
        private const val DIALOG_MS = 2_000L

        fun disposed() = ToolFailure(ToolErrorCode.PROJECT_DISPOSED, "the project is being closed; nothing can be done in it")
    }
}

package dev.siderail.headless

import com.intellij.mock.MockApplication
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.AccessToken
import com.intellij.openapi.application.ApplicationListener
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.progress.EmptyProgressIndicator
import com.intellij.openapi.progress.ProgressIndicator
import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Computable
import com.intellij.openapi.util.Condition
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.util.ThrowableComputable
import com.intellij.util.Consumer
import java.awt.EventQueue
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.Lock
import java.util.concurrent.locks.ReentrantReadWriteLock
import javax.swing.JComponent

/**
 * The platform's application for tests, with honest threading: the event dispatch thread is AWT's, reading and writing take a
 * lock, background readers learn that a writer is waiting, and what breaks the rules throws. On the event dispatch thread only
 * what came there by [invokeLater] or [invokeAndWait] may read without taking the lock: Swing's own events have none. A dialog
 * can be pretended.
 */
class HonestApplication(parent: Disposable) : MockApplication(parent) {
    private val lock = ReentrantReadWriteLock()
    private val heldBack = ArrayList<Runnable>()

    /** How many tasks with the lock the event dispatch thread is in. */
    private var withLock = 0

    private fun withLock(task: Runnable) {
        withLock++
        try {
            task.run()
        } finally {
            withLock--
        }
    }

    /** While set, the event dispatch thread behaves as under a modal dialog. */
    @Volatile
    var dialog: ModalityState? = null
        set(value) {
            field = value
            if (value == null) release()
        }

    private fun release() = synchronized(heldBack) {
        heldBack.forEach { task -> EventQueue.invokeLater { withLock(task) } }
        heldBack.clear()
    }

    private val listeners = CopyOnWriteArrayList<ApplicationListener>()

    override fun addApplicationListener(listener: ApplicationListener, parent: Disposable) {
        listeners += listener
        Disposer.register(parent) { listeners -= listener }
    }

    @Volatile
    private var writerWaits = false

    override fun isWriteActionPending() = writerWaits

    private fun lockForWriting() {
        assertIsDispatchThread()
        writerWaits = true
        listeners.forEach { it.beforeWriteActionStart(this) }
        lock.writeLock().lock()
        writerWaits = false
    }

    private fun <T> writing(work: () -> T): T {
        lockForWriting()
        try {
            return work()
        } finally {
            lock.writeLock().unlock()
        }
    }

    private fun <T> reading(work: () -> T): T {
        if (isDispatchThread || lock.isWriteLockedByCurrentThread) return work()
        lock.readLock().lock()
        try {
            return work()
        } finally {
            lock.readLock().unlock()
        }
    }

    /** Whether a person looks at the IDE, rather than at another program. */
    @Volatile
    var isInFront = true

    /** Whether there is a system that shows notifications. */
    @Volatile
    var hasScreen = false

    override fun isActive() = isInFront

    override fun isHeadlessEnvironment() = !hasScreen

    override fun isUnitTestMode() = !hasScreen

    override fun isDispatchThread() = EventQueue.isDispatchThread()

    override fun isWriteThread() = isDispatchThread

    override fun assertIsDispatchThread() = require(isDispatchThread, "the event dispatch thread")

    override fun isReadAccessAllowed() =
        isDispatchThread && withLock > 0 || lock.isWriteLockedByCurrentThread || lock.readHoldCount > 0

    override fun assertReadAccessAllowed() = require(isReadAccessAllowed, "read access")

    override fun isWriteAccessAllowed() = lock.isWriteLockedByCurrentThread

    override fun assertWriteAccessAllowed() = require(isWriteAccessAllowed, "write access")

    override fun isWriteActionInProgress() = lock.isWriteLocked

    override fun holdsReadLock() = lock.readHoldCount > 0

    private fun require(holds: Boolean, what: String) =
        check(holds) { "this needs $what and runs on ${Thread.currentThread().name}" }

    override fun runWriteAction(action: Runnable) = writing { action.run() }

    override fun <T> runWriteAction(computation: Computable<T>): T = writing { computation.compute() }

    override fun <T, E : Throwable> runWriteAction(computation: ThrowableComputable<T, E>): T =
        writing { computation.compute() }

    override fun runReadAction(action: Runnable) = reading { action.run() }

    override fun <T> runReadAction(computation: Computable<T>): T = reading { computation.compute() }

    override fun <T, E : Throwable> runReadAction(computation: ThrowableComputable<T, E>): T =
        reading { computation.compute() }

    override fun acquireReadActionLock(): AccessToken {
        lock.readLock().lock()
        return token(lock.readLock())
    }

    override fun acquireWriteActionLock(marker: Class<*>): AccessToken {
        lockForWriting()
        return token(lock.writeLock())
    }

    private fun token(taken: Lock) = object : AccessToken() {
        override fun finish() = taken.unlock()
    }

    /** In the IDE, too, another thread does it, under a modal dialog; the platform's mock does nothing. */
    override fun runProcessWithProgressSynchronously(
        process: Runnable,
        title: String,
        canBeCanceled: Boolean,
        project: Project?,
        parent: JComponent?,
        cancelText: String?,
    ): Boolean {
        assertIsDispatchThread()
        check(!isWriteAccessAllowed) { "the other thread would wait for this write action" }
        val work = FutureTask { ProgressManager.getInstance().runProcess(process, EmptyProgressIndicator()) }
        Thread(work, title).start()
        work.get(30, TimeUnit.SECONDS)
        return true
    }

    override fun runWriteActionWithNonCancellableProgressInDispatchThread(
        title: String,
        project: Project?,
        parent: JComponent?,
        action: Consumer<in ProgressIndicator>,
    ): Boolean {
        val progress = EmptyProgressIndicator()
        ProgressManager.getInstance().runProcess({ writing { action.consume(progress) } }, progress)
        return true
    }

    override fun invokeAndWait(runnable: Runnable) = invokeAndWait(runnable, ModalityState.NON_MODAL)

    override fun invokeAndWait(runnable: Runnable, modality: ModalityState) =
        if (isDispatchThread) withLock(runnable) else EventQueue.invokeAndWait { withLock(runnable) }

    override fun invokeLater(runnable: Runnable) = invokeLater(runnable, ModalityState.NON_MODAL)

    /** As in the IDE, what wants no dialog waits until the dialog is closed. */
    override fun invokeLater(runnable: Runnable, modality: ModalityState) = EventQueue.invokeLater {
        if (dialog == null || modality == anyModalityState) withLock(runnable)
        else synchronized(heldBack) { heldBack.add(runnable) }
    }

    override fun invokeLater(runnable: Runnable, expired: Condition<*>) = invokeLater { if (!expired.value(null)) runnable.run() }

    override fun invokeLater(runnable: Runnable, modality: ModalityState, expired: Condition<*>) =
        invokeLater({ if (!expired.value(null)) runnable.run() }, modality)

    override fun getCurrentModalityState(): ModalityState = dialog ?: ModalityState.NON_MODAL

    override fun getAnyModalityState(): ModalityState = Any

    /** A modality of its own, distinct from the others. */
    object Any : ModalityState() {
        override fun dominates(anotherState: ModalityState) = false

        override fun toString() = "any"
    }

    /** A dialog to pretend. */
    object Dialog : ModalityState() {
        override fun dominates(anotherState: ModalityState) = anotherState == NON_MODAL

        override fun toString() = "a dialog"
    }
}

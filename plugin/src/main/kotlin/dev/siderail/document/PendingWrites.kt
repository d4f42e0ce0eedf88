package dev.siderail.document

import com.intellij.openapi.diagnostic.Logger

/**
 * Since 2026.2 the IDE may write saved files to the disk a little later. Programs that agents start right after a
 * write must see it.
 */
internal object PendingWrites {
    private val LOG = Logger.getInstance(PendingWrites::class.java)

    /** Absent in IDEs that write at once. */
    private val flush: (() -> Unit)? = try {
        val files = Class.forName("com.intellij.openapi.vfs.newvfs.ManagingFS")
        val instance = files.getMethod("getInstance")
        val method = files.getMethod("flushPendingUpdates")
        ({ method.invoke(instance.invoke(null)) })
    } catch (_: ReflectiveOperationException) {
        null
    }

    /** Waits until what was saved is on the disk. Not on the event dispatch thread. */
    fun flush() = try {
        flush?.invoke()
    } catch (error: ReflectiveOperationException) {
        LOG.warn("saved files may reach the disk late", error)
    }
}

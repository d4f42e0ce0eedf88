package dev.siderail.document

import com.intellij.openapi.application.ReadAction
import com.intellij.openapi.progress.ProcessCanceledException
import java.util.concurrent.Callable

/**
 * Reads of the IDE's model on background threads. They give way to typing: where somebody writes, the read is interrupted
 * and begins anew, so that it must have no effects. Not to be called in a read action.
 */
internal object BackgroundRead {
    fun <T> of(work: () -> T): T = ReadAction.nonBlocking(Callable { attempt(work) }).executeSynchronously().getOrThrow()

    /** What is thrown stays what it is: the platform would wrap it. Being interrupted is the platform's own matter. */
    fun <T> attempt(work: () -> T): Result<T> = try {
        Result.success(work())
    } catch (interrupted: ProcessCanceledException) {
        throw interrupted
    } catch (error: Exception) {
        Result.failure(error)
    }
}

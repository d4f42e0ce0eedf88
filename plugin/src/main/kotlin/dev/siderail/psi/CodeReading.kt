package dev.siderail.psi

import com.intellij.openapi.application.ReadAction
import com.intellij.openapi.progress.ProgressIndicator
import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.project.DumbService
import com.intellij.openapi.project.IndexNotReadyException
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Computable
import dev.siderail.document.BackgroundRead
import java.util.concurrent.Callable

/**
 * Reading of syntax trees and indexes on a background thread. It gives way to typing and begins anew, so what is
 * read must not have effects. Cancelled by its indicator.
 */
class CodeReading(private val project: Project) {
    /** Reads with all documents committed. */
    fun <T> read(indicator: ProgressIndicator, work: () -> T): T {
        val reading = ReadAction.nonBlocking(Callable { BackgroundRead.attempt(work) })
            .withDocumentsCommitted(project)
            .expireWhen { project.isDisposed }
        return ProgressManager.getInstance()
            .runProcess(Computable { reading.executeSynchronously() }, indicator)
            .getOrThrow()
    }

    /** As [read]; while the IDE indexes it fails at once with [IndexNotReadyException]. */
    fun <T> readIndexed(indicator: ProgressIndicator, work: () -> T): T = read(indicator) {
        if (DumbService.isDumb(project)) throw IndexNotReadyException.create()
        work()
    }
}

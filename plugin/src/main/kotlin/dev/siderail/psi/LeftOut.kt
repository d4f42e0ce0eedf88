package dev.siderail.psi

import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.progress.ProcessCanceledException
import com.intellij.openapi.project.IndexNotReadyException

/**
 * What [work] answers, or null where a language's code breaks down: [what] is left out then, and the others' answers remain.
 * What ends the whole reading is thrown on.
 */
internal fun <T> Logger.orLeftOut(what: String, work: () -> T): T? = try {
    work()
} catch (cancelled: ProcessCanceledException) {
    throw cancelled
} catch (unready: IndexNotReadyException) {
    throw unready
} catch (error: Exception) {
    warn("left out: $what", error)
    null
}

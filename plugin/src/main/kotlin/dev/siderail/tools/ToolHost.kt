package dev.siderail.tools

import com.google.gson.JsonObject
import com.intellij.openapi.Disposable
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.progress.EmptyProgressIndicator
import com.intellij.openapi.progress.ProcessCanceledException
import com.intellij.openapi.project.IndexNotReadyException
import com.intellij.openapi.project.Project
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.HostRequest
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.EventThread
import dev.siderail.document.Patience
import dev.siderail.document.ProjectFolder
import dev.siderail.document.ToolFailure
import dev.siderail.engine.HostCalls
import dev.siderail.engine.Questions
import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.ScheduledFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean

/**
 * Performs the engine's calls: finds the tool, limits its time, turns whatever goes wrong into an answer. Every call is
 * answered exactly once. Calls that write one file come one after the other: the engine sees to that.
 */
class ToolHost(
    private val project: Project,
    private val toolbox: Toolbox,
    private val questions: Questions,
    private val limitMs: Long = LIMIT_MS,
) : HostCalls, Disposable {
    private val threads = AppExecutorUtil.createBoundedApplicationPoolExecutor("Siderail tools", THREADS)
    private val clock = AppExecutorUtil.getAppScheduledExecutorService()
    private val open = ConcurrentHashMap<Long, OpenCall>()

    override val tools: List<String> get() = toolbox.names

    override fun start(call: HostCall, reply: (HostReply) -> Unit) {
        val opened = OpenCall(call, reply)
        open[call.call] = opened
        try {
            if (call.known == HostRequest.ASK_PERSON) return ask(opened)
            opened.limit = clock.schedule({ opened.end(timeout()) }, limitMs, TimeUnit.MILLISECONDS)
            perform(opened, ProjectFolder(call.project, call.roots))
        } catch (failure: ToolFailure) {
            opened.end(failure)
        }
    }

    /** A person takes the time they take, and keeps no thread. */
    private fun ask(opened: OpenCall) {
        val question = AskPerson.question(opened.call)
        try {
            opened.shown = questions.ask(question) { opened.answer(AskPerson.reply(it)) }
        } catch (error: Exception) {
            opened.answer(brokenDown(opened, error))
        }
        // A cancel in the meantime had nothing to close yet.
        if (opened.isAnswered) opened.shown?.close()
    }

    override fun cancel(call: Long) {
        open[call]?.let { if (DocumentRequests.changes(it.call)) it.withdraw() else it.end(ToolFailure.cancelled()) }
    }

    /** A session's turn is over: what was left for its end is tidied, behind the calls that still run. */
    fun turnEnded(session: Long, folder: Path, roots: List<Path>) = try {
        for (path in toolbox.endTurn(session)) threads.execute { tidyAlone(folder, roots, path) }
    } catch (_: RejectedExecutionException) {
        LOG.info("nothing is tidied any more: the project is being closed")
    }

    /** Whatever hinders it costs this file only. */
    private fun tidyAlone(folder: Path, roots: List<Path>, path: String) = try {
        toolbox.tidy(ProjectFolder(folder, roots).resolve(path), Deadline(limitMs))
    } catch (failure: ToolFailure) {
        LOG.info("$path was not tidied at the turn's end: ${failure.text}")
    }

    override fun dispose() {
        open.values.forEach { it.end(EventThread.disposed()) }
        threads.shutdown()
    }

    private fun perform(opened: OpenCall, folder: ProjectFolder) = try {
        threads.execute { if (!opened.isAnswered) opened.answer(outcome(opened, folder)) }
    } catch (_: RejectedExecutionException) {
        opened.end(EventThread.disposed())
    }

    private fun outcome(opened: OpenCall, folder: ProjectFolder): HostReply = try {
        if (project.isDisposed) throw EventThread.disposed()
        opened.check()
        toolbox.perform(opened.call, toolCall(opened, folder))
    } catch (failure: ToolFailure) {
        failed(failure)
    } catch (_: IndexNotReadyException) {
        failed(ToolFailure(ToolErrorCode.INDEX_NOT_READY, "the IDE is indexing; try again in a while, or use ${ToolName.SEARCH_TEXT} now"))
    } catch (_: ProcessCanceledException) {
        failed(if (project.isDisposed) EventThread.disposed() else ToolFailure.cancelled())
    } catch (error: Throwable) {
        brokenDown(opened, error)
    }

    /** A bug in one tool must cost its own call only, and that one must still be answered. */
    private fun brokenDown(opened: OpenCall, error: Throwable): HostReply {
        LOG.warn("the tool ${opened.call} broke down", error)
        return failed(ToolFailure(ToolErrorCode.INTERNAL_ERROR, "the tool broke down (${error.javaClass.simpleName}: ${error.message}); see idea.log"))
    }

    private fun toolCall(opened: OpenCall, folder: ProjectFolder) = ToolCall(
        opened.call.session,
        folder,
        Arguments(opened.call.body.getAsJsonObject("arguments") ?: JsonObject()),
        opened,
        opened.indicator,
    )

    private fun timeout() = ToolFailure(
        ToolErrorCode.TIMEOUT,
        "the IDE did not finish within ${limitMs / 1000} s; what it had begun may still be done, so look before trying again",
    )

    /** A call that has not been answered. */
    private inner class OpenCall(val call: HostCall, private val reply: (HostReply) -> Unit) : Patience {
        val indicator = EmptyProgressIndicator()
        private val answered = AtomicBoolean()

        @Volatile
        private var ended: ToolFailure? = null

        @Volatile
        var limit: ScheduledFuture<*>? = null

        /** The question of the call, before the person. */
        @Volatile
        var shown: AutoCloseable? = null

        val isAnswered: Boolean get() = answered.get()

        override fun check() {
            ended?.let { throw it }
        }

        fun answer(answer: HostReply) {
            if (!answered.compareAndSet(false, true)) return
            open.remove(call.call)
            limit?.cancel(false)
            reply(answer)
        }

        /** Stops the work if it has not gone too far; the thread that does it answers with the outcome. */
        fun withdraw(failure: ToolFailure = ToolFailure.cancelled()) {
            ended = failure
            indicator.cancel()
        }

        /** Answers with a failure and stops the work. */
        fun end(failure: ToolFailure) {
            withdraw(failure)
            answer(failed(failure))
            shown?.close()
        }
    }

    private class Deadline(limitMs: Long) : Patience {
        private val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs)

        override fun check() {
            if (System.nanoTime() > end) throw ToolFailure(ToolErrorCode.TIMEOUT, "there was no time for it")
        }
    }

    companion object {
        private val LOG = Logger.getInstance(ToolHost::class.java)
        private const val THREADS = 4

        /** Some agents give up on a silent call after 60 s. */
        private const val LIMIT_MS = 50_000L

        private fun failed(failure: ToolFailure) = HostReply.Failed(failure.code, failure.text)
    }
}

package dev.siderail.tools

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.intellij.openapi.project.Project
import dev.siderail.TestPrograms
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.WriterFixture
import dev.siderail.engine.QuestionDesk
import dev.siderail.engine.Tidying
import dev.siderail.engine.ToolSettings
import dev.siderail.headless.ToyIndex
import dev.siderail.headless.ToyInspections
import dev.siderail.psi.CodeServices
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicLong

/** The name of [ToolFixture.SlowTool]. */
const val SLOW = "read_run_output"

/** The tools over a project folder, called as the engine calls them. */
class ToolFixture(
    limitMs: Long = 50_000,
    val files: WriterFixture = WriterFixture(),
    more: List<Tool> = emptyList(),
    private val project: Project = files.platform.project,
    private val roots: List<Path> = emptyList(),
) {
    val questions = QuestionDesk()
    var tidying = Tidying.EACH_WRITE
    var experimental = false
    private val settings = object : ToolSettings {
        override val tidying get() = this@ToolFixture.tidying
        override val optimizeImports get() = true
        override val reformat get() = true
        override val experimental get() = this@ToolFixture.experimental
    }
    private val numbers = AtomicLong()
    private val answers = ConcurrentHashMap<Long, CompletableFuture<HostReply>>()

    private val engine by lazy {
        TestPrograms.tools
        NativeTools.open().also { Thread(::listen, "engine").apply { isDaemon = true }.start() }
    }
    val slow = SlowTool()
    val host = ToolHost(project, Toolbox(project, { settings }, code(), listOf(slow) + more), questions, limitMs)

    private fun code(): CodeServices {
        ToyInspections.install()
        return CodeServices(project)
    }

    /** Waits until it is let go, or is not wanted any more. The engine asks for no tool that it does not know. */
    class SlowTool : Tool {
        val done = CompletableFuture<Unit>()

        @Volatile
        var running = false

        @Volatile
        var noticed = false

        override val name get() = ToolName.READ_RUN_OUTPUT

        override fun run(call: ToolCall): ToolResult {
            running = true
            while (!done.isDone) {
                try {
                    call.patience.check()
                } catch (unwanted: dev.siderail.document.ToolFailure) {
                    noticed = true
                    throw unwanted
                }
                Thread.sleep(10)
            }
            return ToolResult("done\n")
        }
    }

    fun start(name: String, arguments: String, session: Long = 1): Started {
        val body = JsonObject()
        body.addProperty("request", "tool")
        body.addProperty("name", name)
        body.add("arguments", JsonParser.parseString(arguments))
        return start(body, session)
    }

    fun start(body: JsonObject, session: Long = 1): Started {
        val reply = CompletableFuture<HostReply>()
        val number = numbers.incrementAndGet()
        val call = JsonObject().apply {
            addProperty("call", number)
            addProperty("session", session)
            addProperty("project", files.folder.root.toString())
            add("roots", JsonArray().apply { roots.forEach { add(it.toString()) } })
            add("request", body)
        }
        answers[number] = reply
        NativeTools.start(engine, call.toString().toByteArray())
        return Started(number, reply)
    }

    /** The engine no longer wants a call. */
    fun cancel(number: Long) = NativeTools.cancel(engine, number)

    /** What the engine's file tools ask of the IDE, and what comes of calls. */
    private fun listen() {
        while (true) {
            val bytes = NativeTools.next(engine) ?: continue
            val message = JsonParser.parseString(String(bytes)).asJsonObject
            message["start"]?.let { begin(HostCall.decode(it.toString().toByteArray())) }
            message["cancel"]?.let { host.cancel(it.asLong) }
            message["answer"]?.let {
                val reply = replyOf(message.getAsJsonObject("reply"))
                check(answers.getValue(it.asLong).complete(reply)) { "answered twice" }
            }
        }
    }

    private fun begin(call: HostCall) {
        host.start(call) { NativeTools.complete(engine, call.call, it.toJson().toString().toByteArray()) }
    }

    private fun replyOf(body: JsonObject): HostReply = when (val kind = body["reply"].asString) {
        "tool" -> HostReply.Tool(
            body["text"].asString,
            body.getAsJsonArray("files_written")?.map { it.asString }.orEmpty(),
            body["diff"]?.takeUnless { it.isJsonNull }?.asString,
            body.getAsJsonArray("before")?.map { it.asJsonObject }.orEmpty().map {
                HostReply.Before(it["path"].asString, it["existed"].asBoolean, it["text"].takeUnless { text -> text.isJsonNull }?.asString)
            },
        )
        "text" -> HostReply.Text(body["text"].asString)
        "written" -> HostReply.Written(body["diff"]?.takeUnless { it.isJsonNull }?.asString)
        "done" -> HostReply.Done
        "failed" -> HostReply.Failed(ToolErrorCode.of(body["code"].asString)!!, body["text"].asString)
        else -> error(kind)
    }

    fun reply(name: String, arguments: String, session: Long = 1): HostReply = start(name, arguments, session).reply()

    /** The text of a call that succeeds. */
    fun text(name: String, arguments: String, session: Long = 1): String {
        val reply = reply(name, arguments, session)
        return (reply as? HostReply.Tool ?: error("$name failed: $reply")).text
    }

    /** Code and text of a call that fails. */
    fun failure(name: String, arguments: String): HostReply.Failed = reply(name, arguments) as HostReply.Failed

    fun index(vararg names: String) {
        ToyIndex.files.clear()
        names.mapTo(ToyIndex.files, files::virtualFile)
    }

    class Started(val number: Long, private val future: CompletableFuture<HostReply>) {
        val isAnswered get() = future.isDone

        fun reply(): HostReply = future.get(60, TimeUnit.SECONDS)
    }
}

package dev.siderail.engine

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import dev.siderail.bridge.toJson
import java.nio.file.Path

/** What the engine is asked to do. The shapes are pinned by the files in `tests/boundary`. */
internal sealed interface Command {
    data class StartSession(val session: Long, val options: SessionOptions) : Command

    /** The same session with other settings, in a new process of its agent; its conversation continues. */
    data class RestartSession(val session: Long, val options: SessionOptions) : Command

    /**
     * [plan]: a plan is wanted first, and nothing may be changed before it is approved. [blocks]: content blocks of the
     * protocol that go to the agent in place of the text; [meta]: `_meta` of its request. [attachments] go along with the
     * text.
     */
    data class Prompt(
        val session: Long,
        val text: String,
        val plan: Boolean = false,
        val blocks: List<JsonObject> = emptyList(),
        val meta: JsonObject? = null,
        val attachments: List<Attachment> = emptyList(),
    ) : Command

    data class SetMode(val session: Long, val mode: String) : Command

    data class SetOption(val session: Long, val option: String, val value: String) : Command

    /** The project's content roots beside its own folder are these now. */
    data class SetContentRoots(val session: Long, val roots: List<Path>) : Command

    /** A word to the running turn. */
    data class Steer(val session: Long, val text: String) : Command

    data class Cancel(val session: Long) : Command

    /** A file's change by the last prompt is reverted; refused where the file has changed since. */
    data class Revert(val session: Long, val path: String) : Command

    data class AnswerPermission(val session: Long, val requestId: Long, val answer: PermissionAnswer) : Command

    /** Kept conversations of the project; [session] 0 asks for the engine's own. */
    data class ListHistory(val session: Long = 0, val query: String? = null) : Command

    data class ExportHistory(val conversation: String) : Command

    /** The known agents, and which are installed. */
    data object ListAgents : Command

    /**
     * A login by one of the methods of `LOGIN_NEEDED`, or in another way (null); what failed is tried again. [env] is from
     * now on in the agent's environment, where it is started anew for that.
     */
    data class Login(val session: Long, val method: String?, val env: Map<String, String> = emptyMap()) : Command {
        /** Values may be secret. */
        override fun toString() = "Login(session=$session, method=$method, env=${env.keys})"
    }

    data class EndSession(val session: Long, val why: String? = null) : Command

    fun toJson(): JsonObject = when (this) {
        is StartSession -> command("start_session", session) { add("options", options.toJson()) }
        is RestartSession -> command("restart_session", session) { add("options", options.toJson()) }
        is Prompt -> command("prompt", session) {
            addProperty("text", text)
            if (plan) addProperty("plan", true)
            if (blocks.isNotEmpty()) add("blocks", JsonArray().apply { blocks.forEach { add(it) } })
            if (attachments.isNotEmpty()) add("attachments", JsonArray().apply { attachments.forEach { add(it.toJson()) } })
            meta?.let { add("meta", it) }
        }
        is SetMode -> command("set_mode", session) { addProperty("mode", mode) }
        is SetContentRoots -> command("set_content_roots", session) { add("roots", roots.map(Path::toString).toJson()) }
        is SetOption -> command("set_option", session) {
            addProperty("option", option)
            addProperty("value", value)
        }
        is Steer -> command("steer", session) { addProperty("text", text) }
        is Cancel -> command("cancel", session) {}
        is Revert -> command("revert", session) { addProperty("path", path) }
        is AnswerPermission -> command("answer_permission", session) {
            addProperty("request_id", requestId)
            add("answer", answer.toJson())
        }
        is ListHistory -> command("list_history", session) { query?.let { addProperty("query", it) } }
        is ExportHistory -> JsonObject().apply {
            addProperty("command", "export_history")
            addProperty("conversation", conversation)
        }
        ListAgents -> JsonObject().apply { addProperty("command", "list_agents") }
        is Login -> command("login", session) {
            method?.let { addProperty("method", it) }
            if (env.isNotEmpty()) add("env", JsonObject().apply { env.forEach(::addProperty) })
        }
        is EndSession -> command("end_session", session) { why?.let { addProperty("why", it) } }
    }
}

/**
 * What an engine is opened with.
 *
 * @property project the project's base folder
 * @property relay the program that agents start
 * @property runtimeDir a private folder with a short path, of this engine alone
 * @property env the environment of agents and commands; it also says where settings and state are
 * @property tools bare names of the tools that are performed here
 * @property documents questions about documents are answered here, so that the engine offers its file tools over them
 * @property toolsOff tools that the user has switched off; null for what other settings say
 */
internal data class EngineConfig(
    val project: Path,
    val relay: List<String>,
    val runtimeDir: Path,
    val env: Map<String, String>,
    val tools: List<String>,
    val toolsOff: List<String>? = null,
    val documents: Boolean = true,
) {
    fun toJson(): JsonObject = JsonObject().apply {
        addProperty("project", project.toString())
        add("relay", relay.toJson())
        addProperty("runtime_dir", runtimeDir.toString())
        add("env", env.toJson())
        add("tools", tools.toJson())
        addProperty("documents", documents)
        addProperty("view", true)
        toolsOff?.let { add("tools_off", it.toJson()) }
    }
}

private fun command(name: String, session: Long, members: JsonObject.() -> Unit) = JsonObject().apply {
    addProperty("command", name)
    addProperty("session", session)
    members()
}

/** What is not said is left out, so that the settings say it. */
private fun SessionOptions.toJson() = JsonObject().also { json ->
    json.addProperty("agent", agent)
    agentCommand?.let { json.add("agent_command", it.toJson()) }
    if (agentEnv.isNotEmpty()) json.add("agent_env", agentEnv.toJson())
    policy?.let { json.addProperty("policy", it.word) }
    mode?.let { json.addProperty("mode", it) }
    if (consent.isNotEmpty()) json.add("consent", consent.toJson())
    for ((name, isOn) in switches) json.addProperty(name, isOn)
    for ((name, number) in numbers) json.addProperty(name, number)
    resume?.let { json.addProperty("resume", it) }
    trace?.let { json.addProperty("trace", it.toString()) }
    if (contentRoots.isNotEmpty()) json.add("content_roots", contentRoots.map(Path::toString).toJson())
}

private fun Attachment.toJson() = JsonObject().also { json ->
    when (this) {
        is Attachment.File -> {
            json.addProperty("kind", "file")
            json.addProperty("path", path.toString())
        }
        is Attachment.Text -> {
            json.addProperty("kind", "text")
            json.addProperty("name", name)
            json.addProperty("text", text)
        }
        is Attachment.Diff -> {
            json.addProperty("kind", "diff")
            json.addProperty("name", name)
            json.add("changes", JsonArray().apply { changes.forEach { add(it.toJson()) } })
        }
        is Attachment.Image -> {
            json.addProperty("kind", "image")
            json.addProperty("name", name)
            json.addProperty("data", data)
        }
    }
}

private fun PermissionAnswer.toJson() = JsonObject().also { json ->
    when (this) {
        PermissionAnswer.Allow -> json.addProperty("choice", "allow")
        PermissionAnswer.Always -> json.addProperty("choice", "always")
        is PermissionAnswer.Option -> {
            json.addProperty("choice", "option")
            json.addProperty("id", id)
        }
        is PermissionAnswer.Deny -> {
            json.addProperty("choice", "deny")
            json.addProperty("reason", reason)
        }
    }
}

private fun Map<String, String>.toJson() = JsonObject().also { forEach(it::addProperty) }

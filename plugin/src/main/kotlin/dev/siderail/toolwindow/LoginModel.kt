package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.bridge.LoginKind

/** One way to log in. [commandLine] is for a terminal, [variables] are names. */
data class LoginMethod(
    val id: String,
    val title: String,
    val description: String,
    val kind: LoginKind,
    val commandLine: String,
    val variables: List<String>,
)

/**
 * A login that an agent wants. The session waits for it; what it was wanted for is tried again then. [taken] is the
 * method that was taken and has not ended yet; null while the person chooses.
 */
class LoginAsk(val methods: List<LoginMethod>, val taken: LoginMethod? = null) {
    companion object {
        /** Reads a `LOGIN_NEEDED`. */
        fun of(body: JsonObject): LoginAsk = LoginAsk(body.objects("methods").filter { it.text("id").isNotEmpty() }.map(::method))

        private fun method(body: JsonObject): LoginMethod {
            val kind = LoginKind.of(body.text("kind")) ?: LoginKind.AGENT
            val id = body.text("id")
            val title = body.text("name").ifBlank { id }.firstLine(80)
            return LoginMethod(id, title, body.text("description").firstLine(400), kind, body.text("command_line"), body.texts("vars"))
        }
    }
}

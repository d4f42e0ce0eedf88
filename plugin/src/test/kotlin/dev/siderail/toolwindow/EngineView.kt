package dev.siderail.toolwindow

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import dev.siderail.TestPrograms
import dev.siderail.bridge.Event

/** `rust/jni/examples/tools.rs`: the patches that the engine adds to its events, without an engine. */
internal object NativeView {
    @JvmStatic
    external fun open(): Long

    @JvmStatic
    external fun patches(handle: Long, event: ByteArray): ByteArray
}

/**
 * Events that no engine sends get their patches from the engine's own code. An event that an engine could not send is an
 * error of the test.
 */
internal class EngineView : (Event) -> List<JsonObject> {
    private val handle: Long by lazy {
        TestPrograms.tools
        NativeView.open()
    }

    override fun invoke(event: Event): List<JsonObject> {
        val answer = JsonParser.parseString(String(NativeView.patches(handle, event.body.toString().toByteArray()))).asJsonObject
        answer.get("error")?.let { error("${it.asString}: ${event.body}") }
        return answer.objects("patches")
    }
}

/** A conversation of events without patches. */
internal fun conversation(maxItems: Int = 2_000, maxCharacters: Int = 4_000_000, clock: Stopwatch = Stopwatch()) =
    ConversationModel(maxItems, maxCharacters, clock = clock, patches = EngineView())

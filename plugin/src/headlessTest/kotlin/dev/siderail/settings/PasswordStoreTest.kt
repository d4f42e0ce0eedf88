package dev.siderail.settings

import com.intellij.credentialStore.CredentialAttributes
import com.intellij.credentialStore.Credentials
import com.intellij.ide.passwordSafe.PasswordSafe
import dev.siderail.headless.HeadlessPlatform
import org.jetbrains.concurrency.Promise
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.picocontainer.MutablePicoContainer
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import javax.swing.SwingUtilities

class PasswordStoreTest {
    /** The IDE's store, which is slow when a test says so. */
    private class Safe : PasswordSafe() {
        val kept = ConcurrentHashMap<String, String>()
        val isOpen = CountDownLatch(1)

        @Volatile
        var wasAskedOnEventThread = false

        override fun get(attributes: CredentialAttributes): Credentials? {
            wasAskedOnEventThread = wasAskedOnEventThread || SwingUtilities.isEventDispatchThread()
            return kept["${attributes.serviceName} ${attributes.userName}"]?.let { Credentials(attributes.userName, it) }
        }

        override fun set(attributes: CredentialAttributes, credentials: Credentials?) {
            wasAskedOnEventThread = wasAskedOnEventThread || SwingUtilities.isEventDispatchThread()
            isOpen.await(60, TimeUnit.SECONDS)
            val key = "${attributes.serviceName} ${attributes.userName}"
            credentials?.getPasswordAsString()?.let { kept[key] = it } ?: kept.remove(key)
        }

        override fun set(attributes: CredentialAttributes, credentials: Credentials?, memoryOnly: Boolean) = set(attributes, credentials)

        override fun getAsync(attributes: CredentialAttributes): Promise<Credentials?> = throw UnsupportedOperationException()

        override fun isPasswordStoredOnlyInMemory(attributes: CredentialAttributes, credentials: Credentials) = false

        override var isRememberPasswordByDefault = true
        override val isMemoryOnly get() = false
    }

    private val safe = Safe()
    private val settings = SiderailSettings()
    private val store = PasswordStore()

    init {
        val container = HeadlessPlatform.instance.application.picoContainer as MutablePicoContainer
        for ((type, instance) in listOf(PasswordSafe::class.java to safe, SiderailSettings::class.java to settings)) {
            container.unregisterComponent(type.name)
            container.registerComponentInstance(type.name, instance)
        }
    }

    private fun apply(environment: String) = SwingUtilities.invokeAndWait {
        val model = SettingsModel(settings.state)
        model.agent("claude").environment = environment
        settings.loadState(model.apply(store))
    }

    private fun waitFor(condition: () -> Boolean) {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
        while (!condition()) {
            check(System.nanoTime() < end) { "it did not happen" }
            Thread.sleep(10)
        }
    }

    private val place = "IntelliJ Platform Siderail claude — ANTHROPIC_API_KEY ANTHROPIC_API_KEY"

    @Test
    fun `a key reaches the agent from the IDE's store, at once although the store is slow, and is forgotten with its line`() {
        apply("A=1\nANTHROPIC_API_KEY=sk-ant-1234567890abcdef")
        assertEquals(mapOf("ANTHROPIC_API_KEY" to "sk-ant-1234567890abcdef"), store.of("claude"), "before it is written")
        assertTrue(store.of("codex").isEmpty())
        safe.isOpen.countDown()
        waitFor { safe.kept.containsKey(place) }
        assertEquals(mapOf("ANTHROPIC_API_KEY" to "sk-ant-1234567890abcdef"), PasswordStore().of("claude"), "after a restart")
        apply("A=1")
        waitFor { safe.kept.isEmpty() }
        assertTrue(store.of("claude").isEmpty())
        assertFalse(safe.wasAskedOnEventThread, "it may take long")
    }
}

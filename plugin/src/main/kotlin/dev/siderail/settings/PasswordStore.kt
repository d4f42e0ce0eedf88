package dev.siderail.settings

import com.intellij.ide.passwordSafe.PasswordSafe
import com.intellij.openapi.diagnostic.Logger
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.engine.AgentSecrets
import java.util.Optional
import java.util.concurrent.ConcurrentHashMap

/**
 * Secrets of agents' environments in the IDE's password store: an application service.
 *
 * That store may be the system's and slow, so it is asked on background threads only: written in turn by one, read by
 * those that start a session. What is not written yet is answered from memory.
 */
class PasswordStore : AgentSecrets, SecretStore {
    private data class Key(val agent: String, val name: String)

    private val unwritten = ConcurrentHashMap<Key, Optional<String>>()
    private val writer by lazy { AppExecutorUtil.createBoundedApplicationPoolExecutor("Siderail secrets", 1) }

    override fun put(agent: String, name: String, value: String?) {
        val key = Key(agent, name)
        val latest = Optional.ofNullable(value)
        unwritten[key] = latest
        writer.execute {
            try {
                PasswordSafe.instance.setPassword(SecretPlace.of(agent, name), value)
                unwritten.remove(key, latest)
            } catch (error: RuntimeException) {
                // Without it the value lives as long as the IDE; its text must not reach a log.
                LOG.warn("the password store does not take $name of $agent: ${error.javaClass.name}")
            }
        }
    }

    override fun of(agent: String): Map<String, String> {
        val environment = SiderailSettings.getInstance().state.agents[agent]?.environment.orEmpty()
        return SecretVariables.kept(environment).mapNotNull { name -> read(agent, name)?.let { name to it } }.toMap()
    }

    private fun read(agent: String, name: String): String? {
        unwritten[Key(agent, name)]?.let { return it.orElse(null) }
        val value = PasswordSafe.instance.getPassword(SecretPlace.of(agent, name))
        if (value == null) LOG.warn("the password store has no $name of $agent; enter it again in the settings")
        return value
    }

    private companion object {
        val LOG: Logger = Logger.getInstance(PasswordStore::class.java)
    }
}

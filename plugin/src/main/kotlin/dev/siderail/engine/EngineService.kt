package dev.siderail.engine

import com.intellij.ide.plugins.cl.PluginAwareClassLoader
import com.intellij.ide.trustedProjects.TrustedProjects
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.PathManager
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.project.Project
import com.intellij.util.EnvironmentUtil
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.bridge.LockedFolder
import dev.siderail.bridge.LogLevel
import dev.siderail.bridge.NativeLoader
import dev.siderail.bridge.NativeVerbs
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean

/**
 * The engine of a project: a project service, registered for [AgentSessions].
 *
 * Brings the platform's part: where the plugin and its natives are, the environment, a thread, the log. All else
 * is [EngineLink]'s.
 */
internal class EngineService(private val link: EngineLink) : AgentSessions by link, Disposable {
    @Suppress("unused")
    constructor(project: Project) : this(link(project)) {
        val clock = AppExecutorUtil.getAppScheduledExecutorService()
        val willTell = AtomicBoolean()
        project.getService(ContentRoots::class.java)?.watch {
            // An import changes them many times over.
            if (willTell.compareAndSet(false, true)) {
                clock.schedule({ willTell.set(false); link.foldersChanged() }, ROOTS_SETTLE_MS, TimeUnit.MILLISECONDS)
            }
        }
        TrustGate({ TrustedProjects.isProjectTrusted(project) }, project::isDisposed) { task ->
            clock.schedule(task, TRUST_LOOK_MS, TimeUnit.MILLISECONDS)
        }.pass(link::hold, link::begin)
    }

    /** Closes the engine. The end of the process waits a moment for that, the event dispatch thread does not. */
    override fun dispose() {
        link.close()
        // Where the process is ending already, that happens on another thread than the event dispatch thread's.
        if (!link.end.delayProcessEnd() && !ApplicationManager.getApplication().isDispatchThread) link.end.await()
    }

    internal companion object {
        private val LOG: Logger = Logger.getInstance(EngineService::class.java)

        private fun link(project: Project): EngineLink {
            val calls = project.getService(HostCalls::class.java)
            return EngineLink(
                prepare = { prepare(project, calls) },
                calls = calls,
                orders = AppExecutorUtil.createBoundedApplicationPoolExecutor("Siderail engine", 1),
                log = ::log,
                slow = AppExecutorUtil.getAppExecutorService(),
                folders = { project.getService(ContentRoots::class.java)?.further().orEmpty() },
                secrets = { ApplicationManager.getApplication().getService(AgentSecrets::class.java)?.of(it).orEmpty() },
            )
        }

        private fun prepare(project: Project, calls: HostCalls): EngineLink.Prepared {
            val base = project.basePath
                ?: return EngineLink.Prepared.Failed("this project has no folder", "open a project that is a folder")
            // Looking a plugin up by its id is the platform's own business from 2026.2 on.
            val plugin = (EngineService::class.java.classLoader as? PluginAwareClassLoader)?.pluginDescriptor?.pluginPath
                ?: return EngineLink.Prepared.Failed("the plugin's own folder is not known", "install the plugin again")
            val copies = Path.of(PathManager.getSystemPath(), "siderail", "native")
            return when (val loaded = NativeLoader.load(plugin.resolve("native"), copies)) {
                is NativeLoader.Loaded.Failed ->
                    EngineLink.Prepared.Failed("${loaded.reason}: ${loaded.path}", loaded.hint)
                is NativeLoader.Loaded.Ready -> {
                    val settings = ApplicationManager.getApplication().getService(EngineDefaults::class.java)
                    val env = EnvironmentUtil.getEnvironmentMap().toMap()
                    val runtime = runtimeFolder(env)
                    val config = EngineConfig(
                        Path.of(base), listOf(loaded.relay.toString()), runtime.path, env, calls.tools, settings?.toolsOff(),
                    )
                    EngineLink.Prepared.Ready(NativeVerbs, config, runtime::close)
                }
            }
        }

        /** A folder whose path leaves room for a socket's name: those may have about 100 bytes in all. */
        private fun runtimeFolder(env: Map<String, String>): LockedFolder {
            val temp = Path.of(System.getProperty("java.io.tmpdir"))
            val places = listOfNotNull(env["XDG_RUNTIME_DIR"]?.let(Path::of), temp, Path.of("/tmp"))
            val place = places.firstOrNull { it.isAbsolute && Files.isDirectory(it) && "$it".length <= SOCKET_ROOM }
            return LockedFolder.create(place ?: temp, "siderail-ide-")
        }

        private fun log(level: LogLevel, target: String, text: String) {
            val line = "$target: $text"
            when (level) {
                // An error of the logger's kind would be shown as a bug report with no trace in it.
                LogLevel.ERROR, LogLevel.WARN -> LOG.warn(line)
                LogLevel.INFO -> LOG.info(line)
                LogLevel.DEBUG, LogLevel.TRACE -> LOG.debug(line)
            }
        }

        private const val SOCKET_ROOM = 44
        private const val TRUST_LOOK_MS = 2_000L
        private const val ROOTS_SETTLE_MS = 500L
    }
}

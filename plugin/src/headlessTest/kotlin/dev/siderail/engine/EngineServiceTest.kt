package dev.siderail.engine

import com.intellij.ide.trustedProjects.TrustedProjects
import com.intellij.openapi.module.Module
import com.intellij.openapi.project.Project
import com.intellij.openapi.projectRoots.Sdk
import com.intellij.openapi.roots.ModuleRootEvent
import com.intellij.openapi.roots.ModuleRootListener
import com.intellij.openapi.roots.OrderEnumerator
import com.intellij.openapi.roots.ProjectFileIndex
import com.intellij.openapi.roots.ProjectRootManager
import com.intellij.openapi.vfs.VirtualFile
import dev.siderail.bridge.HostCall
import dev.siderail.bridge.HostReply
import dev.siderail.document.WriterFixture
import java.lang.ref.WeakReference
import java.util.concurrent.Executor
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import javax.swing.SwingUtilities
import org.jetbrains.jps.model.module.JpsModuleSourceRootType
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineServiceTest {
    private val files = WriterFixture()

    @Test
    fun `content roots beside the project's folder go along, those in it do not`() {
        files.put("module/a.toy", "")
        files.put("other/b.toy", "")
        val roots = listOf(files.virtualFile("module/a.toy").parent, files.virtualFile("other/b.toy").parent)
        val base = files.path("module").toString()
        assertEquals(listOf(files.path("other")), ContentRoots(Rooted(files.platform.project, base, roots)).further())
    }

    @Test
    fun `a change of the project's model is heard by who watches the content roots, and starts nothing`() {
        val roots = ContentRoots(files.platform.project)
        val project = object : Project by files.platform.project {
            override fun <T : Any?> getService(type: Class<T>): T? =
                if (type == ContentRoots::class.java) type.cast(roots) else error("nothing else is asked for: $type")
        }
        var heard = 0
        roots.watch { heard++ }
        val listener: ModuleRootListener = ContentRootsListener(project)
        listener.rootsChanged(object : ModuleRootEvent(project) {
            override fun isCausedByFileTypesChange() = false
        })
        assertEquals(1, heard)
    }

    @Test
    fun `nothing of a project is read before the person trusts it, and all that was asked for then`() {
        val prepared = AtomicInteger()
        val project = object : Project by files.platform.project {
            /** The first thing that an engine needs to know; without a folder it does not start. */
            override fun getBasePath(): String? = null.also { prepared.incrementAndGet() }

            override fun <T : Any?> getService(type: Class<T>): T? =
                if (type == HostCalls::class.java) type.cast(NoCalls) else files.platform.project.getService(type)
        }
        val states = LinkedBlockingQueue<EngineState>()
        val service = EngineService(project)
        try {
            service.watchState(states::add)
            assertEquals(EngineState.Untrusted, states.poll(10, TimeUnit.SECONDS))
            assertNull(states.poll(3, TimeUnit.SECONDS), "it is still not trusted")
            assertEquals(0, prepared.get())
            TrustedProjects.trusted = setOf(project)
            assertEquals(EngineState.Starting, states.poll(20, TimeUnit.SECONDS))
            assertTrue(states.poll(20, TimeUnit.SECONDS) is EngineState.Failed)
            assertEquals(1, prepared.get())
        } finally {
            TrustedProjects.trusted = emptySet()
            service.dispose()
        }
    }

    @Test
    fun `closing a project does not wait for an engine that hangs`() {
        // A machine at work may hold up one of them.
        val quickest = (1..3).minOf {
            val service = EngineService(EngineLink({ error("never asked") }, NoCalls, orders = {}) { _, _, _ -> })
            var took = 0L
            SwingUtilities.invokeAndWait {
                val begun = System.nanoTime()
                service.dispose()
                took = System.nanoTime() - begun
            }
            took
        }
        assertTrue(quickest < TimeUnit.MILLISECONDS.toNanos(500), "$quickest ns")
    }

    @Test
    fun `a closed project is not kept by its engine that has not ended yet`() {
        val before = hooks()
        val link = disposed(orders = {})
        try {
            val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20)
            while (link.get() != null && System.nanoTime() < deadline) {
                System.gc()
                Thread.sleep(20)
            }
            assertNull(link.get(), "what the end of the process waits for must not lead to the project")
            assertEquals(1, (hooks() - before).size)
        } finally {
            (hooks() - before).forEach(Runtime.getRuntime()::removeShutdownHook)
        }
    }

    @Test
    fun `an engine that has ended leaves no thread for the end of the process`() {
        val before = hooks()
        val orders = ArrayDeque<Runnable>()
        disposed(orders::add)
        assertEquals(1, (hooks() - before).size, "the end of the process waits for an engine that ends")
        orders.removeFirst().run()
        assertEquals(before, hooks())
        disposed(Runnable::run)
        assertEquals(before, hooks(), "it has ended by then")
    }

    /** Closes an engine and keeps nothing of it. */
    private fun disposed(orders: Executor): WeakReference<EngineLink> {
        val link = EngineLink({ error("never asked") }, NoCalls, orders) { _, _, _ -> }
        EngineService(link).dispose()
        return WeakReference(link)
    }

    /** The engines' threads that the process starts when it ends. */
    private fun hooks(): Set<Thread> {
        val field = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks")
        field.isAccessible = true
        return (field.get(null) as Map<*, *>).keys.filterIsInstance<Thread>().filter { it.name == "Siderail end" }.toSet()
    }

    private object NoCalls : HostCalls {
        override val tools = emptyList<String>()
        override fun start(call: HostCall, reply: (HostReply) -> Unit) = Unit
        override fun cancel(call: Long) = Unit
    }

    /** A project in [base] with those content roots. */
    private class Rooted(project: Project, private val base: String, private val roots: List<VirtualFile>) : Project by project {
        override fun getBasePath() = base

        override fun <T : Any?> getComponent(type: Class<T>): T? = type.cast(Roots(roots))
    }

    private class Roots(private val roots: List<VirtualFile>) : ProjectRootManager() {
        override fun getContentRoots() = roots.toTypedArray()
        override fun getContentRootsFromAllModules() = contentRoots
        override fun getContentRootUrls() = roots.map { it.url }
        override fun getContentSourceRoots() = emptyArray<VirtualFile>()
        override fun getModuleSourceRoots(types: Set<JpsModuleSourceRootType<*>>) = emptyList<VirtualFile>()
        override fun getFileIndex(): ProjectFileIndex = throw UnsupportedOperationException()
        override fun orderEntries(): OrderEnumerator = throw UnsupportedOperationException()
        override fun orderEntries(modules: Collection<Module>): OrderEnumerator = throw UnsupportedOperationException()
        override fun getProjectSdk(): Sdk? = null
        override fun getProjectSdkName(): String? = null
        override fun getProjectSdkTypeName(): String? = null
        override fun setProjectSdk(sdk: Sdk?) = Unit
        override fun setProjectSdkName(name: String) = Unit
        override fun setProjectSdkName(name: String, type: String) = Unit
    }
}

package dev.siderail.headless

import com.intellij.openapi.command.CommandEvent
import com.intellij.openapi.command.CommandListener
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.VcsFileListenerIgnoredFilesProvider
import com.intellij.openapi.vfs.VirtualFileManager
import com.intellij.openapi.vfs.newvfs.BulkFileListener
import com.intellij.openapi.vfs.newvfs.events.VFileCreateEvent
import com.intellij.openapi.vfs.newvfs.events.VFileDeleteEvent
import com.intellij.openapi.vfs.newvfs.events.VFileEvent
import com.intellij.openapi.vfs.newvfs.events.VFileMoveEvent
import java.lang.reflect.Proxy
import java.nio.file.Path
import javax.xml.parsers.DocumentBuilderFactory
import org.w3c.dom.Element

/**
 * What the platform's VcsVFSListener does in a project with version control: it collects files that are created and
 * deleted by other means than a refresh, and when a command ends it asks about them in a modal dialog. Left out is what
 * the extensions of plugin.xml say, asked at the same moments: for a deletion before it, for a creation when the command
 * ends. They are not asked about a file that is moved from a folder [without] version control into the rest of the disk,
 * or back.
 */
internal class AskingVersionControl(private val platform: HeadlessPlatform, private val without: Path? = null) : AutoCloseable {
    private val connection = platform.application.messageBus.connect()
    private val providers = providersOfPluginXml()
    private val created = ArrayList<FilePath>()
    private val movedIn = ArrayList<FilePath>()
    private val deleted = ArrayList<FilePath>()

    /** Paths that a person was asked about, by the question. */
    val asked = LinkedHashMap<String, List<String>>()

    init {
        connection.subscribe(
            VirtualFileManager.VFS_CHANGES,
            object : BulkFileListener {
                override fun before(events: List<VFileEvent>) = events.forEach(::note)
            },
        )
        connection.subscribe(
            CommandListener.TOPIC,
            object : CommandListener {
                override fun commandFinished(event: CommandEvent) {
                    if (event.project === platform.project) ask()
                }
            },
        )
    }

    private fun note(event: VFileEvent) {
        val place = placed(event.path)
        when (event) {
            is VFileCreateEvent -> if (isVersioned(event.path)) created += place
            is VFileDeleteEvent -> if (isVersioned(event.path) && providers.none { it.isDeletionIgnored(platform.project, place) }) deleted += place
            is VFileMoveEvent -> when {
                isVersioned(event.path) == isVersioned(event.newPath) -> Unit
                isVersioned(event.path) -> deleted += place
                else -> movedIn += placed(event.newPath)
            }
        }
    }

    /** Whether version control asks about the file at [path]. */
    fun isVersioned(path: String) = without == null || !Path.of(path).startsWith(without)

    /** Whether it would ask about a file that was created, now that the command is over. */
    fun asksAbout(path: Path) = providers.none { it.isAdditionIgnored(platform.project, placed(path.toString())) }

    private fun ask() {
        ask("Add File to Git", created.filter { file -> providers.none { it.isAdditionIgnored(platform.project, file) } } + movedIn)
        ask("Delete File from Git", deleted)
        listOf(created, movedIn, deleted).forEach { it.clear() }
    }

    private fun ask(question: String, files: List<FilePath>) {
        if (files.isEmpty()) return
        asked[question] = files.map { it.path }
        platform.application.dialog = HonestApplication.Dialog
    }

    override fun close() {
        connection.disconnect()
        platform.application.dialog = null
    }

    private companion object {
        /** The platform's jar has no implementation. */
        fun placed(path: String): FilePath =
            Proxy.newProxyInstance(FilePath::class.java.classLoader, arrayOf(FilePath::class.java)) { _, method, _ ->
                check(method.name == "getPath") { method.name }
                path
            } as FilePath

        fun providersOfPluginXml(): List<VcsFileListenerIgnoredFilesProvider> {
            val descriptor = checkNotNull(AskingVersionControl::class.java.getResourceAsStream("/META-INF/plugin.xml"))
            val found = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(descriptor)
                .getElementsByTagName("vcs.fileListenerIgnoredFilesProvider")
            return (0 until found.length).map { (found.item(it) as Element).getAttribute("implementation") }.map { name ->
                Class.forName(name).getDeclaredConstructor().newInstance() as VcsFileListenerIgnoredFilesProvider
            }
        }
    }
}

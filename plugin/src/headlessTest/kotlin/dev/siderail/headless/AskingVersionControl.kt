package dev.siderail.headless

import com.intellij.openapi.command.CommandEvent
import com.intellij.openapi.command.CommandListener
import com.intellij.openapi.vcs.FilePath
import com.intellij.openapi.vcs.VcsFileListenerIgnoredFilesProvider
import com.intellij.openapi.vfs.StandardFileSystems
import java.lang.reflect.Proxy
import javax.xml.parsers.DocumentBuilderFactory
import org.w3c.dom.Element

/**
 * What the platform's VcsVFSListener does in a project with version control: it collects files that are created and
 * deleted by other means than a refresh, and when a command ends it asks about them in a modal dialog. Left out is what
 * the extensions of plugin.xml say, asked at the same moments: for a deletion before it, for a creation when the command ends.
 */
internal class AskingVersionControl(private val platform: HeadlessPlatform) : AutoCloseable {
    private val fileSystem = StandardFileSystems.local() as WritableFileSystem
    private val connection = platform.project.messageBus.connect()
    private val providers = providersOfPluginXml()
    private val created = ArrayList<FilePath>()
    private val deleted = ArrayList<FilePath>()

    /** Paths that a person was asked about, by the question. */
    val asked = LinkedHashMap<String, List<String>>()

    init {
        fileSystem.listener = { path, isCreation ->
            val place = placed(path)
            if (isCreation) created += place
            else if (providers.none { it.isDeletionIgnored(platform.project, place) }) deleted += place
        }
        connection.subscribe(
            CommandListener.TOPIC,
            object : CommandListener {
                override fun commandFinished(event: CommandEvent) {
                    if (event.project === platform.project) ask()
                }
            },
        )
    }

    private fun ask() {
        ask("Add File to Git", created.filter { file -> providers.none { it.isAdditionIgnored(platform.project, file) } })
        ask("Delete File from Git", deleted)
        created.clear()
        deleted.clear()
    }

    private fun ask(question: String, files: List<FilePath>) {
        if (files.isEmpty()) return
        asked[question] = files.map { it.path }
        platform.application.dialog = HonestApplication.Dialog
    }

    override fun close() {
        connection.disconnect()
        fileSystem.listener = { _, _ -> }
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

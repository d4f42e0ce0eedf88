package dev.siderail.toolwindow

import com.intellij.ide.util.treeView.PresentableNodeDescriptor
import com.intellij.openapi.actionSystem.CommonDataKeys
import com.intellij.openapi.actionSystem.DataContext
import com.intellij.openapi.actionSystem.DataKey
import com.intellij.openapi.actionSystem.PlatformDataKeys
import com.intellij.openapi.fileEditor.OpenFileDescriptor
import com.intellij.openapi.project.Project
import dev.siderail.engine.Attachment
import dev.siderail.ui.Texts

/** A message to the agent about what is selected in a view of the IDE, and what goes along with it. The person sends it. */
internal data class FixRequest(val text: String, val attachment: Attachment.Text? = null) {
    fun write(project: Project) = ChatCommand.show(project) { it.write(text, attachment) }

    companion object {
        /**
         * What is selected in the Problems view: a problem, or a file with problems. It is read out of what every tree of the
         * IDE gives away, since the view's own classes are not for plugins.
         */
        @JvmStatic
        fun problem(project: Project, context: DataContext): FixRequest? {
            val node = context.getData(PlatformDataKeys.SELECTED_ITEM) as? PresentableNodeDescriptor<*> ?: return null
            val place = context.getData(CommonDataKeys.NAVIGATABLE) as? OpenFileDescriptor
            val file = place?.file ?: context.getData(CommonDataKeys.VIRTUAL_FILE) ?: return null
            if (file.isDirectory) return null
            val path = file.path.removePrefix(project.basePath.orEmpty() + "/")
            val name = node.name?.takeUnless { it == file.name || it.isBlank() } ?: return FixRequest(Texts["fix.file", mention(path)])
            val line = place?.line ?: -1
            return FixRequest(Texts["fix.prompt", name.trimEnd('.'), mention(if (line < 0) path else "$path:${line + 1}")])
        }

        /** The test that is selected in the tree of a test run, unless it has passed. */
        @JvmStatic
        fun test(context: DataContext): FixRequest? {
            val test = context.getData(TEST)?.let(::SelectedTest)?.takeIf { it.isDefect } ?: return null
            val said = listOf(test.error, test.trace).filter { it.isNotBlank() }.joinToString("\n").take(SAID)
            return FixRequest(Texts["fix.test", test.title], said.takeIf { it.isNotBlank() }?.let { Attachment.Text(Texts["fix.test.said", test.name], it) })
        }

        private fun mention(path: String) = Mentions.written(path).trim()

        /** The key by which the tree of a test run gives its selected test away. */
        private val TEST: DataKey<Any> = DataKey.create("testProxy")

        /** Characters of what a test said. */
        private const val SAID = 20_000
    }
}

/**
 * A test of the IDE's test runner. That one is a module of its own, in a plugin of its own in later versions, whose classes this
 * plugin does not see; so its getters are asked for by name, and what cannot be asked is left out.
 */
internal class SelectedTest(private val test: Any) {
    val name: String get() = text("getName").ifBlank { "$test" }

    /** With its class or file, if its runner says that: what follows `://` of its address. */
    val title: String get() = text("getLocationUrl").substringAfter("://", "").ifBlank { name }
    val error: String get() = text("getErrorMessage")
    val trace: String get() = text("getStacktrace")
    val isDefect: Boolean get() = get("isDefect") != false

    private fun text(getter: String): String = (get(getter) as? String).orEmpty().trim()

    private fun get(getter: String): Any? = try {
        test.javaClass.getMethod(getter).invoke(test)
    } catch (_: ReflectiveOperationException) {
        null
    }
}

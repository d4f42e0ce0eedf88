package dev.siderail.toolwindow

import dev.siderail.document.Reverted
import dev.siderail.document.ReviewedFile
import java.io.File

/** What panels want of the place they are shown in. In the IDE [IdeChatActions], in tests a record of calls. */
interface ChatActions {
    /** Opens a file of the project, where there is one; [path] is as an agent wrote it, maybe with a line. */
    fun openFile(path: String)

    /** Opens an http or https address in the browser. */
    fun browse(address: String)

    /** Shows changes in the IDE's viewer. */
    fun showDiff(title: String, changes: List<FileChange>)

    /** Marks the parts of these files' changes in editors, until they are decided about, instead of those before. */
    fun review(files: List<ReviewedFile>, listener: ReviewListener)

    /** Takes [parts] of a change back where nobody has changed them since. Answers on the same thread, later. */
    fun revert(file: ReviewedFile, parts: Set<Int>, done: (Reverted) -> Unit)

    fun copy(text: String)

    /** Saves a text where the person says. */
    fun save(name: String, text: String)

    /** Lets the person choose a file of the project, and hands it over unless they think better of it. */
    fun chooseFile(chosen: (String) -> Unit)

    /** Looks for what `@` offers for that: files, symbols, what the person has before them. Answers on the same thread, later. */
    fun findContext(query: String, found: (List<Mention>) -> Unit)

    /** Looks at files that are to go along with a prompt. Answers on the same thread, later. */
    fun look(files: List<File>, seen: (List<SeenFile>) -> Unit)

    /** The project's folder, with `/`; empty if there is none. */
    val projectFolder: String

    /** Keeps variables of an agent in the settings; what of them is secret, where secrets belong. */
    fun keepSecrets(agent: String, values: Map<String, String>)

    fun openSettings()

    /** Whether the IDE has a terminal. */
    val hasTerminal: Boolean

    /** Types a command into a new terminal of the IDE, which is shown. */
    fun runInTerminal(command: String)
}

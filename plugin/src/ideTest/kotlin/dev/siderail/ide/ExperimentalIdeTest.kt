package dev.siderail.ide

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.UiComponent.Companion.waitFound
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files

/** The tools that are off by default; the settings of these tests switch them on. Run configurations and terminals. */
class ExperimentalIdeTest {
    private val main = "src/Main.java" to "class Main {\n    public static void main(String[] words) {\n    }\n}\n"

    @Test
    fun runConfigurationsAreListedWithTheirTypes() {
        val script = turn(
            call("list_run_configurations", result = "Hello: Shell Script\n"),
            call("list_run_configurations", result = "Types for create_run_configuration: "),
            call("list_run_configurations", result = "Application, "),
        )
        RunningIde("run-list", script, mapOf(shellConfiguration("Hello", "echo hello"))).run {
            ask("look")
            waitForEnd()
        }
    }

    @Test
    fun aRunThatEndsAnswersWithItsOutputAndExitCode() {
        val script = turn(
            call("run_configuration", "name" to "Hello", result = "ended with exit code 3"),
            call("read_run_output", "name" to "Hello", result = "hello from the run\n"),
        )
        RunningIde("run", script, mapOf(shellConfiguration("Hello", "echo hello from the run; exit 3"))).run {
            ask("run it")
            allow()
            waitForEnd()
        }
    }

    @Test
    fun theOutputOfALongRunCanBeReadLater() {
        val script = turn(
            call("run_configuration", "name" to "Server", "wait_s" to 1, result = "is running"),
            call("read_run_output", "run_id" to "config-1", result = "first\n", lacks = "second\n"),
            sleep(10),
            call("read_run_output", "run_id" to "config-1", result = "second\n"),
        )
        RunningIde("run-long", script, mapOf(shellConfiguration("Server", "echo first; sleep 8; echo second"))).run {
            ask("run it")
            allow()
            waitForEnd()
        }
    }

    @Test
    fun aConfigurationIsCreatedAndEditedAndTheRestStays() {
        val script = turn(
            call(
                "create_run_configuration", "name" to "Made", "type" to "Application", "main_class" to "Main", "vm_args" to "-Xmx64m",
                "program_args" to "one two", "env" to listOf("COLOUR=red"), "working_dir" to "src", expect = "allowed",
            ),
            call("edit_run_configuration", "name" to "Made", "vm_args" to "-Xmx65m", expect = "allowed"),
            call("list_run_configurations", result = "Made: Application"),
        )
        val stored = listOf("\"Main\"", "-Xmx65m", "one two", "COLOUR", "red", "/src\"")
        val ide = RunningIde("run-create", script, sourceRoot + main)
        ide.run {
            ask("make one")
            repeat(2) { allow() }
            waitForEnd()
            invokeAction("SaveAll", now = false)
            ide.waitForFile(".idea/workspace.xml") { text -> text != null && stored.all { it in text } }
        }
    }

    @Test
    fun aTypeThatTakesNoMainClassAddsNoConfiguration() {
        val script = turn(
            call("create_run_configuration", "name" to "Made", "type" to "Gradle", "main_class" to "Main", result = "NOT_APPLICABLE"),
            call("list_run_configurations", lacks = "Made: "),
        )
        RunningIde("run-gradle", script, sourceRoot + main).run {
            ask("make one")
            allow()
            waitForEnd()
        }
    }

    @Test
    fun aTerminalOpensInTheProjectAndTheFocusStays() {
        val script = turn(
            call("run_in_terminal", "command" to "sleep 5; uname -s && pwd", result = "typed into terminal-1 (Siderail)"),
            say("typed"),
            sleep(10),
            call("read_terminal_output", "terminal_id" to "terminal-1", result = "siderail-ide-test"),
            call("list_terminals", result = "terminal-1: Siderail, in "),
        )
        val ide = RunningIde("terminal", script, mapOf("a.txt" to "\n"))
        ide.run {
            ask("look where it is")
            waitForQuestion()
            openFile("a.txt")
            invokeAction("dev.siderail.Allow", now = false)
            waitForText("typed")
            ideFrame { keyboard { typeText("mine") } }
            invokeAction("SaveAll", now = false)
            ide.waitForFile("a.txt") { it == "mine\n" }
            waitForEnd()
        }
    }

    @Test
    fun aTerminalThatIsNotThereIsNamedAndNothingIsTyped() {
        val script = turn(
            call("run_in_terminal", "command" to "uname -s", "terminal_id" to "terminal-7", result = "there is no terminal `terminal-7`"),
            call("list_terminals", result = "0 terminals"),
        )
        RunningIde("terminal-none", script, mapOf("a.txt" to "a\n")).run {
            ask("type it there")
            allow()
            waitForEnd()
        }
    }

    @Test
    fun aDialogRefusesARunAndNothingStartsWhenItCloses() {
        val late = call("run_configuration", "name" to "Make", result = "MODAL_BLOCKING")
        refusedByDialog("run-modal", late, mapOf(shellConfiguration("Make", "mkdir made")))
    }

    @Test
    fun aDialogRefusesATerminalAndNoneOpensWhenItCloses() {
        val late = call("run_in_terminal", "command" to "mkdir made", result = "MODAL_BLOCKING")
        refusedByDialog("terminal-modal", late, mapOf("a.txt" to "a\n"))
    }

    /** A call that nobody is asked about; it would make a folder. */
    private fun refusedByDialog(name: String, late: String, files: Map<String, String>) {
        val dialogOpen = Signal()
        val script = turn(say("at work"), dialogOpen.awaited, late) +
            turn(sleep(5), call("list_terminals", result = "0 terminals"), says = "nothing has opened")
        val ide = RunningIde(name, script, files)
        ide.allowWhatIsNotDangerous()
        ide.run {
            ask("do it while a dialog is open")
            waitForText("at work")
            behindDialog {
                dialogOpen.give()
                waitForEnd()
            }
            ask("look")
            waitForEnd("nothing has opened")
            assertTrue(!Files.exists(ide.project.resolve("made")))
        }
    }

    @Test
    fun theTerminalWindowOpensWithATabOfTheAgents() {
        val script = turn(call("run_in_terminal", "command" to "uname -s", result = "typed into terminal-1 (Siderail)"))
        RunningIde("terminal-window", script, mapOf("a.txt" to "a\n")).run {
            ideFrame { assertTrue(tab("Siderail").notPresent()) }
            ask("look where it is")
            allow()
            waitForEnd()
            ideFrame { tab("Siderail").waitFound() }
        }
    }

    @Test
    fun ownTerminalsAndEndedOnesAreListedUnderLastingIds() {
        val script = turn(
            call("list_terminals", result = "1 terminals\nterminal-1: "),
            call("run_in_terminal", "command" to "uname -s", result = "typed into terminal-2 (Siderail)"),
            call("run_in_terminal", "command" to "exit", result = "typed into terminal-3 (Siderail)"),
            sleep(5),
            call("list_terminals", result = "3 terminals\nterminal-1: "),
            call("list_terminals", result = "terminal-2: Siderail, in "),
            call("list_terminals", result = ", its shell has ended\n"),
            call("run_in_terminal", "command" to "uname -s", "terminal_id" to "terminal-3", result = "the shell of terminal-3 has ended"),
        )
        val ide = RunningIde("terminals", script, mapOf("a.txt" to "a\n"))
        // Else a tab closes with its shell.
        ide.option("terminal", "TerminalOptionsProvider", """<option name="myCloseSessionOnLogout" value="false" />""")
        ide.run {
            openTerminal()
            ask("look at the terminals")
            repeat(3) { allow() }
            waitForEnd()
        }
    }

    @Test
    fun twoLinesForAnOwnTerminalAreAskedAboutAndReadTheSavedText() {
        val script = turn(
            call("list_terminals", result = "terminal-1: "),
            call(
                "run_in_terminal", "terminal_id" to "terminal-1", "command" to "cp a.txt first.txt\ncp a.txt second.txt",
                result = "typed into terminal-1",
            ),
        )
        val ide = RunningIde("terminal-own", script, mapOf("a.txt" to "one\n"))
        ide.allowWhatIsNotDangerous()
        ide.run {
            openTerminal()
            openFile("a.txt")
            ideFrame { keyboard { typeText("mine ") } }
            ask("copy it")
            allow()
            waitForEnd()
            for (copy in listOf("first.txt", "second.txt")) ide.waitForFile(copy) { it == "mine one\n" }
        }
    }

    @Test
    fun aTerminalThatWasClosedIsNamedAndNothingIsTyped() {
        val closed = Signal()
        val script = turn(
            call("list_terminals", result = "terminal-1: "),
            say("at work"),
            closed.awaited,
            call("run_in_terminal", "command" to "mkdir made", "terminal_id" to "terminal-1", result = "terminal-1 was closed"),
            call("list_terminals", result = "0 terminals"),
        )
        val ide = RunningIde("terminal-closed", script, mapOf("a.txt" to "a\n"))
        ide.run {
            openTerminal()
            ask("type it there")
            waitForText("at work")
            ideFrame { tab(OWN).click() }
            invokeAction("CloseContent", now = false)
            ideFrame { tab(OWN).waitGone() }
            closed.give()
            allow()
            waitForEnd()
            assertTrue(!Files.exists(ide.project.resolve("made")))
        }
    }

    /** The person's own: its window opens with one. */
    private fun Driver.openTerminal() {
        invokeAction("ActivateTerminalToolWindow", now = false)
        ideFrame { tab(OWN).waitFound() }
    }

    private companion object {
        /** What the IDE calls a terminal. */
        const val OWN = "Local"
    }
}

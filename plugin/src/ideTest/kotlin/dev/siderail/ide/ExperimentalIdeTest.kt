package dev.siderail.ide

import com.intellij.driver.sdk.invokeAction
import com.intellij.driver.sdk.openFile
import com.intellij.driver.sdk.ui.components.common.ideFrame
import org.junit.jupiter.api.Test

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
}

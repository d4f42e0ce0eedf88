package dev.siderail.tools

import dev.siderail.bridge.ToolErrorCode
import dev.siderail.document.Patience
import java.nio.file.Path
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The tools for terminals, over ones that are made up: the platform's need a real IDE. */
class TerminalToolsTest {
    private class Shell(val title: String, val folder: String?) {
        val typed = ArrayList<String>()
        var text = ""
        var isEnded = false
    }

    private class Fake : Terminals {
        val shells = ArrayList<Shell>()
        var onList: (Patience) -> Unit = {}

        override fun all(patience: Patience): List<OpenTerminal> {
            onList(patience)
            return shells.map(::seen)
        }

        override fun open(folder: Path, patience: Patience): OpenTerminal =
            seen(Shell("Siderail", folder.toString()).also(shells::add))

        override fun type(terminal: OpenTerminal, command: String, patience: Patience): Boolean {
            val shell = shells.find { it === terminal.key }?.takeUnless { it.isEnded } ?: return false
            return shell.typed.add(command)
        }

        override fun text(terminal: OpenTerminal, patience: Patience) = shells.find { it === terminal.key }?.text

        private fun seen(shell: Shell) = OpenTerminal(shell, shell.title, shell.folder, shell.isEnded)
    }

    private val fake = Fake()
    private val tools = ToolFixture(more = TerminalTools(fake).all).also { it.experimental = true }

    @Test
    fun `they are offered only where experimental tools are switched on`() {
        val names = listOf("run_in_terminal", "list_terminals", "read_terminal_output")
        assertTrue(tools.host.tools.containsAll(names))
        tools.experimental = false
        assertFalse(tools.host.tools.any(names::contains))
        assertEquals(ToolErrorCode.TOOL_DISABLED, tools.failure("run_in_terminal", """{"command":"ls"}""").code)
        assertTrue(fake.shells.isEmpty())
    }

    @Test
    fun `an IDE without the terminal plugin offers no tools for terminals`() {
        assertEquals(emptyList<Tool>(), TerminalTools.of(tools.files.platform.project))
    }

    @Test
    fun `a command goes to a new terminal in the project's folder, or to the one that is named`() {
        val first = tools.text("run_in_terminal", """{"command":"make\n"}""")
        assertEquals("typed into terminal-1 (Siderail)\nNext: read_terminal_output {\"terminal_id\":\"terminal-1\"}\n", first)
        tools.text("run_in_terminal", """{"command":"a\nb","terminal_id":"terminal-1"}""")
        tools.text("run_in_terminal", """{"command":"c"}""")
        assertEquals(listOf(listOf("make", "a\nb"), listOf("c")), fake.shells.map { it.typed })
        assertEquals(tools.files.folder.root.toString(), fake.shells[0].folder)
    }

    @Test
    fun `ids stay with their terminal when others are closed, and none comes back`() {
        fake.shells += listOf(Shell("Local", "/a"), Shell("Local (2)", null), Shell("build", "/c"))
        val list = tools.text("list_terminals", "{}")
        assertEquals(
            "3 terminals\nterminal-1: Local, in /a\nterminal-2: Local (2), in a folder that is not known\nterminal-3: build, in /c\n",
            list,
        )
        fake.shells.removeAt(1)
        fake.shells += Shell("new", "/d")
        fake.shells.reverse()
        val later = tools.text("list_terminals", "{}")
        assertEquals("3 terminals\nterminal-4: new, in /d\nterminal-3: build, in /c\nterminal-1: Local, in /a\n", later)
    }

    @Test
    fun `a terminal that was closed, has ended or never was is told apart, and nothing is typed`() {
        fake.shells += listOf(Shell("Local", "/a"), Shell("Local (2)", "/b"))
        tools.text("list_terminals", "{}")
        fake.shells.removeAt(0)
        val closed = tools.failure("read_terminal_output", """{"terminal_id":"terminal-1"}""")
        assertEquals(ToolErrorCode.INVALID_PARAM, closed.code)
        assertTrue("terminal-1 was closed; open are terminal-2" in closed.text, closed.text)
        val unknown = tools.failure("run_in_terminal", """{"command":"x","terminal_id":"terminal-9"}""")
        assertTrue("there is no terminal `terminal-9`" in unknown.text, unknown.text)
        fake.shells[0].isEnded = true
        val ended = tools.failure("run_in_terminal", """{"command":"x","terminal_id":"terminal-2"}""")
        assertTrue("the shell of terminal-2 has ended" in ended.text, ended.text)
        assertTrue("its shell has ended" in tools.text("list_terminals", "{}"))
        assertEquals(1, fake.shells.size)
        assertTrue(fake.shells[0].typed.isEmpty())
    }

    @Test
    fun `keys are not typed, for they would make another command of the one that was judged`() {
        for (command in listOf("echo\\u0015rm -rf x", "echo\\rrm x", "rm -rf s\\t", "\\u001b[A", "\\u0085")) {
            assertEquals(ToolErrorCode.INVALID_PARAM, tools.failure("run_in_terminal", """{"command":"$command"}""").code, command)
        }
        assertEquals(ToolErrorCode.INVALID_PARAM, tools.failure("run_in_terminal", """{"command":" \n"}""").code)
        assertTrue(fake.shells.isEmpty())
    }

    @Test
    fun `output is the last lines, without the blank screen below, each and all of bounded length`() {
        fake.shells += Shell("Local", "/a").apply { text = (1..300).joinToString("\n") { "line $it" } + "\n$ \n\n\n" }
        tools.text("list_terminals", "{}")
        val tail = tools.text("read_terminal_output", """{"terminal_id":"terminal-1","lines":3}""")
        assertEquals("terminal-1 (Local): the last 3 of 301 lines\nline 299\nline 300\n$\n", tail)
        assertTrue("the last 100 of 301" in tools.text("read_terminal_output", """{"terminal_id":"terminal-1"}"""))
        fake.shells[0].text = (1..500).joinToString("\n") { "x".repeat(5_000) }
        val wide = tools.text("read_terminal_output", """{"terminal_id":"terminal-1","lines":500}""")
        assertTrue(wide.length < 21_000, "${wide.length}")
        assertTrue(wide.lines()[1].endsWith("…"))
    }

    @Test
    fun `a call that is no longer wanted ends while the IDE keeps it waiting`() {
        val reached = CountDownLatch(1)
        fake.onList = { patience ->
            reached.countDown()
            while (true) {
                patience.check()
                Thread.sleep(10)
            }
        }
        val call = tools.start("list_terminals", "{}")
        assertTrue(reached.await(30, TimeUnit.SECONDS))
        tools.host.cancel(call.number)
        assertEquals(ToolErrorCode.CANCELLED, (call.reply() as dev.siderail.bridge.HostReply.Failed).code)
    }
}

package dev.siderail.document

import kotlin.random.Random
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The pure parts of reading and writing texts, over many small texts. */
class TextToolsTest {
    private val dice = Random(7)

    private fun text(most: Int, pieces: List<String>) = (0 until dice.nextInt(most)).joinToString("") { pieces.random(dice) }

    @Test
    fun `a diff, applied to the old text, gives the new one`() {
        val pieces = listOf("a\n", "b\n", "c\n", "\n", "d")
        repeat(3_000) {
            val (old, new) = text(30, pieces) to text(30, pieces)
            val diff = UnifiedDiff.of("f", old, new)
            assertEquals(new, patched(old, diff), "$old -> $new\n$diff")
        }
        assertEquals("", UnifiedDiff.of("f", "x\n", "x\n"))
        assertTrue(UnifiedDiff.of("f", null, "x\n").startsWith("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"))
    }

    /** What a patch program does, with the line numbers of the hunks taken at their word. */
    private fun patched(old: String, diff: String): String {
        if (diff.isEmpty()) return old
        val source = old.split(Regex("(?<=\n)")).filter { it.isNotEmpty() }
        val result = StringBuilder()
        var position = 0
        var lastSign = ' '
        for (line in diff.removeSuffix("\n").split('\n').drop(2)) {
            val head = Regex("""@@ -(\d+)(?:,(\d+))? .*""").matchEntire(line)
            when {
                head != null -> {
                    val (start, size) = head.groupValues[1].toInt() to head.groupValues[2]
                    val from = if (size == "0") start else start - 1
                    while (position < from) result.append(source[position++])
                }
                line.startsWith("\\") -> if (lastSign != '-') result.setLength(result.length - 1)
                line.startsWith("+") -> result.append(line.drop(1)).append('\n')
                else -> {
                    assertEquals(source[position].removeSuffix("\n"), line.drop(1))
                    if (line.startsWith(" ")) result.append(line.drop(1)).append('\n')
                    position++
                }
            }
            if (!line.startsWith("\\")) lastSign = line.first()
        }
        while (position < source.size) result.append(source[position++])
        return result.toString()
    }

    @Test
    fun `a diff that is too long is cut at a line and says so`() {
        val diff = UnifiedDiff.of("f", null, (1..100).joinToString("") { "line $it\n" })
        val cut = UnifiedDiff.cut(diff, 200)
        assertTrue(cut.length < 250 && cut.endsWith("more lines of the diff]\n"), cut)
    }

    @Test
    fun `imports stay for every turn that brought them in, and go with the last`() {
        val ledger = TurnLedger()
        ledger.edited(1, "a.kt", "", "import x\nimport y\nval z = 1\n")
        ledger.edited(2, "a.kt", "import x\n", "import x\nimport w\n")
        ledger.edited(2, "b.kt", "", "val a = 1\n")
        ledger.leftUntidied(1, "a.kt")
        assertEquals(setOf("import x", "import y", "import w"), ledger.imports("a.kt"))
        assertEquals(listOf("a.kt"), ledger.end(1))
        assertEquals(setOf("import w"), ledger.imports("a.kt"))
        assertEquals(emptyList<String>(), ledger.end(2))
        assertEquals(emptySet<String>(), ledger.imports("a.kt"))
    }

    @Test
    fun `import lines are known in many languages`() {
        val lines = listOf(
            "import java.util.List;", "  from os import path", "using System;", "use std::fs;", "#include <stdio.h>",
            "require 'json'", "open Printf",
        )
        for (line in lines) assertFalse(ImportLines.of("$line\n").isEmpty(), line)
        assertTrue(ImportLines.of("important = 1\nuser = 2\n").isEmpty())
    }
}

package dev.siderail.document

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class TurnLedgerTest {
    @Test
    fun `imports stay for every turn that brought them in, and go with the last`() {
        val ledger = TurnLedger()
        ledger.edited(1, "a.kt", listOf("import x", "import y"))
        ledger.edited(2, "a.kt", listOf("import w"))
        ledger.edited(2, "b.kt", emptyList())
        ledger.leftUntidied(1, "a.kt")
        assertEquals(setOf("import x", "import y", "import w"), ledger.imports("a.kt"))
        assertEquals(listOf("a.kt"), ledger.end(1))
        assertEquals(setOf("import w"), ledger.imports("a.kt"))
        assertEquals(emptyList<String>(), ledger.end(2))
        assertEquals(emptySet<String>(), ledger.imports("a.kt"))
    }
}

package dev.siderail.psi

import com.intellij.codeHighlighting.HighlightDisplayLevel
import com.intellij.codeInspection.LocalInspectionTool
import com.intellij.psi.PsiManager
import dev.siderail.document.WriterFixture
import dev.siderail.headless.ToyInspections
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class ProfileInspectionsTest {
    private val ide = WriterFixture()

    private class Tool(private val name: String, private val level: HighlightDisplayLevel, private val isOn: Boolean) : LocalInspectionTool() {
        override fun getShortName() = name

        override fun getDisplayName() = name

        override fun getGroupDisplayName() = "Toy"

        override fun getDefaultLevel() = level

        override fun isEnabledByDefault() = isOn
    }

    @Test
    fun `the profile says which inspections are on, and how bad it takes what each finds`() {
        val tools = listOf(
            Tool("Bad", HighlightDisplayLevel.ERROR, true),
            Tool("Off", HighlightDisplayLevel.ERROR, false),
            Tool("Poor", HighlightDisplayLevel.WARNING, true),
            Tool("Weak", HighlightDisplayLevel.WEAK_WARNING, true),
        )
        ToyInspections.install(tools)
        ide.put("a.toy", "x = 1;\n")
        var on = emptyList<Pair<String, Severity>>()
        WriterFixture.onEventThread {
            val file = checkNotNull(PsiManager.getInstance(ide.platform.project).findFile(ide.virtualFile("a.toy")))
            on = ProfileInspections(ide.platform.project).on(file).map { it.tool.shortName to it.severity }
        }
        assertEquals(listOf("Bad" to Severity.ERROR, "Poor" to Severity.WARNING, "Weak" to Severity.WEAK), on)
    }
}

package dev.siderail

import javax.xml.parsers.DocumentBuilderFactory
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class PluginXmlTest {
    @Test
    fun `the descriptor names the plugin by the id that settings and logs use`() {
        val stream = javaClass.getResourceAsStream("/META-INF/plugin.xml")
        val xml = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(stream)
        assertEquals("dev.siderail", xml.getElementsByTagName("id").item(0).textContent)
    }
}

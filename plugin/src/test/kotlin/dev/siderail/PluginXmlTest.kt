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

    @Test
    fun `every class that the descriptor names is there`() {
        val text = checkNotNull(javaClass.getResourceAsStream("/META-INF/plugin.xml")).use { it.readAllBytes().decodeToString() }
        val names = Regex(""""(dev\.siderail\.[a-z.]+\.[A-Z]\w*(?:\$\w+)?)"""").findAll(text).map { it.groupValues[1] }.toSet()
        check(names.size > 10) { "$names" }
        for (name in names) Class.forName(name, false, javaClass.classLoader)
    }
}

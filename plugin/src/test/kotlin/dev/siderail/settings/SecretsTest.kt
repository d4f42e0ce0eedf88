package dev.siderail.settings

import com.google.gson.JsonParser
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class SecretsTest {
    private fun check(json: String, expected: String) = assertEquals(JsonParser.parseString(expected), Secrets.redact(JsonParser.parseString(json)))

    @Test
    fun `environments and headers keep their names and lose their values`() {
        check("""{"env":{"HOME":"/home/me","N":1,"E":""}}""", """{"env":{"HOME":"[hidden]","N":1,"E":""}}""")
        check("""{"a":[{"headers":[{"name":"X","value":"v"}]}]}""", """{"a":[{"headers":[{"name":"X","value":"[hidden]"}]}]}""")
        check("""{"env":["A=b","C",["d"]]}""", """{"env":["A=[hidden]","[hidden]",["[hidden]"]]}""")
    }

    @Test
    fun `a secret that is a name is hidden and takes no member along`() = check(
        """{"API_KEY=x7":1,"API_KEY=x8":2,"env":{"ghp_0123456789abcdefghijABCD":"v"},"plain":"x"}""",
        """{"API_KEY=[hidden]":1,"API_KEY=[hidden] 2":2,"env":{"[hidden]":"[hidden]"},"plain":"x"}""",
    )

    @Test
    fun `texts under the name of a secret are hidden, and counts are not`() = check(
        """{"apiKey":"x","password":["z",{"a":"b"}],"totalTokens":12,"text":"password: hunter2"}""",
        """{"apiKey":"[hidden]","password":["[hidden]",{"a":"[hidden]"}],"totalTokens":12,"text":"password: [hidden]"}""",
    )

    @Test
    fun `well-known shapes are hidden wherever they are`() {
        for (token in listOf("sk-ant-1234567890abcdef", "ghp_0123456789abcdefghijABCD", "AKIA0123456789ABCDEF", "0123456789abcdef".repeat(3))) {
            assertEquals("see [hidden] there", Secrets.redact("see $token there"))
        }
    }
}

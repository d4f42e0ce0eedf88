package dev.siderail.settings

/** Takes out of a text what looks like a key or token, before it leaves the IDE. */
object Secrets {
    private val patterns = listOf(
        Regex("""(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"""),
        Regex("""\b(sk|pk|rk)-[A-Za-z0-9_-]{12,}"""),
        Regex("""\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,})"""),
        Regex("""\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"""),
        Regex("""\b[0-9a-f]{48,}\b"""),
    )
    private val named = Regex("""(?i)([A-Z0-9_]*(?:token|secret|password|passwd|api_?key|authorization)[A-Z0-9_]*)(\s*[=:]\s*|\\?"\s*:\s*\\?")([^\s"'\\,;&]{4,})""")

    fun redact(text: String): String {
        val unnamed = named.replace(text) { it.groupValues[1] + it.groupValues[2] + "[redacted]" }
        return patterns.fold(unnamed) { seen, pattern -> pattern.replace(seen, "[redacted]") }
    }
}

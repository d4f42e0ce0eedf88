package dev.siderail.toolwindow

import dev.siderail.settings.Texts
import java.awt.Insets

/** A command for the person to run, and a link that copies it. */
internal class CommandBox(line: String, copied: (String) -> Unit) :
    Card(gap = 0, padding = Insets(7, 10, 7, 10), ground = { Look.code }, line = { null }) {
    init {
        val copy = LinkButton(Texts["code.copy"], { Look.small }, { Look.muted }) { copied(line) }
        copy.named(Texts["login.copy", line])
        add(Wrapped(Prose(line, { Look.mono }), copy))
    }
}

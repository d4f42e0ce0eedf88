package dev.siderail.toolwindow

import dev.siderail.ui.Card
import dev.siderail.ui.LinkButton
import dev.siderail.ui.Look
import dev.siderail.ui.Prose
import dev.siderail.ui.Texts
import dev.siderail.ui.Wrapped
import dev.siderail.ui.named
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

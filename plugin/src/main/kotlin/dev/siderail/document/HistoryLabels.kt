package dev.siderail.document

import com.intellij.history.LocalHistory
import com.intellij.openapi.project.Project

/** Marks in the IDE's Local History where a prompt's turn begins, so that the person can go back to it there. */
internal object HistoryLabels {
    fun put(project: Project, label: String) {
        LocalHistory.getInstance().putSystemLabel(project, label)
    }
}

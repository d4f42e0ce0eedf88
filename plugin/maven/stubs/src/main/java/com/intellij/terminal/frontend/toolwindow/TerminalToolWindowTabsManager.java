package com.intellij.terminal.frontend.toolwindow;

import com.intellij.openapi.project.Project;
import java.util.List;

/** Since 2025.3, in the plugin org.jetbrains.plugins.terminal, and so are all types around it. */
public interface TerminalToolWindowTabsManager {
    static TerminalToolWindowTabsManager getInstance(Project project) {
        return project.getService(TerminalToolWindowTabsManager.class);
    }

    List<TerminalToolWindowTab> getTabs();

    TerminalToolWindowTabBuilder createTabBuilder();
}

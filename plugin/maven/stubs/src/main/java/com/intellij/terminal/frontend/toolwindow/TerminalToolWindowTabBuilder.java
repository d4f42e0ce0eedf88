package com.intellij.terminal.frontend.toolwindow;

/** Since 2025.3. */
public interface TerminalToolWindowTabBuilder {
    TerminalToolWindowTabBuilder workingDirectory(String directory);

    TerminalToolWindowTabBuilder tabName(String name);

    TerminalToolWindowTabBuilder requestFocus(boolean requestFocus);

    TerminalToolWindowTabBuilder deferSessionStartUntilUiShown(boolean defer);

    TerminalToolWindowTab createTab();
}

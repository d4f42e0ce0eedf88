package com.intellij.terminal.frontend.toolwindow;

import com.intellij.terminal.frontend.view.TerminalView;
import com.intellij.ui.content.Content;

/** Since 2025.3. */
public interface TerminalToolWindowTab {
    TerminalView getView();

    Content getContent();
}

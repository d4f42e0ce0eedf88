package com.intellij.terminal.frontend.view;

import kotlinx.coroutines.flow.StateFlow;
import org.jetbrains.plugins.terminal.view.TerminalOutputModelsSet;
import org.jetbrains.plugins.terminal.view.TerminalSendTextBuilder;

/** Since 2025.3. */
public interface TerminalView {
    TerminalOutputModelsSet getOutputModels();

    StateFlow<TerminalViewSessionState> getSessionState();

    String getCurrentDirectory();

    TerminalSendTextBuilder createSendTextBuilder();
}

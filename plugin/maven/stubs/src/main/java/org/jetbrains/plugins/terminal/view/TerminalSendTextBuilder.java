package org.jetbrains.plugins.terminal.view;

/** Since 2025.3. */
public interface TerminalSendTextBuilder {
    TerminalSendTextBuilder shouldExecute();

    TerminalSendTextBuilder useBracketedPasteMode();

    void send(String text);
}

package org.jetbrains.plugins.terminal.view;

/** Since 2025.3. */
public interface TerminalOutputModel {
    int getTextLength();

    TerminalOffset getStartOffset();

    TerminalOffset getEndOffset();

    CharSequence getText(TerminalOffset start, TerminalOffset end);
}

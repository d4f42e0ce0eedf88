package org.jetbrains.plugins.terminal.view;

/** Since 2025.3. */
public interface TerminalOffset {
    TerminalOffset minus(long characters);
}

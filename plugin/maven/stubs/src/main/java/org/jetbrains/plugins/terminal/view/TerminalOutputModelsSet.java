package org.jetbrains.plugins.terminal.view;

/** Since 2025.3. */
public interface TerminalOutputModelsSet {
    TerminalOutputModel getRegular();
}

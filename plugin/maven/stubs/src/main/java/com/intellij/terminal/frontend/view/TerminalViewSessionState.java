package com.intellij.terminal.frontend.view;

/** Since 2025.3. */
public interface TerminalViewSessionState {
    final class Terminated implements TerminalViewSessionState {
        private Terminated() {}
    }
}

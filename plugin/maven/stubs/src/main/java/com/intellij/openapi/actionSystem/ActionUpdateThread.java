package com.intellij.openapi.actionSystem;

/** Since 2022.2. */
public enum ActionUpdateThread {
    BGT,
    EDT,
    OLD_EDT
}

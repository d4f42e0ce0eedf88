package com.intellij.openapi.ui.popup;

/** Older than 2020.1, whose archive lacks it; popups extend it. */
public interface LightweightWindow {
}

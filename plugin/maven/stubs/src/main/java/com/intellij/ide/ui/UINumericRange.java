package com.intellij.ide.ui;

/** Used by the editor settings of 2020.1 that tests load, and missing from the jar that brings them. */
public class UINumericRange {
    public final int initial;
    public final int min;
    public final int max;

    public UINumericRange(int initial, int min, int max) {
        this.initial = initial;
        this.min = min;
        this.max = max;
    }

    public int fit(int value) {
        return Math.max(min, Math.min(max, value));
    }
}

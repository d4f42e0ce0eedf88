package com.intellij.ui;

/** A supertype of the editor's field, which the archive of 2020.1 lacks. */
public interface TextAccessor {
    void setText(String text);

    String getText();
}

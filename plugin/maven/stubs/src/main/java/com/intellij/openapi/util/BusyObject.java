package com.intellij.openapi.util;

/** Named by classes of 2020.1 that tests load, and missing from the jar that brings them. */
public interface BusyObject {
    ActionCallback getReady(Object requestor);
}

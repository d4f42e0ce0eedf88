package com.intellij.formatting.service;

import com.intellij.openapi.util.Key;

/** Since 2021.3. */
public abstract class AsyncDocumentFormattingService {
    public static final Key<Boolean> FORMAT_DOCUMENT_SYNCHRONOUSLY = Key.create("FORMAT_DOCUMENT_SYNCHRONOUSLY");
}

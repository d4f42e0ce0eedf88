package com.intellij.ide.trustedProjects;

import com.intellij.openapi.project.Project;

/** In this package since 2023.2. */
public final class TrustedProjects {
    private TrustedProjects() {
    }

    public static boolean isProjectTrusted(Project project) {
        throw new UnsupportedOperationException();
    }
}

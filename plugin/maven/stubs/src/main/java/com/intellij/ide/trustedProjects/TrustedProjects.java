package com.intellij.ide.trustedProjects;

import com.intellij.openapi.project.Project;

/** For plugins since 2025.3 at the latest; the class was internal before. */
public final class TrustedProjects {
    private TrustedProjects() {
    }

    public static boolean isProjectTrusted(Project project) {
        throw new UnsupportedOperationException();
    }
}

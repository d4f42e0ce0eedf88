package com.intellij.ide.trustedProjects

import com.intellij.openapi.project.Project

/** The platform's jar has no such class, and the one that main code is compiled against answers nobody. */
object TrustedProjects {
    /** Those that a person has said yes to. */
    @Volatile
    var trusted: Set<Project> = emptySet()

    @JvmStatic
    fun isProjectTrusted(project: Project): Boolean = project in trusted
}

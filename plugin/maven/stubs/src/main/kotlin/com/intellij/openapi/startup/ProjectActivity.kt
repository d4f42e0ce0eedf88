package com.intellij.openapi.startup

import com.intellij.openapi.project.Project

/** Since 2023.1. */
interface ProjectActivity {
    suspend fun execute(project: Project)
}

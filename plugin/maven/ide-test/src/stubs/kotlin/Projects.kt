/* Signatures of a test's project, as in tools/intellij.tools.ide.starter of intellij-community. Compiled against, never run. */
@file:Suppress("unused")

package com.intellij.ide.starter.project

import java.nio.file.Path

interface ProjectInfoSpec

data class LocalProjectInfo(val projectDir: Path) : ProjectInfoSpec

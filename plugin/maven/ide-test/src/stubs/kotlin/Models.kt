/* Signatures of what a test runs on, as in tools/intellij.tools.ide.starter of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.ide.starter.models

import com.intellij.ide.starter.project.ProjectInfoSpec

class IdeInfo

class TestCase<T : ProjectInfoSpec>(val ideInfo: IdeInfo, val projectInfo: T) {
    fun withVersion(version: String): TestCase<T> = TODO()
}

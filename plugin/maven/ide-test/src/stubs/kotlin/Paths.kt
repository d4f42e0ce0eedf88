/* Signatures of where an IDE keeps its files, as in tools/intellij.tools.ide.starter of intellij-community. Compiled against, never run. */
@file:Suppress("unused")

package com.intellij.ide.starter.path

import java.nio.file.Path

open class IDEDataPaths {
    val configDir: Path get() = TODO()
}

/* Signatures of putting a plugin into an IDE, as in tools/intellij.tools.ide.starter of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.ide.starter.plugins

import com.intellij.ide.starter.ide.IDETestContext
import java.nio.file.Path

open class PluginConfigurator(val testContext: IDETestContext) {
    fun installPluginFromPath(pathToPluginArchive: Path): PluginConfigurator = TODO()
}

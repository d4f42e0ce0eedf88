/* Signatures of an IDE that a test is about to start, as in tools/intellij.tools.ide.starter of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.ide.starter.ide

import com.intellij.ide.starter.models.IdeInfo
import com.intellij.ide.starter.path.IDEDataPaths
import java.nio.file.Path

object IdeProductProvider {
    val IU: IdeInfo = TODO()
}

open class IDETestContext {
    val paths: IDEDataPaths get() = TODO()
    val resolvedProjectHome: Path get() = TODO()

    fun addProjectToTrustedLocations(): IDETestContext = TODO()
}

/* Signatures of a running IDE under a driver, as in tools/intellij.tools.ide.starter.driver of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.ide.starter.driver.engine

import com.intellij.driver.client.Driver
import com.intellij.ide.starter.ide.IDETestContext

open class BackgroundRun {
    fun <R> useDriverAndCloseIde(block: Driver.() -> R): Any = TODO()
}

fun IDETestContext.runIdeWithDriver(): BackgroundRun = TODO()

/* Signatures of the driver's functions, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk

import com.intellij.driver.client.Driver
import kotlin.time.Duration

fun Driver.invokeAction(actionId: String, now: Boolean = true): Unit = TODO()

interface Project

fun Driver.singleProject(): Project = TODO()

interface VirtualFile

fun Driver.findFile(relativePath: String, project: Project? = null): VirtualFile? = TODO()

fun Driver.openFile(relativePath: String): Unit = TODO()

fun Driver.waitForIndicators(timeout: Duration): Unit = TODO()

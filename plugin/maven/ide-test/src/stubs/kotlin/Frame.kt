/* Signatures of the driver's frame of a project, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui.components.common

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.ui.components.UiComponent

open class IdeaFrameUI : UiComponent()

fun Driver.ideFrame(action: IdeaFrameUI.() -> Unit = {}): IdeaFrameUI = TODO()

/* Signatures of the driver's components, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui.components

import com.intellij.driver.sdk.ui.Finder
import com.intellij.driver.sdk.ui.UiText
import com.intellij.driver.sdk.ui.keyboard.WithKeyboard
import java.awt.Point
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

open class UiComponent : Finder, WithKeyboard {
    fun click(point: Point? = null, silent: Boolean = false): Unit = TODO()

    fun rightClick(point: Point? = null): Unit = TODO()

    fun present(): Boolean = TODO()

    fun notPresent(): Boolean = TODO()

    fun isEnabled(): Boolean = TODO()

    fun getAllTexts(filter: ((UiText) -> Boolean)? = null): List<UiText> = TODO()

    fun waitContainsText(text: String, ignoreCase: Boolean = true, timeout: Duration = 15.seconds): Unit = TODO()

    companion object {
        fun <T : UiComponent> T.waitFound(timeout: Duration? = 15.seconds): T = TODO()
    }
}

class UIComponentsList<T : UiComponent> {
    fun list(): List<T> = TODO()
}

/* Signatures of the driver's keyboard, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui.keyboard

interface WithKeyboard {
    fun keyboard(keyboardActions: RemoteKeyboard.() -> Unit): Unit = TODO()
}

class RemoteKeyboard {
    fun enter(): Unit = TODO()

    fun escape(): Unit = TODO()

    fun typeText(text: String, delayBetweenCharsInMs: Long = 50): Unit = TODO()
}

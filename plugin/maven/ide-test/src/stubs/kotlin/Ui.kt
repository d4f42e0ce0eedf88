/* Signatures of how the driver finds components, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui

import com.intellij.driver.client.Driver
import com.intellij.driver.sdk.ui.components.UIComponentsList
import com.intellij.driver.sdk.ui.components.UiComponent
import com.intellij.driver.sdk.ui.keyboard.WithKeyboard

class UiText {
    val text: String get() = TODO()
}

interface Finder {
    fun x(xpath: String): UiComponent = TODO()

    fun x(init: QueryBuilder.() -> String): UiComponent = TODO()

    fun xx(init: QueryBuilder.() -> String): UIComponentsList<UiComponent> = TODO()
}

open class UiRobot : WithKeyboard, Finder

val Driver.ui: UiRobot get() = TODO()

class QueryBuilder {
    fun byAccessibleName(name: String): String = TODO()

    fun byVisibleText(text: String): String = TODO()

    fun byClass(cls: String): String = TODO()

    fun contains(condition: String): String = TODO()
}

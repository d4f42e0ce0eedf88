/* Signatures of how the driver finds components, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui

import com.intellij.driver.sdk.ui.components.UiComponent

class UiText {
    val text: String get() = TODO()
}

interface Finder {
    fun x(init: QueryBuilder.() -> String): UiComponent = TODO()
}

class QueryBuilder {
    fun byAccessibleName(name: String): String = TODO()

    fun byVisibleText(text: String): String = TODO()

    fun byClass(cls: String): String = TODO()
}

/* Signatures of the driver's trees, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui.components.elements

import com.intellij.driver.sdk.ui.Finder
import com.intellij.driver.sdk.ui.components.UiComponent

open class JTreeUiComponent : UiComponent() {
    fun rightClickRow(predicate: (String) -> Boolean): Unit = TODO()
}

fun Finder.tree(xpath: String? = null): JTreeUiComponent = TODO()

/* Signatures of the driver's menus, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui.components.elements

import com.intellij.driver.sdk.ui.Finder
import com.intellij.driver.sdk.ui.QueryBuilder
import com.intellij.driver.sdk.ui.components.UiComponent

class PopupMenuUiComponent : UiComponent() {
    fun select(vararg items: String): Unit = TODO()
}

fun Finder.popupMenu(locator: QueryBuilder.() -> String = { byClass("MyMenu") }): PopupMenuUiComponent = TODO()

/* Signatures of the driver's editors and their tabs, as in platform/remote-driver/test-sdk of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.sdk.ui.components.common

import com.intellij.driver.sdk.ui.Finder
import com.intellij.driver.sdk.ui.components.UiComponent

class EditorTabsUiComponent : UiComponent() {
    fun isTabOpened(text: String): Boolean = TODO()
}

fun Finder.editorTabs(xpath: String? = null, action: EditorTabsUiComponent.() -> Unit = {}): EditorTabsUiComponent = TODO()

open class JEditorUiComponent : UiComponent() {
    fun goToLine(line: Int): Unit = TODO()

    fun invokeIntentionAction(intentionActionName: String): Unit = TODO()
}

fun Finder.codeEditor(xpath: String? = null): JEditorUiComponent = TODO()

interface GutterMark {
    fun getTooltipText(): String?
}

class GutterUiComponent : UiComponent() {
    val icons: List<GutterIcon> get() = TODO()

    inner class GutterIcon {
        val mark: GutterMark get() = TODO()

        fun click(): Unit = TODO()
    }
}

fun Finder.gutter(xpath: String = ""): GutterUiComponent = TODO()

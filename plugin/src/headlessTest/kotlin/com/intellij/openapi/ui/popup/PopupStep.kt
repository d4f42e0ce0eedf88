package com.intellij.openapi.ui.popup

/** A class of the platform that is not in the archive compiled against; functions of the popups' factory have it as a type. */
interface PopupStep<T>

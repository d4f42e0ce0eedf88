package com.intellij.internal.statistic.eventLog

import com.intellij.lang.Language

/** In place of the platform's, which the jar lacks and a rename fills: keeps nothing. */
@Suppress("unused")
class FeatureUsageData {
    fun addData(key: String, value: String) = this

    fun addData(key: String, value: Boolean) = this

    fun addLanguage(language: Language?) = this
}

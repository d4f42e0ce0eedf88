package com.intellij.internal.statistic.service.fus.collectors

import com.intellij.internal.statistic.eventLog.FeatureUsageData
import com.intellij.openapi.project.Project

/** In place of the platform's, which the jar lacks and a rename calls: counts nothing. */
@Suppress("unused")
class FUCounterUsageLogger {
    fun logEvent(project: Project?, group: String, event: String, data: FeatureUsageData) = Unit

    companion object {
        private val none = FUCounterUsageLogger()

        @JvmStatic
        fun getInstance() = none
    }
}

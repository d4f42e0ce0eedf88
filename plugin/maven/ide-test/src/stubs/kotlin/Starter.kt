/* Signatures of what starts an IDE, as in tools/intellij.tools.ide.starter of intellij-community. Compiled against, never run. */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.ide.starter.runner

import com.intellij.ide.starter.ide.IDETestContext
import com.intellij.ide.starter.models.TestCase

object Starter {
    fun newContext(testName: String, testCase: TestCase<*>): IDETestContext = TODO()
}

/*
 * Signatures of the driver's client, as in platform/remote-driver/client of intellij-community: what plugin/src/ideTest
 * uses of it. Compiled against, never run.
 */
@file:Suppress("unused", "UNUSED_PARAMETER")

package com.intellij.driver.client

import kotlin.reflect.KClass

annotation class Remote(val value: String, val plugin: String = "", val serviceInterface: String = "")

interface Driver : AutoCloseable {
    fun <T : Any> utility(clazz: KClass<T>): T

    fun <T : Any> new(clazz: KClass<T>, vararg args: Any?): T
}

inline fun <reified T : Any> Driver.utility(): T = utility(T::class)

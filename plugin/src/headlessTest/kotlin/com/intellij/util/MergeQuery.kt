package com.intellij.util

/** In place of the platform's, which the jar lacks: the results of one query, then those of another. */
@Suppress("unused")
class MergeQuery<T>(private val first: Query<out T>, private val second: Query<out T>) : AbstractQuery<T>() {
    override fun processResults(consumer: Processor<in T>): Boolean = first.forEach(consumer) && second.forEach(consumer)
}

@file:JvmName("Promises")

package org.jetbrains.concurrency

import com.intellij.util.Function
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.function.Consumer

/*
 * The platform's non-blocking read actions are made of promises, and the jar that brings the platform's classes to
 * these tests lacks the promises' own class. This is as much of it as a read action uses.
 */

open class AsyncPromise<T> : CompletableFuture<T>(), CancellablePromise<T> {
    open fun setResult(result: T) {
        complete(result)
    }

    open fun setError(error: Throwable): Boolean = completeExceptionally(error)

    override fun cancel() {
        cancel(true)
    }

    override fun getState(): Promise.State = when {
        !isDone -> Promise.State.PENDING
        isCompletedExceptionally -> Promise.State.REJECTED
        else -> Promise.State.SUCCEEDED
    }

    override fun blockingGet(timeout: Int, unit: TimeUnit): T? = get(timeout.toLong(), unit)

    override fun onSuccess(handler: Consumer<in T>): CancellablePromise<T> = apply { thenAccept(handler) }

    override fun onError(handler: Consumer<in Throwable>): CancellablePromise<T> =
        apply { exceptionally { error -> null.also { handler.accept(error) } } }

    override fun onProcessed(handler: Consumer<in T>): CancellablePromise<T> =
        apply { whenComplete { result, _ -> handler.accept(result) } }

    override fun processed(child: Promise<in T>): Promise<T> = absent()

    override fun <S : Any?> then(done: Function<in T, out S>): Promise<S> = absent()

    override fun <S : Any?> thenAsync(done: Function<in T, out Promise<S>>): Promise<S> = absent()

    private fun absent(): Nothing = throw UnsupportedOperationException("read actions do not use this")
}

fun isPending(promise: Promise<*>): Boolean = promise.state == Promise.State.PENDING

fun isRejected(promise: Promise<*>): Boolean = promise.state == Promise.State.REJECTED

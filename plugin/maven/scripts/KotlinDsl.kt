/*
 * What the Gradle scripts use of the Kotlin DSL and of the accessors that Gradle generates for them, as declarations that are
 * compiled and never run.
 */
@file:Suppress("unused", "UNUSED_PARAMETER", "UNCHECKED_CAST")

package org.gradle.kotlin.dsl

import org.gradle.api.*
import org.gradle.api.artifacts.Dependency
import org.gradle.api.artifacts.dsl.*
import org.gradle.api.file.*
import org.gradle.api.initialization.Settings
import org.gradle.api.provider.*
import org.gradle.api.tasks.*
import org.gradle.plugin.use.*

fun <T> Property<T>.assign(value: T?) = set(value)
fun <T> Property<T>.assign(value: Provider<out T>) = set(value)
inline fun <reified S : Any> DomainObjectCollection<in S>.withType(): DomainObjectCollection<S> =
    (this as DomainObjectCollection<Any>).withType(S::class.java) as DomainObjectCollection<S>
inline fun <reified T : Task> TaskContainer.register(name: String, action: Action<in T>): TaskProvider<T> = register(name, T::class.java, action)
operator fun TaskContainer.invoke(action: Action<in TaskContainer>) = action.execute(this)
fun TaskContainer.wrapper(action: Action<org.gradle.api.tasks.wrapper.Wrapper>) {}
fun TaskContainer.test(action: Action<org.gradle.api.tasks.testing.Test>) {}
fun TaskContainer.buildPlugin(action: Action<org.jetbrains.intellij.platform.gradle.tasks.BuildPluginTask>) {}
fun Project.intellijPlatform(action: Action<org.jetbrains.intellij.platform.gradle.extensions.IntelliJPlatformExtension>) {}
fun DependencyHandler.intellijPlatform(action: Action<org.jetbrains.intellij.platform.gradle.extensions.IntelliJPlatformDependenciesExtension>) {}
fun DependencyHandler.testImplementation(notation: Any): Dependency? = null
fun DependencyHandler.testRuntimeOnly(notation: Any): Dependency? = null
fun Project.dependencies(action: Action<DependencyHandler>) {}
fun Project.kotlin(action: Action<org.jetbrains.kotlin.gradle.dsl.KotlinJvmExtension>) {}
fun Project.sourceSets(action: Action<SourceSetContainer>) {}
fun SourceSetContainer.main(action: Action<SourceSet>) {}
fun SourceSetContainer.test(action: Action<SourceSet>) {}
val SourceSet.kotlin: SourceDirectorySet get() = TODO()
fun Project.plugins(action: Action<PluginDependenciesSpec>) {}
fun Settings.plugins(action: Action<PluginDependenciesSpec>) {}
infix fun PluginDependencySpec.version(version: String): PluginDependencySpec = version(version)
val Project.sourceSets: SourceSetContainer get() = TODO()
val Project.intellijPlatformTesting: org.jetbrains.intellij.platform.gradle.extensions.IntelliJPlatformTestingExtension get() = TODO()
val TaskContainer.buildPlugin: TaskProvider<org.jetbrains.intellij.platform.gradle.tasks.BuildPluginTask> get() = TODO()
fun <T : Any> NamedDomainObjectContainer<T>.registering(action: T.() -> Unit): Lazy<NamedDomainObjectProvider<T>> = TODO()
operator fun <T : Any> NamedDomainObjectCollection<T>.get(name: String): T = getByName(name)
operator fun String.invoke(notation: Any): Dependency? = null

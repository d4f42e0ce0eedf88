package dev.siderail

import dev.siderail.bridge.NativeLoader
import org.junit.jupiter.api.Assumptions.assumeTrue
import java.nio.file.Files
import java.nio.file.Path

/** What `cargo xtask natives` builds for tests: without it they are left out, or fail where they are wanted. */
object TestPrograms {
    private val natives = Path.of(System.getProperty("siderail.natives"))

    /** Where the library's copy is made. */
    val copies: Path by lazy { TestFolders.create("copies") }

    /** The real library, loaded, and the relay. */
    val library: NativeLoader.Loaded.Ready by lazy {
        need(natives.resolve(NativeLoader.platform()))
        when (val loaded = NativeLoader.load(natives, copies)) {
            is NativeLoader.Loaded.Ready -> loaded
            is NativeLoader.Loaded.Failed -> error("${loaded.reason}: ${loaded.path}")
        }
    }

    /** The library's file. */
    val file: Path
        get() = natives.resolve(NativeLoader.platform()).resolve(System.mapLibraryName("siderail_jni")).also(::need)

    /** The engine's file tools alone, loaded. */
    val tools: Unit by lazy {
        val file = natives.resolveSibling("test-programs").resolve(System.mapLibraryName("tools")).also(::need)
        System.load(file.toString())
    }

    /** The scripted agent. */
    val agent: Path get() = natives.resolveSibling("test-programs").resolve("siderail-scripted-agent").also(::need)

    private fun need(path: Path) {
        val isThere = Files.exists(path)
        val text = "$path is missing: run `cargo xtask natives`"
        check(isThere || !java.lang.Boolean.getBoolean("siderail.natives.required")) { text }
        assumeTrue(isThere, text)
    }
}

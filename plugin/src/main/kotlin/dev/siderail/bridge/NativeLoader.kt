package dev.siderail.bridge

import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE

/**
 * Loads the native library from a copy of its own.
 *
 * A library that was loaded from a path cannot be loaded from it again by another class loader, and on Windows
 * its file cannot be replaced; so every load gets a new copy. It is removed as soon as it is loaded where the system
 * lets a file in use go, and elsewhere by the next process that loads one.
 * The relay beside it is a program: it is used where it lies. Knows no class of the platform.
 */
object NativeLoader {
    /** The outcome of loading. */
    sealed interface Loaded {
        /** The library is there; [relay] is the program that agents start. */
        data class Ready(val relay: Path) : Loaded

        /** There is no library for this machine, or it cannot be loaded. [path] is what was tried. */
        data class Failed(val reason: String, val path: Path, val hint: String?) : Loaded
    }

    private var loaded: Loaded? = null

    /**
     * Loads the library, once for this class loader; later calls get the first answer.
     *
     * @param natives the folder that holds one folder per platform
     * @param copies a folder of this plugin's own, on a file system from which programs may be loaded
     */
    @Synchronized
    fun load(natives: Path, copies: Path): Loaded =
        loaded ?: attempt(natives.resolve(platform()), copies).also { loaded = it }

    /** `linux-x86_64`, `macos-aarch64` …, as the folders of natives are named. */
    fun platform(
        system: String = System.getProperty("os.name").orEmpty(),
        machine: String = System.getProperty("os.arch").orEmpty(),
    ): String {
        val os = when {
            system.startsWith("Linux", ignoreCase = true) -> "linux"
            system.startsWith("Mac", ignoreCase = true) -> "macos"
            system.startsWith("Windows", ignoreCase = true) -> "windows"
            else -> system.lowercase().replace(' ', '-')
        }
        val arch = when (machine) {
            "amd64", "x86_64" -> "x86_64"
            "aarch64", "arm64" -> "aarch64"
            else -> machine
        }
        return "$os-$arch"
    }

    private fun attempt(folder: Path, copies: Path): Loaded {
        val library = folder.resolve(System.mapLibraryName("siderail_jni"))
        if (!Files.isRegularFile(library)) {
            return Loaded.Failed("there is no native library for this machine (${folder.fileName})", library, here(folder))
        }
        val kind = NativeKind.of(library)
        if (kind != folder.fileName.toString()) {
            return Loaded.Failed("the native library for ${folder.fileName} is $kind", library, here(folder))
        }
        return try {
            val relay = program(folder)
            val copy = copy(library, copies)
            System.load(copy.toString())
            putAway()
            val version = Native.abiVersion()
            if (version == Native.ABI_VERSION) {
                Loaded.Ready(relay)
            } else {
                val reason = "the native library speaks version $version of the boundary, not ${Native.ABI_VERSION}"
                Loaded.Failed(reason, library, "install the plugin again")
            }
        } catch (e: IOException) {
            Loaded.Failed("the native library cannot be prepared: $e", library, "check free space and rights of $copies")
        } catch (e: LinkageError) {
            Loaded.Failed("the native library cannot be loaded: ${e.message}", library, loadHint(library))
        } catch (e: SecurityException) {
            Loaded.Failed("the native library may not be loaded: ${e.message}", library, null)
        }
    }

    /** What there should be and what there is. */
    private fun here(folder: Path): String {
        val parent = folder.parent
        val found = try {
            Files.list(parent).use { entries -> entries.map { it.fileName.toString() }.sorted().toList() }
        } catch (_: IOException) {
            emptyList()
        }
        val names = NativeKind.PLATFORMS.joinToString()
        val there = if (found.isEmpty()) "nothing" else found.joinToString()
        return "the plugin has libraries for $names; in $parent there is $there: install the plugin again, from its whole archive"
    }

    /** The relay, made executable where unpacking took that from it. */
    private fun program(folder: Path): Path {
        val name = if (folder.fileName.toString().startsWith("windows")) "siderail-relay.exe" else "siderail-relay"
        val relay = folder.resolve(name)
        if (!Files.isRegularFile(relay)) throw IOException("$relay is missing")
        if (!Files.isExecutable(relay) && !relay.toFile().setExecutable(true)) {
            throw IOException("$relay cannot be made executable")
        }
        return relay
    }

    /** A copy that lasts as long as this process. */
    private fun copy(library: Path, copies: Path): Path {
        val folder = LockedFolder.create(copies, "").also { held += it }.path
        val partial = folder.resolve("partial")
        Files.copy(library, partial)
        return Files.move(partial, folder.resolve(library.fileName.toString()), ATOMIC_MOVE).toAbsolutePath()
    }

    /** Locked until the process ends where a loaded library's file cannot be removed before. */
    private val held = mutableListOf<LockedFolder>()

    /** A mapped file lives on without its name; on Windows it cannot be without. */
    private fun putAway() {
        if (platform().startsWith("windows")) return
        held.forEach(LockedFolder::close)
        held.clear()
    }

    private fun loadHint(library: Path): String? =
        if (platform().startsWith("macos")) "xattr -dr com.apple.quarantine '${library.parent}'" else null
}

package dev.siderail.tools

import com.intellij.openapi.application.ApplicationInfo
import com.intellij.openapi.module.ModuleManager
import com.intellij.openapi.project.DumbService
import com.intellij.openapi.project.Project
import dev.siderail.document.DocumentReader
import dev.siderail.psi.ProjectFiles
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.util.TreeMap
import java.util.TreeSet

/** `get_project_info`. */
internal class ProjectInfo(
    private val project: Project,
    private val reader: DocumentReader,
    private val files: ProjectFiles,
) : Tool {
    override val name get() = "get_project_info"

    override fun run(call: ToolCall): ToolResult {
        val survey = Survey()
        val root = call.folder.resolve(".")
        reader.find(root, call.patience)?.let { folder ->
            files.visit(folder) { file ->
                call.patience.check()
                survey.add(ProjectPath.of(root, folder, file))
            }
        }
        return ToolResult(describe(call.folder.root, survey))
    }

    private fun describe(root: Path, survey: Survey): String = buildString {
        append("project $root\n")
        append("IDE: ${ide()}\n")
        append("git: ${GitState.of(root)}\n")
        append("build systems: ${listed(survey.systems, "none found")}\n")
        val modules = project.getService(ModuleManager::class.java)?.modules.orEmpty().map { it.name }.sorted()
        if (modules.size > 1) append("modules of the IDE (${modules.size}): ${listed(modules, "")}\n")
        if (survey.folders.size > 1) append("modules (${survey.folders.size}): ${listed(survey.folders, "")}\n")
        append("languages (files): ${listed(survey.languages(), "none recognised")}\n")
        append("files: ${survey.files}\n")
        if (DumbService.isDumb(project)) append("The IDE is indexing: symbols and references are not known yet.\n")
        if (survey.isCut) append("Not complete: the project has more files than were looked at.\n")
    }

    private fun ide(): String = ApplicationInfo.getInstance()?.let { "${it.versionName} ${it.fullVersion}" } ?: "unknown"

    private fun listed(items: Collection<String>, nothing: String): String {
        if (items.isEmpty()) return nothing
        val more = items.size - MOST_NAMED
        return items.take(MOST_NAMED).joinToString(", ") + if (more > 0) " and $more more" else ""
    }

    private companion object {
        const val MOST_NAMED = 30
    }
}

/** The branch, read from git's own files: no program is started for it. */
internal object GitState {
    private const val HASH = 12

    fun of(root: Path): String {
        val folder = generateSequence(root) { it.parent }.firstNotNullOfOrNull { gitFolder(it.resolve(".git")) }
        val head = folder?.let { readText(it.resolve("HEAD")) }?.trim() ?: return "no repository"
        val branch = head.removePrefix("ref: refs/heads/")
        return if (branch != head) "branch $branch" else "detached at ${head.take(HASH)}"
    }

    /** A worktree's `.git` is a file that names the folder. */
    private fun gitFolder(entry: Path): Path? {
        if (Files.isDirectory(entry)) return entry
        val named = readText(entry)?.trim()?.takeIf { it.startsWith("gitdir: ") } ?: return null
        return entry.resolveSibling(named.removePrefix("gitdir: "))
    }

    private fun readText(file: Path): String? = try {
        if (Files.isRegularFile(file)) Files.readString(file) else null
    } catch (_: IOException) {
        null
    }
}

/** What a project's files tell. */
internal class Survey {
    val systems = TreeSet<String>()

    /** Folders with a build file. */
    val folders = TreeSet<String>()
    private val byExtension = TreeMap<String, Int>()
    var files = 0
        private set
    var isCut = false
        private set

    /** Adds a file by its path in the project; false when that is enough. */
    fun add(path: String): Boolean {
        if (files == MOST_FILES) {
            isCut = true
            return false
        }
        files++
        val names = path.split('/')
        byExtension.merge(names.last().substringAfterLast('.', "").lowercase(), 1, Int::plus)
        val system = MANIFESTS[names.last()]
        if (system != null && names.size <= DEPTH) {
            systems.add(system)
            folders.add(path.substringBeforeLast('/', "."))
        }
        return true
    }

    fun languages(): List<String> = LANGUAGES
        .map { (language, endings) -> language to endings.split(' ').sumOf { byExtension[it] ?: 0 } }
        .filter { it.second > 0 }
        .sortedWith(compareBy({ -it.second }, { it.first }))
        .take(MOST_LANGUAGES)
        .map { "${it.first} ${it.second}" }

    private companion object {
        const val MOST_FILES = 200_000
        const val MOST_LANGUAGES = 12

        /** Folders below the project in which build files are looked for. */
        const val DEPTH = 5

        /** Files that name a build system. */
        val MANIFESTS = mapOf(
            "build.gradle" to "Gradle",
            "build.gradle.kts" to "Gradle",
            "settings.gradle" to "Gradle",
            "settings.gradle.kts" to "Gradle",
            "pom.xml" to "Maven",
            "Cargo.toml" to "Cargo",
            "package.json" to "Node",
            "pyproject.toml" to "Python",
            "setup.py" to "Python",
            "requirements.txt" to "Python",
            "go.mod" to "Go",
            "CMakeLists.txt" to "CMake",
            "Makefile" to "Make",
            "meson.build" to "Meson",
            "MODULE.bazel" to "Bazel",
            "WORKSPACE" to "Bazel",
            "build.sbt" to "sbt",
            "Gemfile" to "Ruby",
            "composer.json" to "PHP Composer",
            "Package.swift" to "Swift",
            "mix.exs" to "Elixir",
            "global.json" to ".NET",
        )

        val LANGUAGES = listOf(
            "Java" to "java",
            "Kotlin" to "kt kts",
            "Groovy" to "groovy gradle",
            "Scala" to "scala sc",
            "Rust" to "rs",
            "C" to "c h",
            "C++" to "cc cpp cxx hpp hh",
            "C#" to "cs",
            "F#" to "fs fsx",
            "Go" to "go",
            "Python" to "py pyi",
            "JavaScript" to "js jsx mjs cjs",
            "TypeScript" to "ts tsx mts cts",
            "Vue" to "vue",
            "Svelte" to "svelte",
            "Ruby" to "rb",
            "PHP" to "php",
            "Swift" to "swift",
            "Objective-C" to "m mm",
            "Dart" to "dart",
            "Elixir" to "ex exs",
            "Shell" to "sh bash zsh fish",
            "SQL" to "sql",
            "HTML" to "html htm",
            "CSS" to "css scss sass less",
            "Markdown" to "md",
        )
    }
}

/* What the scenarios' projects are made of. Knows nothing of a running IDE. */
package dev.siderail.ide

import java.nio.file.Path

/** `src` is a module's folder of sources, so that imports lead somewhere; `out` is excluded. */
internal val sourceRoot = mapOf(
    "project.iml" to """
        <module type="JAVA_MODULE" version="4">
          <component name="NewModuleRootManager" inherit-compiler-output="true">
            <content url="file://${'$'}MODULE_DIR${'$'}">
              <sourceFolder url="file://${'$'}MODULE_DIR${'$'}/src" isTestSource="false" />
              <excludeFolder url="file://${'$'}MODULE_DIR${'$'}/out" />
            </content>
          </component>
        </module>
    """.trimIndent(),
    ".idea/modules.xml" to """
        <project version="4">
          <component name="ProjectModuleManager">
            <modules>
              <module fileurl="file://${'$'}PROJECT_DIR${'$'}/project.iml" filepath="${'$'}PROJECT_DIR${'$'}/project.iml" />
            </modules>
          </component>
        </project>
    """.trimIndent(),
)

/** An empty repository. */
internal val git = repository() + versioned("")

/** Two content roots, of which only `src` is in a repository. */
internal val gitInOneOfTwoRoots = repository("src/") + versioned("${'$'}PROJECT_DIR${'$'}/src") + mapOf(
    "project.iml" to """
        <module type="JAVA_MODULE" version="4">
          <component name="NewModuleRootManager" inherit-compiler-output="true">
            <content url="file://${'$'}MODULE_DIR${'$'}/src" />
            <content url="file://${'$'}MODULE_DIR${'$'}/loose" />
          </component>
        </module>
    """.trimIndent(),
)

private fun repository(folder: String = "") = mapOf(
    "$folder.git/HEAD" to "ref: refs/heads/main\n",
    "$folder.git/config" to "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    "$folder.git/objects/info/keep" to "",
    "$folder.git/refs/heads/keep.d/keep" to "",
)

private fun versioned(directory: String) = ".idea/vcs.xml" to """
    <project version="4">
      <component name="VcsDirectoryMappings">
        <mapping directory="$directory" vcs="Git" />
      </component>
    </project>
""".trimIndent()

/** Adds a file to the index of the repository in [project]: a change that is not committed. */
internal fun stage(project: Path, path: String) {
    val exit = ProcessBuilder("git", "add", path).directory(project.toFile()).inheritIO().start().waitFor()
    check(exit == 0) { "git add $path ended with exit code $exit" }
}

/** The project's file of that name is in windows-1252. */
internal fun inWindows1252(path: String) = ".idea/encodings.xml" to """
    <project version="4">
      <component name="Encoding">
        <file url="file://${'$'}PROJECT_DIR${'$'}/$path" charset="windows-1252" />
      </component>
    </project>
""".trimIndent()

/** A run configuration that runs a line of shell. */
internal fun shellConfiguration(name: String, line: String) = ".idea/runConfigurations/$name.xml" to """
    <component name="ProjectRunConfigurationManager">
      <configuration default="false" name="$name" type="ShConfigurationType">
        <option name="SCRIPT_TEXT" value="$line" />
        <option name="INDEPENDENT_SCRIPT_PATH" value="true" />
        <option name="SCRIPT_PATH" value="" />
        <option name="SCRIPT_OPTIONS" value="" />
        <option name="INDEPENDENT_SCRIPT_WORKING_DIRECTORY" value="true" />
        <option name="SCRIPT_WORKING_DIRECTORY" value="${'$'}PROJECT_DIR${'$'}" />
        <option name="INDEPENDENT_INTERPRETER_PATH" value="true" />
        <option name="INTERPRETER_PATH" value="/bin/sh" />
        <option name="INTERPRETER_OPTIONS" value="" />
        <option name="EXECUTE_IN_TERMINAL" value="false" />
        <option name="EXECUTE_SCRIPT_FILE" value="false" />
        <envs />
        <method v="2" />
      </configuration>
    </component>
""".trimIndent()

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/**
 * Compiles the Gradle scripts as functions: {@code build.gradle.kts} with a project as receiver, {@code settings.gradle.kts}
 * with settings. What Gradle would generate for them, and its Kotlin DSL, is declared in KotlinDsl.kt.
 */
public final class CheckScripts {
    private static final String IMPORTS = """
        import org.gradle.api.*
        import org.gradle.api.initialization.*
        import org.gradle.api.tasks.*
        import org.gradle.api.tasks.compile.*
        import org.gradle.kotlin.dsl.*
        """;

    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        Path out = Files.createDirectories(Path.of(args[1]));
        String classpath = System.getProperty("java.class.path");
        String plugins = Arrays.stream(classpath.split(File.pathSeparator))
            .filter(jar -> jar.contains("-compiler-plugin-embeddable"))
            .collect(Collectors.joining(","));
        List<String> words = new ArrayList<>(List.of(
            "-no-stdlib", "-no-reflect", "-nowarn", "-Xskip-metadata-version-check", "-jvm-target", "17",
            "-Xplugin=" + plugins,
            "-P", "plugin:org.jetbrains.kotlin.samWithReceiver:annotation=org.gradle.api.HasImplicitReceiver",
            "-P", "plugin:org.jetbrains.kotlin.assignment:annotation=org.gradle.api.SupportsKotlinAssignmentOverloading",
            "-cp", classpath, "-d", out.resolve("classes").toString(),
            root.resolve("plugin/maven/scripts/KotlinDsl.kt").toString(),
            function(root.resolve("build.gradle.kts"), "Project", out).toString(),
            function(root.resolve("settings.gradle.kts"), "Settings", out).toString()));
        K2JVMCompiler.main(words.toArray(String[]::new));
    }

    /** The script as the body of a function. */
    private static Path function(Path script, String receiver, Path out) throws IOException {
        StringBuilder imports = new StringBuilder(IMPORTS);
        StringBuilder body = new StringBuilder();
        for (String line : Files.readAllLines(script)) {
            boolean isImport = line.startsWith("import ");
            if (isImport) imports.append(line).append('\n');
            body.append(isImport ? "" : line).append('\n');
        }
        Path file = out.resolve(receiver + "Script.kt");
        return Files.writeString(file, imports + "fun " + receiver + ".script() {\n" + body + "}\n");
    }
}

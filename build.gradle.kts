import org.jetbrains.intellij.platform.gradle.TestFrameworkType
import org.jetbrains.intellij.platform.gradle.tasks.PrepareSandboxTask
import org.jetbrains.kotlin.gradle.dsl.JvmTarget
import org.jetbrains.kotlin.gradle.dsl.KotlinVersion

plugins {
    id("org.jetbrains.kotlin.jvm")
    id("org.jetbrains.intellij.platform")
}

group = "dev.siderail"
version = "0.1.0"

val javaOfGradle = providers.systemProperty("java.home").get() + "/bin/java"
val src = layout.projectDirectory.dir("plugin/src")

// The tests in headlessTest are Maven's: they bring a platform of their own.
sourceSets {
    main {
        java.setSrcDirs(listOf(src.dir("main/java")))
        kotlin.setSrcDirs(listOf(src.dir("main/kotlin"), src.dir("main/java")))
        resources.setSrcDirs(listOf(src.dir("main/resources")))
    }
    test {
        java.setSrcDirs(emptyList<Any>())
        kotlin.setSrcDirs(listOf(src.dir("test/kotlin"), src.dir("platformTest/kotlin")))
        resources.setSrcDirs(listOf(src.dir("test/resources")))
    }
    // A whole IDE, started and driven from outside; type-checked by Maven's build, run by this one.
    create("ideTest") {
        java.setSrcDirs(emptyList<Any>())
        kotlin.setSrcDirs(listOf(src.dir("ideTest/kotlin")))
        resources.setSrcDirs(listOf(src.dir("ideTest/resources")))
    }
}

kotlin {
    jvmToolchain(21)
    compilerOptions {
        jvmTarget = JvmTarget.JVM_17
        languageVersion = KotlinVersion.KOTLIN_2_2
        apiVersion = KotlinVersion.KOTLIN_2_2
        freeCompilerArgs.addAll("-Xjdk-release=17", "-jvm-default=no-compatibility", "-java-parameters")
    }
}

tasks.withType<JavaCompile>().configureEach {
    options.release = 17
}

// -PintellijPlatform.localPath=FOLDER: an IDE of 2025.3 or 2026.1 that is installed already, in place of a download.
dependencies {
    intellijPlatform {
        val ide = providers.gradleProperty("intellijPlatform.localPath").orNull
        if (ide.isNullOrBlank()) intellijIdea("2025.3") else local(ide)
        bundledPlugin("org.jetbrains.plugins.terminal")
        bundledModule("intellij.terminal.frontend")
        testFramework(TestFrameworkType.Platform)
        testFramework(TestFrameworkType.Starter, configurationName = "ideTestImplementation")
        pluginVerifier()
    }
    testImplementation(platform("org.junit:junit-bom:5.13.4"))
    testImplementation("org.junit.jupiter:junit-jupiter")
    testImplementation("junit:junit:4.13.2")
    testImplementation("com.formdev:flatlaf:3.6.2")
    testRuntimeOnly("org.junit.vintage:junit-vintage-engine")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
    "ideTestImplementation"(platform("org.junit:junit-bom:5.13.4"))
    "ideTestImplementation"("org.junit.jupiter:junit-jupiter")
    "ideTestImplementation"("org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.10.1")
    "ideTestRuntimeOnly"("org.junit.platform:junit-platform-launcher")
}

intellijPlatform {
    buildSearchableOptions = false
    pluginConfiguration {
        changeNotes = providers.exec {
            workingDir = projectDir
            commandLine(javaOfGradle, "plugin/maven/ChangeNotes.java", "CHANGELOG.md")
        }.standardOutput.asText
        ideaVersion {
            sinceBuild = "253"
            untilBuild = provider { null }
        }
    }
    pluginVerification {
        ides {
            recommended()
        }
    }
}

val natives = tasks.register<Exec>("natives") {
    description = "Builds the native library and the relay of this platform."
    commandLine("cargo", "xtask", "natives")
    inputs.files(
        fileTree("rust") { include("**/*.rs", "**/*.toml", "**/*.json", "**/*.txt") },
        fileTree("xtask") { include("Cargo.toml", "src/**/*.rs") },
        fileTree(".cargo"),
        "Cargo.toml",
        "Cargo.lock",
        "docs/events.schema.json",
    ).withPathSensitivity(PathSensitivity.RELATIVE)
    outputs.dir("target/natives")
    outputs.dir("target/test-programs")
}

// What of it is packaged: no program of the tests.
val nativeParts = natives.map { layout.projectDirectory.dir("target/natives") }

val ideTest by intellijPlatformTesting.testIdeUi.registering {
    task {
        description = "Starts an IDE with the plugin's archive in it, and works in it as a person does."
        val tests = sourceSets["ideTest"]
        testClassesDirs = tests.output.classesDirs
        classpath = tests.runtimeClasspath
        dependsOn(natives, tasks.buildPlugin)
        useJUnitPlatform()
        testLogging {
            events("passed", "skipped", "failed")
        }
        systemProperty("siderail.plugin", tasks.buildPlugin.get().archiveFile.get().asFile.path)
        systemProperty("siderail.agent", file("target/test-programs/siderail-scripted-agent").path)
        systemProperty("siderail.ide.version", "2025.3")
    }
}

tasks {
    // `gradle wrapper` writes gradlew and its jar.
    wrapper {
        gradleVersion = "9.4.1"
        distributionSha256Sum = "2ab2958f2a1e51120c326cad6f385153bb11ee93b3c216c5fccebfdfbb7ec6cb"
    }
    // `runIde` and the tests each have a sandbox of their own.
    withType<PrepareSandboxTask>().configureEach {
        from(nativeParts) {
            into(pluginName.map { "$it/native" })
        }
    }
    buildPlugin {
        // Gradle gives every file in an archive the mode 0644.
        filesMatching("**/native/*/*") {
            permissions { unix("0755") }
        }
    }
    test {
        dependsOn(natives)
        // What the tests read besides the classes.
        inputs.files(
            fileTree("tests/boundary"),
            fileTree("plugin/src/main"),
            fileTree("plugin/src/ideTest"),
            fileTree("plugin/maven") { include("**/pom.xml", "**/zip.xml") },
            fileTree("rust") { include("**/src/**/*.rs") },
            fileTree("docs/screens"),
            fileTree(".run"),
            "plugin/pom.xml",
            "plugin/src/test/kotlin/dev/siderail/TestPrograms.kt",
            "gradle/wrapper/gradle-wrapper.properties",
            "build.gradle.kts",
            "settings.gradle.kts",
            "Cargo.toml",
            "docs/install.md",
            "docs/manual-check.md",
            "docs/usage.md",
            natives,
        ).withPathSensitivity(PathSensitivity.RELATIVE)
        useJUnitPlatform()
        systemProperty("siderail.root", projectDir.path)
        systemProperty("siderail.classes", layout.buildDirectory.dir("classes/kotlin/main").get().asFile.path)
        systemProperty("siderail.natives", file("target/natives").path)
        systemProperty("siderail.out", layout.buildDirectory.get().asFile.path)
        systemProperty("java.awt.headless", "true")
    }
}

//! Which build tools a folder uses, recognised by the files in it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::small_file;

/// A build file that is larger was not written by people.
pub const MOST_BYTES: u64 = 4 << 20;

/// A build tool that can run a project's tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the tool of that name")]
pub enum BuildTool {
    Gradle,
    Maven,
    Cargo,
    Node(Packager),
    Bun,
    Deno,
    Pytest,
    Go,
    Dotnet,
}

/// What runs the scripts of a `package.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the program of that name")]
pub enum Packager {
    Npm,
    Yarn,
    Pnpm,
}

const GRADLE: [&str; 5] = [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradlew",
];
const PYTEST: [&str; 5] = [
    "pytest.ini",
    "conftest.py",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
];

impl BuildTool {
    /// The tools of a folder; where there are several, the first is the likelier.
    pub fn of(folder: &Path) -> Vec<Self> {
        let has = |name: &str| folder.join(name).is_file();
        let mut tools = Vec::new();
        if GRADLE.iter().any(|name| has(name)) {
            tools.push(Self::Gradle);
        }
        if has("pom.xml") {
            tools.push(Self::Maven);
        }
        if has("Cargo.toml") {
            tools.push(Self::Cargo);
        }
        let is_bun = ["bun.lock", "bun.lockb", "bunfig.toml"]
            .iter()
            .any(|name| has(name));
        if is_bun && has("package.json") {
            tools.push(Self::Bun);
        } else if has_test_script(folder) {
            tools.push(Self::Node(Packager::of(folder)));
        }
        if has("deno.json") || has("deno.jsonc") {
            tools.push(Self::Deno);
        }
        if has("go.mod") || has("go.work") {
            tools.push(Self::Go);
        }
        if has_dotnet_project(folder) {
            tools.push(Self::Dotnet);
        }
        if PYTEST.iter().any(|name| has(name)) || has_python_tests(folder) {
            tools.push(Self::Pytest);
        }
        tools
    }

    /// Name for people and models.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gradle => "Gradle",
            Self::Maven => "Maven",
            Self::Cargo => "Cargo",
            Self::Node(Packager::Npm) => "npm",
            Self::Node(Packager::Yarn) => "yarn",
            Self::Node(Packager::Pnpm) => "pnpm",
            Self::Bun => "bun",
            Self::Deno => "deno",
            Self::Pytest => "pytest",
            Self::Go => "go",
            Self::Dotnet => "dotnet",
        }
    }

    /// A command that usually leaves a coverage report.
    pub fn coverage_command(self) -> &'static str {
        match self {
            Self::Gradle => "./gradlew test jacocoTestReport",
            Self::Maven => "mvn test jacoco:report",
            Self::Cargo => "cargo llvm-cov --lcov --output-path lcov.info",
            Self::Node(_) => "npx jest --coverage --coverageReporters=lcov",
            Self::Bun => "bun test --coverage --coverage-reporter=lcov",
            Self::Deno => "deno test --coverage && deno coverage --lcov --output=lcov.info",
            Self::Pytest => "python3 -m pytest --cov --cov-report=xml",
            Self::Go => {
                "go test -coverprofile=c.out ./... && gcov2lcov -infile c.out -outfile lcov.info"
            }
            Self::Dotnet => "dotnet test --collect:'XPlat Code Coverage'",
        }
    }

    /// Whether tests in files of that name are this tool's.
    pub fn owns(self, extension: &str) -> bool {
        let extensions: &[&str] = match self {
            Self::Gradle | Self::Maven => &["java", "kt", "kts", "groovy", "scala"],
            Self::Cargo => &["rs"],
            Self::Go => &["go"],
            Self::Dotnet => &["cs", "fs", "vb"],
            Self::Node(_) | Self::Bun | Self::Deno => {
                &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue"]
            }
            Self::Pytest => &["py"],
        };
        extensions.contains(&extension)
    }
}

impl Packager {
    fn of(folder: &Path) -> Self {
        let is_locked_by = |lock: &str| {
            folder
                .ancestors()
                .take(4)
                .any(|folder| folder.join(lock).is_file())
        };
        if is_locked_by("pnpm-lock.yaml") {
            Self::Pnpm
        } else if is_locked_by("yarn.lock") {
            Self::Yarn
        } else {
            Self::Npm
        }
    }
}

/// The contents of a `package.json`; `None` if there is no such file.
///
/// # Errors
/// Why the file that is there cannot be read, as a fragment.
pub fn package(file: &Path) -> Result<Option<serde_json::Value>, String> {
    match small_file::text(file, MOST_BYTES) {
        Ok(text) => serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map(Some)
            .map_err(|error| format!("it is not JSON, {error}")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// npm's own default script only says that there is no test.
fn has_test_script(folder: &Path) -> bool {
    package(&folder.join("package.json"))
        .ok()
        .flatten()
        .and_then(|package| Some(package.get("scripts")?.get("test")?.as_str()?.to_owned()))
        .is_some_and(|script| !script.contains("no test specified"))
}

fn has_dotnet_project(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.take(500).filter_map(Result::ok).any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        [".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"]
            .iter()
            .any(|end| name.ends_with(end))
    })
}

fn has_python_tests(folder: &Path) -> bool {
    [folder.to_owned(), folder.join("tests"), folder.join("test")]
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(|entries| entries.take(500).filter_map(Result::ok))
        .any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))
        })
}

//! The command line of each test tool for what is wanted.

use std::path::{Path, PathBuf};

use siderail_os::files::is_executable;

use super::{BuildTool, Packager, Wanted};
use siderail_workspace::build_tool::{MOST_BYTES, package};
use siderail_workspace::small_file;

impl Wanted<'_> {
    /// Program and arguments.
    pub(super) fn command(&self, tool: BuildTool) -> Vec<String> {
        match tool {
            BuildTool::Gradle => self.gradle(),
            BuildTool::Maven => self.maven(),
            BuildTool::Cargo => self.cargo(),
            BuildTool::Node(packager) => self.node(packager),
            BuildTool::Bun => self.bun(),
            BuildTool::Deno => self.deno(),
            BuildTool::Pytest => self.pytest(),
            BuildTool::Go => self.go(),
            BuildTool::Dotnet => self.dotnet(),
        }
    }

    /// Where it runs: build tools that know their modules start at the top of the build.
    pub(super) fn working_folder(&self, tool: BuildTool) -> PathBuf {
        match tool {
            BuildTool::Gradle => self.top(&["gradlew", "settings.gradle", "settings.gradle.kts"]),
            BuildTool::Maven => self.top(&["mvnw", "pom.xml"]),
            _ => self.folder.clone(),
        }
    }

    /// The highest folder between the project and the module that holds one of the files.
    fn top(&self, files: &[&str]) -> PathBuf {
        self.folder
            .ancestors()
            .take_while(|folder| folder.starts_with(self.root))
            .filter(|folder| files.iter().any(|file| folder.join(file).is_file()))
            .last()
            .unwrap_or(&self.folder)
            .to_owned()
    }

    /// The module's folder below the top of the build; none for the top itself.
    fn module_path(&self, top: &Path) -> Option<String> {
        let path = self.folder.strip_prefix(top).ok()?;
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        (!names.is_empty()).then(|| names.join("/"))
    }

    fn gradle(&self) -> Vec<String> {
        let top = self.working_folder(BuildTool::Gradle);
        let mut command = wrapper(&top, "gradlew", "gradle");
        let module = self
            .module_path(&top)
            .or_else(|| self.module.map(str::to_owned))
            .filter(|_| self.module.is_some());
        command.push(match module {
            Some(module) => {
                let path = module.trim_matches([':', '/']).replace('/', ":");
                format!(":{path}:test")
            }
            None => "test".to_owned(),
        });
        if let Some(target) = &self.target {
            command.extend(["--tests".to_owned(), class_pattern(target)]);
        }
        command.extend(["--continue", "--console=plain"].map(str::to_owned));
        command
    }

    fn maven(&self) -> Vec<String> {
        let top = self.working_folder(BuildTool::Maven);
        let mut command = wrapper(&top, "mvnw", "mvn");
        command.extend(["-B", "test", "--fail-at-end"].map(str::to_owned));
        let module = self
            .module_path(&top)
            .or_else(|| self.module.map(str::to_owned))
            .filter(|_| self.module.is_some());
        if let Some(module) = module {
            command.extend(["-pl".to_owned(), module, "-am".to_owned()]);
        }
        if let Some(target) = &self.target {
            command.push(format!("-Dtest={}", surefire_pattern(target)));
            // A module without such a test is not a failure; both names, for old and new versions.
            command.push("-DfailIfNoTests=false".to_owned());
            command.push("-Dsurefire.failIfNoSpecifiedTests=false".to_owned());
        }
        command
    }

    fn cargo(&self) -> Vec<String> {
        let mut command: Vec<String> = ["cargo", "test", "--no-fail-fast"]
            .map(str::to_owned)
            .into();
        if let Some(module) = self.module.filter(|_| self.folder == self.root) {
            command.extend(["-p".to_owned(), module.to_owned()]);
        }
        if let Some(target) = &self.target {
            command.extend(cargo_filter(target));
        }
        command
    }

    fn node(&self, packager: Packager) -> Vec<String> {
        let program = match packager {
            Packager::Npm => "npm",
            Packager::Yarn => "yarn",
            Packager::Pnpm => "pnpm",
        };
        let mut command = vec![program.to_owned(), "test".to_owned()];
        if let Some(target) = &self.target {
            if packager == Packager::Npm {
                command.push("--".to_owned());
            }
            command.extend(self.node_filter(target));
        }
        command
    }

    /// A file as it is, a name behind the option that the project's runner has for it.
    fn node_filter(&self, target: &str) -> Vec<String> {
        let is_file = self.is_file(target);
        let script = test_script(&self.folder);
        let option = if script.contains("mocha") {
            "-g"
        } else if script.contains("node --test") || script.contains("node:test") {
            "--test-name-pattern"
        } else {
            "-t"
        };
        if is_file {
            vec![target.to_owned()]
        } else {
            vec![option.to_owned(), target.to_owned()]
        }
    }

    /// The project's own script where there is one, since it may set things up.
    fn bun(&self) -> Vec<String> {
        let words: &[&str] = match test_script(&self.folder).is_empty() {
            true => &["bun", "test"],
            false => &["bun", "run", "test"],
        };
        let mut command: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(target) = &self.target {
            match self.is_file(target) {
                true => command.push(format!("./{}", target.trim_start_matches("./"))),
                false => command.extend(["-t".to_owned(), target.clone()]),
            }
        }
        command
    }

    fn deno(&self) -> Vec<String> {
        let tasks = ["deno.json", "deno.jsonc"]
            .iter()
            .find_map(|name| small_file::text(&self.folder.join(name), MOST_BYTES).ok())
            .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        let has_task = tasks.is_some_and(|tasks| !tasks["tasks"]["test"].is_null());
        let words: &[&str] = match has_task {
            true => &["deno", "task", "test"],
            false => &["deno", "test", "--no-prompt"],
        };
        let mut command: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(target) = &self.target {
            match self.is_file(target) {
                true => command.push(target.clone()),
                false => command.extend(["--filter".to_owned(), target.clone()]),
            }
        }
        command
    }

    /// A test's name, a file of tests (its package), a folder (a package), or all.
    fn go(&self) -> Vec<String> {
        let mut command: Vec<String> = ["go", "test", "-v"].map(str::to_owned).into();
        let package = |folder: &str| match folder {
            "" | "." => ".".to_owned(),
            folder => format!("./{}", folder.trim_start_matches("./")),
        };
        let target = self
            .target
            .as_deref()
            .map(|target| target.trim_end_matches('/'));
        match target {
            Some(target) if target.ends_with(".go") => {
                let folder = target.rsplit_once('/').map_or("", |(folder, _)| folder);
                command.push(package(folder));
            }
            Some(target) if self.folder.join(target).is_dir() => {
                command.push(format!("{}/...", package(target)));
            }
            Some(target) => {
                let name = target.rsplit_once('.').map_or(target, |(_, name)| name);
                command.extend(["-run".to_owned(), name.to_owned(), "./...".to_owned()]);
            }
            None => command.push("./...".to_owned()),
        }
        command
    }

    fn dotnet(&self) -> Vec<String> {
        let mut command: Vec<String> = ["dotnet", "test"].map(str::to_owned).into();
        let is_project = |target: &str| {
            [".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"]
                .iter()
                .any(|end| target.ends_with(end))
        };
        if let Some(target) = &self.target {
            if is_project(target) {
                command.push(target.clone());
            } else {
                // A file of tests is named as its class, by custom.
                let file = target.rsplit('/').next().unwrap_or(target);
                let name = [".cs", ".fs", ".vb"]
                    .iter()
                    .find_map(|end| file.strip_suffix(end))
                    .unwrap_or(target);
                command.extend(["--filter".to_owned(), format!("FullyQualifiedName~{name}")]);
            }
        }
        command
    }

    fn is_file(&self, target: &str) -> bool {
        target.contains('/') || self.folder.join(target).is_file()
    }

    fn pytest(&self) -> Vec<String> {
        let own = [
            ".venv/bin/python",
            "venv/bin/python",
            ".venv/Scripts/python.exe",
        ]
        .iter()
        .flat_map(|python| [self.folder.join(python), self.root.join(python)])
        .find(|python| python.is_file());
        let python = own.map_or("python3".to_owned(), |python| python.display().to_string());
        let words = ["-m", "pytest", "-ra", "--color=no", "--tb=short"];
        let mut command = vec![python];
        command.extend(words.map(str::to_owned));
        if let Some(target) = &self.target {
            let is_path =
                target.contains("::") || target.contains('/') || self.folder.join(target).exists();
            if is_path {
                command.push(target.clone());
            } else {
                command.extend(["-k".to_owned(), target.replace('.', " and ")]);
            }
        }
        command
    }
}

/// The build's own wrapper script, by a shell where it lacks the executable bit.
fn wrapper(folder: &Path, script: &str, program: &str) -> Vec<String> {
    let path = folder.join(script);
    if !path.is_file() {
        return vec![program.to_owned()];
    }
    let path = path.display().to_string();
    if is_executable(Path::new(&path)) {
        vec![path]
    } else {
        vec!["sh".to_owned(), path]
    }
}

/// A class for a test file of the JVM, else the target as it is.
fn class_of(target: &str) -> String {
    let Some(stem) = [".java", ".kt", ".groovy", ".scala"]
        .iter()
        .find_map(|extension| target.strip_suffix(extension))
    else {
        return target.to_owned();
    };
    for folder in ["java", "kotlin", "groovy", "scala"] {
        if let Some((before, class)) = stem.rsplit_once(&format!("/{folder}/"))
            && before
                .rsplit('/')
                .next()
                .is_some_and(|name| name.to_lowercase().contains("test"))
        {
            return class.replace('/', ".");
        }
    }
    stem.rsplit('/').next().unwrap_or(stem).to_owned()
}

/// A name without package or wildcard matches in every package.
fn class_pattern(target: &str) -> String {
    let class = class_of(target).replace(['#', '$'], ".").replace("::", ".");
    match class.chars().next() {
        Some(first) if first.is_uppercase() && !class.contains('*') => format!("*{class}"),
        _ => class,
    }
}

/// Surefire parts class and method by `#`.
fn surefire_pattern(target: &str) -> String {
    let class = class_of(target).replace("::", "#");
    if class.contains('#') || class.contains('*') {
        return class;
    }
    match class.rsplit_once('.') {
        Some((owner, method))
            if method.starts_with(|first: char| first.is_lowercase())
                && owner
                    .rsplit('.')
                    .next()
                    .is_some_and(|name| name.starts_with(char::is_uppercase)) =>
        {
            format!("{owner}#{method}")
        }
        _ => class,
    }
}

fn cargo_filter(target: &str) -> Vec<String> {
    let Some(stem) = target.strip_suffix(".rs") else {
        return vec![target.replace('.', "::")];
    };
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    if folder == "tests" || folder.ends_with("/tests") {
        return vec!["--test".to_owned(), name.to_owned()];
    }
    let module = stem.rsplit_once("src/").map_or(stem, |(_, module)| module);
    match module {
        "lib" => vec!["--lib".to_owned()],
        "main" => vec!["--bins".to_owned()],
        module => vec![format!(
            "{}::",
            module.trim_end_matches("/mod").replace('/', "::")
        )],
    }
}

fn test_script(folder: &Path) -> String {
    package(&folder.join("package.json"))
        .ok()
        .flatten()
        .and_then(|package| Some(package.get("scripts")?.get("test")?.as_str()?.to_owned()))
        .unwrap_or_default()
}

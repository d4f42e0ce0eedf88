//! `get_project_info`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use siderail_catalog::Tool::{self, RunTests};

use crate::build_tool::{BuildTool, package};
use crate::call::{Call, Handler};
use crate::cancel::CancelFlag;
use crate::confine::{Confined, on_one_line, regular_file, written};
use crate::outcome::{ToolFailure, ToolOutcome};

use crate::failure::cancelled;
use crate::walk::{Met, Visitor};

/// Files that are looked at.
const MOST_FILES: usize = 200_000;
/// Bytes of a git file that says where something is.
const MOST_OF_GITS: u64 = 64 << 10;
/// Modules, and test runners, that are named.
const MOST_NAMED: usize = 30;
const MOST_LANGUAGES: usize = 12;
/// Folders below the project in which modules are looked for.
const DEPTH: usize = 4;

/// Files that name a build system, by what it is called.
const MANIFESTS: [(&str, &str); 22] = [
    ("build.gradle", "Gradle"),
    ("build.gradle.kts", "Gradle"),
    ("settings.gradle", "Gradle"),
    ("settings.gradle.kts", "Gradle"),
    ("pom.xml", "Maven"),
    ("Cargo.toml", "Cargo"),
    ("package.json", "Node"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("requirements.txt", "Python"),
    ("go.mod", "Go"),
    ("CMakeLists.txt", "CMake"),
    ("Makefile", "Make"),
    ("meson.build", "Meson"),
    ("MODULE.bazel", "Bazel"),
    ("WORKSPACE", "Bazel"),
    ("build.sbt", "sbt"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP Composer"),
    ("Package.swift", "Swift"),
    ("mix.exs", "Elixir"),
    ("global.json", ".NET"),
];

const LANGUAGES: [(&str, &[&str]); 26] = [
    ("Java", &["java"]),
    ("Kotlin", &["kt", "kts"]),
    ("Groovy", &["groovy", "gradle"]),
    ("Scala", &["scala", "sc"]),
    ("Rust", &["rs"]),
    ("C", &["c", "h"]),
    ("C++", &["cc", "cpp", "cxx", "hpp", "hh"]),
    ("C#", &["cs"]),
    ("F#", &["fs", "fsx"]),
    ("Go", &["go"]),
    ("Python", &["py", "pyi"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("Vue", &["vue"]),
    ("Svelte", &["svelte"]),
    ("Ruby", &["rb"]),
    ("PHP", &["php"]),
    ("Swift", &["swift"]),
    ("Objective-C", &["m", "mm"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Shell", &["sh", "bash", "zsh", "fish"]),
    ("SQL", &["sql"]),
    ("HTML", &["html", "htm"]),
    ("CSS", &["css", "scss", "sass", "less"]),
    ("Markdown", &["md"]),
];

pub(crate) const HANDLERS: &[Handler] = &[Handler {
    tool: Tool::GetProjectInfo,
    ordered_by: &[],
    run: |call, _| project_info(call),
}];

fn project_info(call: &Call<'_>) -> Result<ToolOutcome, ToolFailure> {
    let folder = call.place.existing(".")?;
    let survey = Survey::of(call, &folder)?;
    let root = call.place.root();
    let mut text = format!("project {}\n", on_one_line(&root.display().to_string()));
    for further in call.place.confinement().further() {
        let shown = on_one_line(&further.display().to_string());
        text.push_str(&format!("content root outside of it: {shown}\n"));
    }
    for line in call.primitives.about_project(&call.target(&folder))? {
        text.push_str(&format!("{}\n", on_one_line(&line)));
    }
    text.push_str(&format!("git: {}\n", git_state(root)));
    text.push_str(&format!(
        "build systems: {}\n",
        listed(survey.systems.iter().copied(), "none found")
    ));
    let modules: Vec<&str> = survey.modules.iter().map(String::as_str).collect();
    if modules.len() > 1 {
        text.push_str(&format!(
            "modules ({}): {}\n",
            modules.len(),
            first_of(&modules)
        ));
    }
    text.push_str(&format!("tests: {}\n", survey.test_tools(root)));
    text.push_str(&format!(
        "languages (files): {}\n",
        listed(
            survey.languages().iter().map(String::as_str),
            "none recognised"
        )
    ));
    text.push_str(&format!("files: {}\n", survey.n_files));
    if survey.is_cut {
        text.push_str("Not complete: the project has more files than were looked at.\n");
    }
    Ok(ToolOutcome {
        text,
        ..ToolOutcome::default()
    })
}

fn listed<'a>(items: impl Iterator<Item = &'a str>, nothing: &str) -> String {
    let items: Vec<&str> = items.collect();
    if items.is_empty() {
        nothing.to_owned()
    } else {
        items.join(", ")
    }
}

/// The first of many, and how many more there are.
fn first_of(items: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = items.iter().take(MOST_NAMED).map(AsRef::as_ref).collect();
    let more = match items.len() - shown.len() {
        0 => String::new(),
        n_more => format!(" and {n_more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

/// One thread's part of a survey.
struct Surveyor<'a> {
    root: &'a Path,
    cancel: &'a CancelFlag,
    survey: Survey,
}

impl Visitor for Surveyor<'_> {
    fn meet(&mut self, met: &Met<'_>) {
        if met.is_file() {
            self.survey.add(self.root, &met.path(), met.depth());
        }
    }

    /// What cannot be read counts for nothing.
    fn miss(&mut self, _: String) {}

    fn is_done(&self) -> bool {
        self.survey.n_files >= MOST_FILES || self.cancel.is_cancelled()
    }
}

/// What the project's files show.
#[derive(Default)]
struct Survey {
    systems: BTreeSet<&'static str>,
    /// Folders with a build file, relative.
    modules: BTreeSet<String>,
    n_by_extension: BTreeMap<String, usize>,
    n_files: usize,
    is_cut: bool,
}

impl Survey {
    fn of(call: &Call<'_>, folder: &Confined) -> Result<Self, ToolFailure> {
        let (root, cancel) = (call.place.root(), call.cancel);
        let surveyors = call.walk(folder, || Surveyor {
            root,
            cancel,
            survey: Self::default(),
        });
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let mut surveys = surveyors.into_iter().map(|surveyor| surveyor.survey);
        let mut survey = surveys.next().unwrap_or_default();
        surveys.for_each(|other| survey.join(other));
        survey.is_cut = survey.n_files >= MOST_FILES;
        Ok(survey)
    }

    fn join(&mut self, other: Self) {
        self.systems.extend(other.systems);
        self.modules.extend(other.modules);
        for (extension, n_files) in other.n_by_extension {
            *self.n_by_extension.entry(extension).or_default() += n_files;
        }
        self.n_files += other.n_files;
    }

    fn add(&mut self, root: &Path, path: &Path, depth: usize) {
        self.n_files += 1;
        if let Some(extension) = path.extension() {
            *self
                .n_by_extension
                .entry(extension.to_string_lossy().to_lowercase())
                .or_default() += 1;
        }
        let name = path.file_name().map(|name| name.to_string_lossy());
        let system = MANIFESTS
            .iter()
            .find(|(manifest, _)| Some(*manifest) == name.as_deref());
        if let Some((_, system)) = system
            && depth <= DEPTH
        {
            self.systems.insert(system);
            let folder = path
                .parent()
                .and_then(|folder| folder.strip_prefix(root).ok());
            self.modules.insert(match folder {
                Some(folder) if !folder.as_os_str().is_empty() => written(folder),
                _ => ".".to_owned(),
            });
        }
    }

    fn test_tools(&self, root: &Path) -> String {
        let mut lines = Vec::new();
        let whole = self.modules.is_empty().then_some(".");
        for module in whole
            .into_iter()
            .chain(self.modules.iter().map(String::as_str))
        {
            let folder = root.join(module);
            for tool in BuildTool::of(&folder) {
                lines.push(format!("{} in {module}", tool.name()));
            }
            if let Err(why) = package(&folder.join("package.json")) {
                lines.push(format!("package.json in {module} cannot be read ({why})"));
            }
        }
        match lines.is_empty() {
            true => "no test runner recognised".to_owned(),
            false => format!("{} ({RunTests})", first_of(&lines)),
        }
    }

    fn languages(&self) -> Vec<String> {
        let mut counts: Vec<(usize, &str)> = LANGUAGES
            .iter()
            .map(|(language, extensions)| {
                let counts = extensions
                    .iter()
                    .filter_map(|extension| self.n_by_extension.get(*extension));
                (counts.sum(), *language)
            })
            .filter(|(n_files, _)| *n_files > 0)
            .collect();
        counts.sort_by_key(|(n_files, language)| (std::cmp::Reverse(*n_files), *language));
        counts
            .into_iter()
            .take(MOST_LANGUAGES)
            .map(|(n_files, language)| format!("{language} {n_files}"))
            .collect()
    }
}

/// The branch, read from git's own files: no program is started for it.
fn git_state(root: &Path) -> String {
    let head = root
        .ancestors()
        .filter_map(|folder| git_folder(&folder.join(".git")))
        .find_map(|folder| small_text(&folder.join("HEAD")).ok());
    let Some(head) = head else {
        return "no repository".to_owned();
    };
    let head = head.trim();
    match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => format!("branch {branch}"),
        None => format!("detached at {}", head.get(..12).unwrap_or(head)),
    }
}

/// The text of a file of git's, which are of a line or two.
fn small_text(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    regular_file(file)?
        .take(MOST_OF_GITS)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// A worktree's `.git` is a file that names the folder.
fn git_folder(entry: &Path) -> Option<PathBuf> {
    if entry.is_dir() {
        return Some(entry.to_owned());
    }
    let text = small_text(entry).ok()?;
    let named = text.trim().strip_prefix("gitdir: ")?;
    Some(entry.parent()?.join(named))
}

//! Which command runs the wanted tests, and where its results are read.

mod commands;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::files::log_text;
use super::results::Results;
use super::{dotnet, go, junit, libtest, node, pytest, script, walk};
use crate::command::{Ending, Run};
use siderail_guard::Tool::ListProjectFiles;
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::build_tool::{BuildTool, Packager, package};
use siderail_workspace::confine::written;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};
use siderail_workspace::small_file;

/// Folders below which reports are looked for.
const REPORT_FOLDERS: [&str; 3] = [
    "build/test-results",
    "target/surefire-reports",
    "target/failsafe-reports",
];
const REPORT_DEPTH: usize = 12;
/// Bytes of a report: what tests print is in it, too.
const MOST_REPORT: u64 = 64 << 20;

/// A test run that is about to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) tool: BuildTool,
    /// Program and arguments.
    pub(super) command: Vec<String>,
    pub(super) folder: PathBuf,
    /// Tools that were skipped.
    pub(super) others: Vec<BuildTool>,
    /// Reports of earlier runs: what is still so afterwards was not written by this one.
    earlier: BTreeMap<PathBuf, SystemTime>,
}

/// What is to be tested.
struct Wanted<'a> {
    /// A class, method, file or pattern as given; files relative to the module's folder.
    target: Option<String>,
    /// The module as given, and whether it is a folder.
    module: Option<&'a str>,
    has_folder: bool,
    /// The folder of the module, else the project.
    folder: PathBuf,
    root: &'a Path,
}

impl Plan {
    pub(super) fn new(place: &Place, arguments: Arguments<'_>) -> Result<Self, ToolFailure> {
        let wanted = Wanted::new(place, arguments)?;
        let mut tools = BuildTool::of(&wanted.folder);
        if tools.is_empty() && wanted.folder != wanted.root {
            tools = BuildTool::of(wanted.root);
        }
        let extension = wanted.target.as_deref().and_then(|target| {
            let file = target.split("::").next().unwrap_or_default();
            Path::new(file).extension()?.to_str()
        });
        let fitting = tools
            .iter()
            .position(|tool| extension.is_some_and(|extension| tool.owns(extension)))
            .unwrap_or(0);
        let is_scripts = |extension| BuildTool::Bun.owns(extension);
        if tools.is_empty() || extension.is_some_and(is_scripts) {
            readable_package(place, &wanted.folder)?;
        }
        if tools.is_empty() {
            return Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                "no test tool was recognised here (Gradle, Maven, Cargo, a package.json with a \
                 test script, Bun, Deno, pytest, Go, .NET); name the folder as module, or run the tests as a command",
            ));
        }
        let tool = tools.remove(fitting);
        if let Some(name) = wanted.unknown_to(tool) {
            return Err(ToolFailure::new(
                ToolErrorCode::FileNotFound,
                format!(
                    "there is no folder `{name}` in the project; name the module by its folder, \
                     {ListProjectFiles} lists the files"
                ),
            ));
        }
        let folder = wanted.working_folder(tool);
        Ok(Self {
            tool,
            command: wanted.command(tool),
            earlier: match tool {
                BuildTool::Gradle | BuildTool::Maven => report_files(&folder),
                _ => BTreeMap::new(),
            },
            folder,
            others: tools,
        })
    }

    /// Variables beside those of every command.
    pub(super) fn env(&self) -> Vec<(String, String)> {
        let variables: &[(&str, &str)] = match self.tool {
            // Test runners of the web watch files for ever unless they believe to be on a server.
            BuildTool::Node(_) | BuildTool::Bun | BuildTool::Deno => {
                &[("CI", "1"), ("NO_COLOR", "1"), ("FORCE_COLOR", "0")]
            }
            BuildTool::Cargo => &[
                ("CARGO_TERM_COLOR", "never"),
                ("NO_COLOR", "1"),
                ("RUST_BACKTRACE", "0"),
            ],
            BuildTool::Dotnet => &[
                ("NO_COLOR", "1"),
                ("DOTNET_CLI_UI_LANGUAGE", "en"),
                ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
                ("DOTNET_NOLOGO", "1"),
            ],
            _ => &[("NO_COLOR", "1")],
        };
        variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    /// Reads what a run that has ended has left.
    pub(super) fn results(&self, run: &Run, place: &Place) -> Results {
        let mut results = match self.tool {
            BuildTool::Gradle | BuildTool::Maven => self.reported(run, place),
            BuildTool::Cargo => libtest::results(&log_text(run)),
            BuildTool::Node(_) => node::results(&log_text(run), place.root()),
            BuildTool::Bun => script::bun(&log_text(run)),
            BuildTool::Deno => script::deno(&log_text(run)),
            BuildTool::Pytest => pytest::results(&log_text(run), &self.folder, place.root()),
            BuildTool::Go => go::results(&log_text(run), &self.folder),
            BuildTool::Dotnet => dotnet::results(&log_text(run)),
        };
        for failure in &mut results.failures {
            if let Some(location) = &mut failure.location {
                *location = self.in_project(place.root(), location);
            }
        }
        results
    }

    /// A location as seen from the project: tools name files from the folder they run in.
    fn in_project(&self, root: &Path, location: &str) -> String {
        if let Ok(below) = Path::new(location).strip_prefix(root) {
            return below.display().to_string();
        }
        let file = location.rsplit_once(':').map_or(location, |(file, _)| file);
        let below = self.folder.strip_prefix(root).unwrap_or(Path::new(""));
        if !root.join(file).is_file() && self.folder.join(file).is_file() {
            below.join(location).display().to_string()
        } else {
            location.to_owned()
        }
    }

    /// The XML reports that this run has written; a build tool that finds nothing changed writes none.
    fn reported(&self, run: &Run, place: &Place) -> Results {
        let mut fresh = Results::default();
        let mut earlier = Results::default();
        for (file, modified) in report_files(&self.folder) {
            let read = small_file::text(&file, MOST_REPORT).map_err(|error| error.to_string());
            let results = match read.and_then(|text| junit::results(&text, place.root(), &file)) {
                Ok(Some(results)) => results,
                Ok(None) => continue,
                Err(why) => Results::unreadable(&file, place.root(), &why),
            };
            if self.earlier.get(&file) == Some(&modified) {
                earlier.add(results);
            } else {
                fresh.add(results);
            }
        }
        let is_success = matches!(
            run.ended().map(|ended| ended.ending),
            Some(Ending::Exited(exit)) if exit.is_success()
        );
        if fresh.counts.is_none() && earlier.counts.is_some() && is_success {
            earlier.note = Some(
                "this run has written no results; these are of an earlier run, which a build tool \
                 leaves in place when nothing has changed"
                    .to_owned(),
            );
            return earlier;
        }
        fresh
    }
}

impl<'a> Wanted<'a> {
    fn new(place: &'a Place, arguments: Arguments<'a>) -> Result<Self, ToolFailure> {
        let module = arguments.word("module")?;
        let target = arguments.word("target")?;
        for given in [module, target].into_iter().flatten() {
            // It would be taken as an option of the test tool.
            if given.starts_with('-') || given.contains(['\0', '\n']) {
                return Err(ToolFailure::invalid(format!("`{given}` names no tests")));
            }
        }
        let root = place.root();
        let named = module.map(|module| module.trim_start_matches(':'));
        let named = named.filter(|named| !named.is_empty());
        let module_folder = named.map(|named| place.inside(named)).transpose()?;
        // What is not a folder is a name that the build tool may know.
        let module_folder = module_folder.filter(|folder| folder.absolute.is_dir());
        let has_folder = module_folder.is_some();
        let folder = module_folder.map_or_else(|| root.to_owned(), |folder| folder.absolute);
        let target = target
            .map(|target| relative_target(place, &folder, target))
            .transpose()?;
        Ok(Self {
            target,
            module,
            has_folder,
            folder,
            root,
        })
    }

    /// The module, if the tool knows modules by their folders and this is not one.
    fn unknown_to(&self, tool: BuildTool) -> Option<&str> {
        let knows_names = matches!(
            tool,
            BuildTool::Gradle | BuildTool::Maven | BuildTool::Cargo
        );
        self.module.filter(|_| !self.has_folder && !knows_names)
    }
}

/// A `package.json` that cannot be read must not pass for none.
fn readable_package(place: &Place, folder: &Path) -> Result<(), ToolFailure> {
    for folder in [folder, place.root()] {
        let file = folder.join("package.json");
        package(&file).map_err(|why| {
            let file = file.strip_prefix(place.root()).unwrap_or(&file);
            ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!(
                    "{} cannot be read: {why}; fix it, then call again",
                    written(file)
                ),
            )
        })?;
    }
    Ok(())
}

/// A target that names a file of the project, as the test tool in `folder` sees it.
fn relative_target(place: &Place, folder: &Path, target: &str) -> Result<String, ToolFailure> {
    let (file, rest) = match target.find("::") {
        Some(colons) => target.split_at(colons),
        None => (target, ""),
    };
    if file.starts_with('/') || file.starts_with("file:") || file.starts_with("..") {
        let confined = place.existing(file)?;
        let path = confined
            .absolute
            .strip_prefix(folder)
            .map_or(confined.relative.clone(), |path| path.display().to_string());
        return Ok(format!("{path}{rest}"));
    }
    let below = |base: &Path| base.join(file).exists();
    // A way through folders may lead out and back in, a link only out.
    if let Some(base) = [folder, place.root()].into_iter().find(|base| below(base)) {
        place.inside(&base.join(file).to_string_lossy())?;
    }
    if !below(folder) && below(place.root()) {
        let absolute = place.root().join(file);
        if let Ok(path) = absolute.strip_prefix(folder) {
            return Ok(format!("{}{rest}", path.display()));
        }
    }
    Ok(target.to_owned())
}

/// The JUnit reports below a folder with the times of their writing, whatever ignore files say.
fn report_files(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let is_walked = |name: &str| !matches!(name, ".git" | "node_modules" | ".gradle" | "src");
    walk::files(folder, REPORT_DEPTH, is_walked)
        .filter(|entry| {
            let path = entry.path();
            path.extension().is_some_and(|extension| extension == "xml")
                && path.ancestors().skip(1).any(|folder| {
                    REPORT_FOLDERS
                        .iter()
                        .any(|reports| folder.ends_with(reports))
                })
        })
        .filter_map(|entry| {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some((entry.path(), modified))
        })
        .collect()
}

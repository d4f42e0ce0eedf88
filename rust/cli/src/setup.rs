//! The process's input: environment, folders, its own path; and the engine's configuration made from them. The only
//! place of the commands that reads any of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siderail_engine::EngineConfig;
use siderail_engine::places;
use siderail_engine::settings::{Layer, Resolved, Settings};

use siderail_os::System;

use crate::exit::{Exit, Failure};
use crate::runtime_dir::{self, RunFolder};
use crate::settings_files;
use crate::style::name;
use crate::terminal::Manners;

/// What the process was given.
pub(crate) struct Setup {
    /// Variables whose name and value are text.
    env: BTreeMap<String, String>,
    /// The current folder.
    pub(crate) cwd: PathBuf,
    /// How the standard streams are to be used.
    pub(crate) manners: Manners,
}

impl Setup {
    /// Reads the environment.
    pub(crate) fn of_process() -> Result<Self, Failure> {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let env: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
        let cwd = std::env::current_dir().map_err(|error| {
            Failure::usage(
                format!("the current folder cannot be used: {error}"),
                "change to an existing folder first",
            )
        })?;
        let manners = Manners::detect(|name| env.get(name).cloned());
        Ok(Self { env, cwd, manners })
    }

    /// A variable.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// The command line of the user's editor. A variable without a word counts as not set.
    pub(crate) fn editor(&self) -> &str {
        let named = ["VISUAL", "EDITOR"]
            .into_iter()
            .filter_map(|name| self.var(name));
        let mut named = named.filter(|editor| !editor.trim().is_empty());
        named.next().unwrap_or("vi")
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<&str> {
        self.var(System::HERE.home())
    }

    /// The profile files: those in the user's settings by name, then those that were typed.
    pub(crate) fn agents_files(&self, typed: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        let mut files = self
            .settings_folder()
            .map(|folder| places::profile_files(&folder));
        let mut files = files.take().unwrap_or_default();
        files.extend(existing(typed, &self.cwd)?);
        Ok(files)
    }

    /// The settings in force, with those of a project's file where there is a project.
    pub(crate) fn settings(&self, project: Option<&Path>, flags: Layer) -> Resolved {
        settings_files::announce_unknown(&self.env);
        settings_files::resolve(
            self.settings_folder().as_deref(),
            project,
            self.env.clone(),
            flags,
        )
    }

    /// The engine's configuration; `runtime` is the folder of this run.
    pub(crate) fn engine(
        &self,
        runtime: &Path,
        agents_files: Vec<PathBuf>,
        settings: &Settings,
    ) -> Result<EngineConfig, Failure> {
        let program = own_program()?;
        let relay = vec![program, "relay".to_owned()];
        Ok(EngineConfig {
            guardian: EngineConfig::guardian_of(&relay),
            relay,
            runtime_dir: runtime.to_owned(),
            state_dir: self.state_folder()?,
            env: self.env.clone(),
            agents_files,
            settings: settings.clone(),
            // The history is read here without an engine.
            project: None,
        })
    }

    /// A private folder for this run.
    pub(crate) fn run_folder(&self) -> Result<RunFolder, Failure> {
        RunFolder::create(|name| self.env.get(name).cloned())
    }

    /// The platform's folder for what a program remembers by itself. Without a home folder, one that only this user can
    /// enter replaces it: its contents are trusted, and files of the user's are restored from it.
    pub(crate) fn state_folder(&self) -> Result<PathBuf, Failure> {
        let temp = runtime_dir::own_folder(&std::env::temp_dir());
        let state = places::state_folder(&self.env, &temp);
        if state.starts_with(&temp) {
            runtime_dir::private_folder(&temp).map_err(|error| {
                let what = format!(
                    "there is no home folder, and {} cannot be used instead: {error}",
                    temp.display()
                );
                Failure::new(Exit::NotStarted, what)
                    .hint("set HOME, or XDG_STATE_HOME to a folder that only you can write to")
            })?;
        }
        Ok(state)
    }

    /// Where the user's settings, what is saved, and diagnostics are, for people.
    pub(crate) fn places(&self) -> String {
        let shown = |path: Option<PathBuf>| match path {
            Some(path) => name(&path.to_string_lossy()),
            None => "none: there is no home folder".to_owned(),
        };
        format!(
            "settings file  {}\nstate folder   {}\nlogs           standard error, with SIDERAIL_LOG=debug\n",
            shown(self.settings_file()),
            shown(self.state_folder().ok())
        )
    }

    /// The user's settings file, whether or not there is one.
    pub(crate) fn settings_file(&self) -> Option<PathBuf> {
        Some(self.settings_folder()?.join(settings_files::USER))
    }

    fn settings_folder(&self) -> Option<PathBuf> {
        places::settings_folder(&self.env)
    }
}

/// The path of this program, for children that are to start it again.
pub(crate) fn own_program() -> Result<String, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(
            Exit::NotStarted,
            format!("the path of this program is not known: {error}"),
        )
    })?;
    program.into_os_string().into_string().map_err(|path| {
        Failure::new(
            Exit::NotStarted,
            format!(
                "the path of this program is not valid Unicode: {}",
                path.display()
            ),
        )
        .hint("install it in a folder whose name is valid Unicode")
    })
}

/// Profile files, absolute.
///
/// # Errors
/// One does not exist.
fn existing(typed: &[PathBuf], cwd: &Path) -> Result<Vec<PathBuf>, Failure> {
    let absolute = typed.iter().map(|file| cwd.join(file));
    let checked = absolute.map(|file| match file.metadata() {
        Ok(found) if found.is_dir() => Err(Failure::usage(
            format!("the agents file {} is a folder", file.display()),
            "name a .toml file with --agents-file",
        )),
        Ok(_) => Ok(file),
        Err(error) => Err(Failure::usage(
            format!("the agents file {} cannot be read: {error}", file.display()),
            "name an existing file with --agents-file",
        )),
    });
    checked.collect()
}

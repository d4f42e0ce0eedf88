//! What the process was given: environment, folders, its own path; and the engine's configuration
//! made from them. The only place of the commands that reads any of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use siderail_engine::EngineConfig;

use crate::exit::{Exit, Failure};
use crate::run::options;
use crate::runtime_dir::RunFolder;
use crate::terminal::Manners;

/// Silence of an agent after which its turn is cancelled, unless set otherwise.
const INACTIVITY: Duration = Duration::from_secs(300);
/// Consecutive denials from which on the sandbox is explained, unless set otherwise.
const DENY_THRESHOLD: u32 = 2;

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

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<&str> {
        self.var(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
    }

    /// The profile files: those in the user's settings by name, then those that were typed.
    pub(crate) fn agents_files(&self, typed: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        let mut files = self
            .settings_folder()
            .map(|folder| toml_files(&folder.join("agents")));
        let mut files = files.take().unwrap_or_default();
        files.extend(options::agents_files(typed, &self.cwd)?);
        Ok(files)
    }

    /// The engine's configuration; `runtime` is the folder of this run.
    pub(crate) fn engine(
        &self,
        runtime: &Path,
        agents_files: Vec<PathBuf>,
    ) -> Result<EngineConfig, Failure> {
        let program = own_program()?;
        let relay = vec![program, "relay".to_owned()];
        let mut guardian = relay.clone();
        let parent = std::process::id().to_string();
        guardian.extend(["guardian", "--parent", &parent, "--"].map(str::to_owned));
        Ok(EngineConfig {
            relay,
            guardian: if cfg!(unix) { guardian } else { Vec::new() },
            runtime_dir: runtime.to_owned(),
            state_dir: self.state_folder(),
            keep_consent: Vec::new(),
            env: self.env.clone(),
            agents_files,
            inactivity: self
                .number("SIDERAIL_INACTIVITY_S")?
                .map_or(INACTIVITY, Duration::from_secs),
            deny_threshold: match self.number("SIDERAIL_DENY_THRESHOLD")? {
                Some(n) => u32::try_from(n).unwrap_or(u32::MAX),
                None => DENY_THRESHOLD,
            },
            tools_off: Vec::new(),
        })
    }

    /// A private folder for this run.
    pub(crate) fn run_folder(&self) -> Result<RunFolder, Failure> {
        RunFolder::create(|name| self.env.get(name).cloned())
    }

    fn number(&self, name: &str) -> Result<Option<u64>, Failure> {
        let Some(text) = self.var(name).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(Failure::usage(
                format!("{name} is `{text}`, which is no whole number above zero"),
                format!("set {name} to a number or unset it"),
            )),
        }
    }

    /// The platform's folder for what a program remembers by itself.
    fn state_folder(&self) -> PathBuf {
        let given = self
            .var("XDG_STATE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let base = given.unwrap_or_else(|| {
            let home = self.home().map_or_else(std::env::temp_dir, PathBuf::from);
            if cfg!(windows) {
                home.join("AppData").join("Local")
            } else if cfg!(target_os = "macos") {
                home.join("Library").join("Application Support")
            } else {
                home.join(".local").join("state")
            }
        });
        base.join("siderail")
    }

    fn settings_folder(&self) -> Option<PathBuf> {
        let given = self
            .var("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let base = given.or_else(|| {
            let home = PathBuf::from(self.home()?);
            Some(if cfg!(windows) {
                home.join("AppData").join("Roaming")
            } else if cfg!(target_os = "macos") {
                home.join("Library").join("Application Support")
            } else {
                home.join(".config")
            })
        })?;
        Some(base.join("siderail"))
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
            format!("the path of this program is no text: {}", path.display()),
        )
        .hint("install it in a folder whose name is plain text")
    })
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

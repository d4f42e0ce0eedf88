//! Where this program keeps things of the user's: the platform's folders for settings and for state, from the
//! environment that the caller passes. The same for every program that embeds the engine, so that what a person allowed
//! on the command line holds in the IDE too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use siderail_os::System;

/// Name of our folder in each of the platform's.
const OWN: &str = "siderail";

/// The folder of `config.toml` and of the user's own profiles; none if there is no home folder.
pub fn settings_folder(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    let base = absolute(env, "XDG_CONFIG_HOME").or_else(|| {
        let home = home(env)?;
        Some(home.join(match System::HERE {
            System::Windows => r"AppData\Roaming",
            System::MacOs => "Library/Application Support",
            System::Linux => ".config",
        }))
    })?;
    Some(base.join(OWN))
}

/// The folder for what a program remembers by itself. `temp` is used if there is no home folder.
pub fn state_folder(env: &BTreeMap<String, String>, temp: &Path) -> PathBuf {
    let base = absolute(env, "XDG_STATE_HOME").unwrap_or_else(|| {
        let home = home(env).unwrap_or_else(|| temp.to_owned());
        home.join(match System::HERE {
            System::Windows => r"AppData\Local",
            System::MacOs => "Library/Application Support",
            System::Linux => ".local/state",
        })
    });
    base.join(OWN)
}

/// Where JetBrains' IDEs keep the agents that the user has added there.
pub fn jetbrains_agents(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(home(env)?.join(".jetbrains").join("acp.json"))
}

/// The user's own profiles, by name.
pub fn profile_files(settings_folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(settings_folder.join("agents"));
    let entries = entries.into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    files
}

/// A short name for a project's canonical folder, for what is kept of it.
pub fn project_key(project: &Path) -> String {
    let digest = Sha256::digest(project.as_os_str().as_encoded_bytes());
    let mut name = HEXLOWER.encode(&digest);
    name.truncate(16);
    name
}

/// The user's home folder.
pub fn home(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    // An empty or relative one would be the folder that the program was started in, mostly a project.
    absolute(env, System::HERE.home())
}

fn absolute(env: &BTreeMap<String, String>, name: &str) -> Option<PathBuf> {
    let path = env.get(name).map(PathBuf::from);
    path.filter(|path| path.is_absolute())
}

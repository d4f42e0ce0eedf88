//! What can be said of the known agents without starting one.

use std::path::PathBuf;

use siderail_acp::process::{CommandLine, resolve};

use crate::engine::EngineConfig;
use crate::error::EngineError;
use crate::packages::PackageRun;
use crate::profile::Profile;

/// A profile as people are shown it.
#[derive(Clone, Debug)]
pub struct ProfileInfo {
    /// Name on the command line.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The file of another program that it was found in.
    pub origin: Option<PathBuf>,
    /// The program that is started.
    pub program: String,
    /// Versions that the profile was tried on.
    pub tested: Vec<String>,
    /// Where the program is, if it is there.
    pub found: Option<PathBuf>,
    /// Built-in tools that are hidden.
    pub hide: Vec<String>,
    /// How guidance reaches the model in the turn of a denial.
    pub channel: String,
    /// Its own mode for making a plan; without one the guard alone keeps the files as they are meanwhile.
    pub plan: Option<String>,
    /// How to install it.
    pub install: String,
    /// By which it can be run although it is not installed, once a person has agreed.
    pub package: Option<PackageRun>,
    /// Why it cannot be started.
    pub problem: Option<String>,
}

/// All known profiles, by name.
///
/// # Errors
/// A profile file that cannot be used.
pub fn profiles(config: &EngineConfig) -> Result<Vec<ProfileInfo>, EngineError> {
    Ok(config
        .profiles()?
        .iter()
        .map(|profile| info(profile, config))
        .collect())
}

/// What of the agents that were added in other programs cannot be used, a text each.
///
/// # Errors
/// A profile file that cannot be used.
pub fn import_problems(config: &EngineConfig) -> Result<Vec<String>, EngineError> {
    Ok(config.profiles()?.problems().to_vec())
}

fn info(profile: &Profile, config: &EngineConfig) -> ProfileInfo {
    let line = CommandLine {
        program: profile.program.clone(),
        args: Vec::new(),
        env: config.env.clone(),
        cwd: config.runtime_dir.clone(),
    };
    let found = resolve(&line);
    let problem = found.as_ref().err().map(ToString::to_string);
    let channel = if profile.hook.is_some() {
        "hook"
    } else if profile.api.is_some() {
        "api"
    } else if profile.refusal.is_some() {
        "refusal"
    } else if profile.guard.reject_ends_turn {
        "continuation"
    } else {
        "notice"
    };
    ProfileInfo {
        name: profile.name.clone(),
        title: profile.title.clone(),
        origin: profile.origin.clone(),
        program: profile.program.clone(),
        tested: profile.tested.clone(),
        found: found.ok(),
        hide: profile.hide.tools.clone(),
        channel: channel.to_owned(),
        plan: profile.plan.as_ref().map(|plan| plan.mode.clone()),
        install: profile.install.clone(),
        package: profile.package_run(),
        problem,
    }
}

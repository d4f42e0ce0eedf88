//! The configuration that a host gives the engine once, before it starts.
//!
//! Plain data: the program that embeds the engine has read its environment and settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use siderail_acp::process::Guardian;
use siderail_agents::KnownProfiles;
use siderail_guard::Tool;
use siderail_os::System;

use crate::host::Host;
use crate::places;
use crate::profile::Profiles;
use crate::settings::Settings;

/// What the engine has to know from the start. It reads no environment and no settings file by itself.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// argv prefix of the relay: program and first arguments.
    pub relay: Vec<String>,
    /// argv in front of every program that is started: a guardian that ends the program's tree when this
    /// process ends; empty: none.
    pub guardian: Vec<String>,
    /// A private folder (0700) with a short path, for the socket and sessions' files.
    pub runtime_dir: PathBuf,
    /// The platform's state folder of this program, for consents and what a person allowed for good.
    pub state_dir: PathBuf,
    /// The environment that agents and commands start from.
    pub env: BTreeMap<String, String>,
    /// The user's profile files.
    pub agents_files: Vec<PathBuf>,
    /// The settings in force for what is not a session's.
    pub settings: Settings,
    /// The project that the history is asked about where no session says it; canonical.
    pub project: Option<PathBuf>,
}

impl EngineConfig {
    /// The tools that are offered with this host.
    pub(crate) fn offered(&self, host: &dyn Host) -> Vec<Tool> {
        let mut offered = host.tools();
        offered.extend(crate::tools::engine_tools());
        offered.retain(|tool| !self.settings.tools_off.iter().any(|off| off == tool.name()));
        crate::tools::definitions::at_once(&mut offered);
        offered
    }

    /// The person's home folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        places::home(&self.env)
    }

    /// Our folders of settings, state and runtime files.
    pub(crate) fn own_folders(&self) -> Vec<PathBuf> {
        let settings = places::settings_folder(&self.env);
        let own = [self.state_dir.clone(), self.runtime_dir.clone()];
        own.into_iter().chain(settings).collect()
    }

    /// All profiles: ours, those of the user's files, which win, and then those of JetBrains' IDEs.
    pub(crate) fn profiles(&self) -> Profiles {
        let profiles = Profiles::load(&self.agents_files);
        let home = self.home();
        match places::jetbrains_agents(&self.env) {
            Some(file) => profiles.with_import(&file, home.as_deref()),
            None => profiles,
        }
    }

    /// The guardian that the relay's program is, for processes that end with this one. On Windows a job object holds them.
    pub fn guardian_of(relay: &[String]) -> Vec<String> {
        if System::HERE.is_windows() {
            return Vec::new();
        }
        let parent = std::process::id().to_string();
        let words = ["guardian", "--parent", &parent, "--"].map(str::to_owned);
        relay.iter().cloned().chain(words).collect()
    }

    /// The guardian as processes are started behind it.
    pub fn guardian(&self) -> Option<Guardian> {
        (!self.guardian.is_empty()).then(|| Guardian(self.guardian.clone()))
    }
}

/// The known profiles, and what is wrong with others.
pub fn profiles(config: &EngineConfig) -> KnownProfiles {
    siderail_agents::listed(&config.profiles(), &config.env, &config.runtime_dir)
}

//! What an embedder says when it opens an engine or starts a session, and what the engine makes of it.
//!
//! What the user set in the embedder counts as the user's own settings: above the settings file, below the
//! environment, and a project's file may still tighten it. The values are the engine's; nothing is judged here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use siderail_engine::EngineConfig;
use siderail_engine::command::SessionOptions;
use siderail_engine::guard::Policy;
use siderail_engine::places;
use siderail_engine::settings::{self, File, Layer, Resolved, SettingError, Settings, Sources};
use siderail_engine::tools::definitions;

use crate::error::BridgeError;

/// The payload of `open`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenConfig {
    /// The project's base folder.
    pub(crate) project: PathBuf,
    /// argv prefix of the relay.
    pub(crate) relay: Vec<String>,
    /// A private folder (0700) with a short path, of this engine alone.
    pub(crate) runtime_dir: PathBuf,
    /// The environment of agents and commands; also says where settings and state are.
    pub(crate) env: BTreeMap<String, String>,
    /// Bare names of the tools that the embedder performs.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
    /// Tools that the user has switched off in the embedder; absent: as the user's file says.
    #[serde(default)]
    pub(crate) tools_off: Option<Vec<String>>,
    /// More profile files, beside those in the user's settings folder.
    #[serde(default)]
    pub(crate) agents_files: Vec<PathBuf>,
    /// Seconds within which host calls are to be answered, in place of each call's own limit.
    #[serde(default)]
    pub(crate) call_limit_s: Option<f64>,
    /// `error`, `warn`, `info`, `debug` or `trace`: what of our own records the log gets.
    #[serde(default)]
    pub(crate) log: Option<String>,
}

/// The settings of the user and of a project, read again for every session.
#[derive(Clone, Debug)]
pub(crate) struct SettingsFiles {
    project: PathBuf,
    env: BTreeMap<String, String>,
    /// The user's file as it was when it was usable.
    usable: Option<File>,
}

impl OpenConfig {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, BridgeError> {
        let config: Self = decode("configuration", bytes)?;
        config.call_limit()?;
        Ok(config)
    }

    pub(crate) fn call_limit(&self) -> Result<Option<Duration>, BridgeError> {
        let limit = self.call_limit_s.map(Duration::try_from_secs_f64);
        limit.transpose().map_err(|error| BridgeError::Invalid {
            what: "configuration",
            why: format!("`call_limit_s`: {error}"),
        })
    }

    /// The tools' names as the engine writes them. One that it does not know is not offered.
    pub(crate) fn tools(&self) -> Vec<&'static str> {
        static KNOWN: LazyLock<Vec<String>> = LazyLock::new(|| {
            definitions::all()
                .into_iter()
                .map(|tool| tool.name)
                .collect()
        });
        let name = |tool: &String| KNOWN.iter().find(|known| *known == tool);
        for unknown in self.tools.iter().filter(|tool| name(tool).is_none()) {
            tracing::warn!(tool = unknown, "a tool that this engine does not know");
        }
        let known = self.tools.iter().filter_map(name);
        known.map(String::as_str).collect()
    }

    pub(crate) fn engine(self, settings: &Settings) -> EngineConfig {
        let mut guardian = Vec::new();
        if cfg!(unix) {
            guardian.clone_from(&self.relay);
            let parent = std::process::id().to_string();
            guardian.extend(["guardian", "--parent", &parent, "--"].map(str::to_owned));
        }
        let mut agents_files = places::settings_folder(&self.env)
            .map(|folder| places::profile_files(&folder))
            .unwrap_or_default();
        agents_files.extend(self.agents_files);
        EngineConfig {
            relay: self.relay,
            guardian,
            runtime_dir: self.runtime_dir,
            state_dir: places::state_folder(&self.env, &std::env::temp_dir()),
            keep_consent: settings.keep_consent.clone(),
            env: self.env,
            agents_files,
            inactivity: settings.inactivity,
            deny_threshold: settings.deny_threshold,
            tools_off: settings.tools_off.clone(),
            project: Some(self.project),
        }
    }
}

impl SettingsFiles {
    /// Reads them, and the settings in force.
    pub(crate) fn read(config: &OpenConfig) -> Result<(Self, Settings), BridgeError> {
        let mut files = Self {
            project: config.project.clone(),
            env: config.env.clone(),
            usable: None,
        };
        files.usable = files.user();
        let embedder = Layer {
            tools_off: config.tools_off.clone(),
            ..Layer::default()
        };
        let settings = files.resolve(files.usable.clone(), embedder)?;
        Ok((files, settings))
    }

    /// A session's options: what was given, over the settings in force now. A user's file that has become
    /// unusable since the engine was opened counts as it was then.
    pub(crate) fn session(&self, given: GivenOptions) -> SessionOptions {
        let layer = given.layer().unwrap_or_default();
        let settings = self.resolve(self.user(), layer.clone()).or_else(|error| {
            tracing::error!(%error, "the settings as they were before stay in force");
            self.resolve(self.usable.clone(), layer)
        });
        // Files that were usable once cannot be the reason, so what is left is the strictest.
        let settings = settings.unwrap_or_else(|_| Settings {
            policy: Policy::Ask,
            ..Settings::default()
        });
        SessionOptions {
            agent_command: given.agent_command,
            agent_env: given.agent_env,
            set: given.set,
            project: self.project.clone(),
            resume: given.resume,
            additional_directories: given.additional_directories,
            answer: given.answer,
            trace: given.trace,
            ..settings.session(&given.agent)
        }
    }

    fn user(&self) -> Option<File> {
        let folder = places::settings_folder(&self.env)?;
        File::read(&folder.join("config.toml"))
    }

    fn resolve(&self, user: Option<File>, embedder: Layer) -> Result<Settings, SettingError> {
        let Resolved {
            settings,
            project_broken,
            not_followed,
            ..
        } = settings::resolve(&Sources {
            user,
            embedder,
            project: File::read(&self.project.join(".siderail.toml")),
            env: self.env.clone(),
            flags: Layer::default(),
        })?;
        if let Some(error) = &project_broken {
            tracing::error!("{error}; the project's file counts as the strictest settings");
        }
        for not_followed in &not_followed {
            tracing::warn!("{not_followed}");
        }
        Ok(settings)
    }
}

/// The options of `start_session` as an embedder gives them: what is absent is as the settings say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GivenOptions {
    agent: String,
    agent_command: Option<Vec<String>>,
    agent_env: BTreeMap<String, String>,
    policy: Option<String>,
    hide: Option<bool>,
    mode: Option<String>,
    set: BTreeMap<String, String>,
    consent: Option<Vec<String>>,
    session_message: Option<bool>,
    yolo_dangerous: Option<bool>,
    deny_threshold: Option<u32>,
    inactivity_s: Option<u64>,
    history: Option<bool>,
    resume: Option<String>,
    additional_directories: Vec<PathBuf>,
    answer: Option<bool>,
    trace: Option<PathBuf>,
}

impl GivenOptions {
    fn layer(&self) -> Result<Layer, BridgeError> {
        let policy = self.policy.as_deref().map(|word| {
            Policy::parse(word).ok_or_else(|| BridgeError::Invalid {
                what: "command",
                why: format!("there is no policy `{word}`"),
            })
        });
        Ok(Layer {
            policy: policy.transpose()?,
            hide: self.hide,
            mode: self.mode.clone(),
            consent: self.consent.clone(),
            session_message: self.session_message,
            yolo_dangerous: self.yolo_dangerous,
            deny_threshold: self.deny_threshold,
            inactivity: self.inactivity_s.map(Duration::from_secs),
            history: self.history,
            ..Layer::default()
        })
    }

    /// Finds out early what would fail later, when nobody waits for the answer any more.
    pub(crate) fn check(&self) -> Result<(), BridgeError> {
        self.layer().map(drop)
    }
}

/// Reads a payload.
pub(crate) fn decode<'a, T: Deserialize<'a>>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<T, BridgeError> {
    serde_json::from_slice(bytes).map_err(|error| BridgeError::Invalid {
        what,
        why: error.to_string(),
    })
}

#[cfg(test)]
mod tests;

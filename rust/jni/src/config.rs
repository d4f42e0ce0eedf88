//! What an embedder passes when it opens an engine or starts a session, and the engine's configuration made from it.
//!
//! What the user set in the embedder counts as the user's own settings: above the settings file, below the
//! environment, and a project's file may still tighten it. The values are the engine's; nothing is judged here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use siderail_engine::EngineConfig;
use siderail_engine::command::SessionOptions;
use siderail_engine::guard::Tool;
use siderail_engine::places;
use siderail_engine::settings::{self, File, Layer, Resolved, Scope, Settings, Sources};
use siderail_hosts::IdeHost;

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
    /// The embedder has documents and answers requests about them, and shows a model's questions: the file tools and
    /// `ask_user` run here over them, and are not named in `tools`.
    #[serde(default)]
    pub(crate) documents: bool,
    /// Events come with what a window is to show: the member `view`, patches of the session's conversation.
    #[serde(default)]
    pub(crate) view: bool,
    /// What the user has set in the embedder for all sessions; absent: as the user's file says.
    #[serde(skip)]
    pub(crate) set: Layer,
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
}

impl OpenConfig {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, BridgeError> {
        let mut members: Map<String, Value> = decode("configuration", bytes)?;
        let set = layer("configuration", &mut members, Scope::Engine)?;
        let config = Self {
            set,
            ..rest("configuration", members)?
        };
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

    /// The tools that the embedder names. One that the engine does not know is not offered.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let known = self.tools.iter().filter_map(|name| {
            let tool = Tool::named(name);
            if tool.is_none() {
                tracing::warn!(tool = name, "a tool that this engine does not know");
            }
            tool
        });
        let over_documents = IdeHost::tools().filter(|_| self.documents);
        known.chain(over_documents).collect()
    }

    pub(crate) fn engine(self, settings: Settings) -> EngineConfig {
        let mut agents_files = places::settings_folder(&self.env)
            .map(|folder| places::profile_files(&folder))
            .unwrap_or_default();
        agents_files.extend(self.agents_files);
        EngineConfig {
            guardian: EngineConfig::guardian_of(&self.relay),
            relay: self.relay,
            runtime_dir: self.runtime_dir,
            state_dir: places::state_folder(&self.env, &std::env::temp_dir()),
            env: self.env,
            agents_files,
            settings,
            project: Some(self.project),
        }
    }
}

impl SettingsFiles {
    /// Names them, and reads the settings in force.
    pub(crate) fn read(config: &OpenConfig) -> (Self, Settings) {
        let files = Self {
            project: config.project.clone(),
            env: config.env.clone(),
        };
        let settings = files.resolve(config.set.clone()).settings;
        (files, settings)
    }

    /// A session's options: what was given, over the settings in force now.
    pub(crate) fn session(&self, given: GivenOptions) -> SessionOptions {
        let resolved = self.resolve(given.set_here);
        SessionOptions {
            notices: notices(&resolved),
            agent_command: given.agent_command,
            agent_env: given.agent_env,
            set: given.set,
            project: self.project.clone(),
            resume: given.resume,
            additional_directories: given.additional_directories,
            content_roots: given.content_roots,
            answer: given.answer,
            trace: given.trace,
            ..SessionOptions::of(&given.agent, &resolved.settings)
        }
    }

    fn user(&self) -> Option<File> {
        let folder = places::settings_folder(&self.env)?;
        File::read(&folder.join("config.toml"))
    }

    fn resolve(&self, embedder: Layer) -> Resolved {
        settings::resolve(&Sources {
            user: self.user(),
            embedder,
            project: File::read(&self.project.join(".siderail.toml")),
            env: self.env.clone(),
            flags: Layer::default(),
        })
    }
}

/// What a person should know of the settings.
fn notices(resolved: &Resolved) -> Vec<String> {
    let problems = resolved.problems().into_iter();
    let problems =
        problems.map(|problem| format!("{}; expected {}", problem.what, problem.allowed));
    problems.chain(resolved.not_followed.clone()).collect()
}

/// The options of `start_session` as an embedder gives them: what is absent is as the settings say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GivenOptions {
    agent: String,
    agent_command: Option<Vec<String>>,
    agent_env: BTreeMap<String, String>,
    set: BTreeMap<String, String>,
    resume: Option<String>,
    additional_directories: Vec<PathBuf>,
    content_roots: Vec<PathBuf>,
    answer: Option<bool>,
    trace: Option<PathBuf>,
    /// What the user has set in the embedder for this session.
    #[serde(skip)]
    set_here: Layer,
}

impl GivenOptions {
    /// Takes options apart, which finds out early what would fail later, when nobody waits for the answer any more.
    pub(crate) fn parse(mut members: Map<String, Value>) -> Result<Self, BridgeError> {
        let set_here = layer("command", &mut members, Scope::Session)?;
        Ok(Self {
            set_here,
            ..rest("command", members)?
        })
    }
}

/// Takes settings out of a payload.
fn layer(
    what: &'static str,
    members: &mut Map<String, Value>,
    scope: Scope,
) -> Result<Layer, BridgeError> {
    Layer::of_members(members, scope).map_err(|error| BridgeError::Invalid {
        what,
        why: format!("{error}; expected {}", error.allowed),
    })
}

/// Reads what of a payload is not a setting.
fn rest<T: DeserializeOwned>(
    what: &'static str,
    members: Map<String, Value>,
) -> Result<T, BridgeError> {
    serde_json::from_value(Value::Object(members)).map_err(|error| BridgeError::Invalid {
        what,
        why: error.to_string(),
    })
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

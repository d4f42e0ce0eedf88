//! Settings: which value of each key is in force, and where it comes from.
//!
//! Plain data in, plain data out: whoever embeds the engine names files, environment and flags and hands
//! them over as [`Sources`]. Flags win over the environment, that over the project's file, that over what
//! the user set in an embedding program, that over the user's file, and that over the defaults. A project's
//! file is a stranger's word: it may only tighten, and one that cannot be understood counts as the strictest
//! there is. [`layer`] reads a single source.

mod layer;
mod strictness;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use siderail_guard::Policy;

pub use layer::{Key, Layer, SettingError};

use crate::command::SessionOptions;
use crate::given;

/// Silence of an agent after which its turn is cancelled, unless set otherwise.
const INACTIVITY: Duration = Duration::from_secs(300);
/// Consecutive denials from which on the sandbox is explained, unless set otherwise.
const DENY_THRESHOLD: u32 = 2;

/// The values in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The agent where none is named.
    pub agent: Option<String>,
    /// What happens to the agent's own tools.
    pub policy: Policy,
    /// Hide the built-in tools that ours replace.
    pub hide: bool,
    /// Consecutive denials from which on the sandbox is explained.
    pub deny_threshold: u32,
    /// Silence of an agent after which its turn is cancelled.
    pub inactivity: Duration,
    /// The mode of this run, whatever the agent.
    pub mode: Option<String>,
    /// Modes by agent.
    pub modes: BTreeMap<String, String>,
    /// Agents whose recipes may write into the user's own folders.
    pub consent: Vec<String>,
    /// Agents whose consented changes stay after the session.
    pub keep_consent: Vec<String>,
    /// Send a denial's reason also as `session/message` where there is no better way.
    pub session_message: bool,
    /// The policy `yolo` allows dangerous actions too.
    pub yolo_dangerous: bool,
    /// Our tools that are not offered.
    pub tools_off: Vec<String>,
    /// Conversations are kept on disk.
    pub history: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            agent: None,
            policy: Policy::Redirect,
            hide: true,
            deny_threshold: DENY_THRESHOLD,
            inactivity: INACTIVITY,
            mode: None,
            modes: BTreeMap::new(),
            consent: Vec::new(),
            keep_consent: Vec::new(),
            session_message: false,
            yolo_dangerous: false,
            tools_off: Vec::new(),
            history: true,
        }
    }
}

impl Settings {
    /// The mode to set for an agent, where one is wanted.
    pub fn mode_of(&self, agent: &str) -> Option<&str> {
        self.mode
            .as_deref()
            .or_else(|| self.modes.get(agent).map(String::as_str))
    }

    /// What a session of this agent starts with; the caller adds project, command and who answers.
    pub fn session(&self, agent: &str) -> SessionOptions {
        SessionOptions {
            agent: agent.to_owned(),
            policy: self.policy.as_str().to_owned(),
            hide: self.hide,
            mode: self.mode_of(agent).map(str::to_owned),
            consent: self.consent.clone(),
            session_message: self.session_message,
            yolo_dangerous: self.yolo_dangerous,
            history: self.history,
            deny_threshold: Some(self.deny_threshold),
            inactivity_s: Some(self.inactivity.as_secs()),
            ..SessionOptions::default()
        }
    }

    /// A key's value for people.
    pub fn shown(&self, key: Key) -> String {
        let list = |items: &[String]| match items {
            [] => "none".to_owned(),
            items => items.join(", "),
        };
        let switch = |on| if on { "on" } else { "off" }.to_owned();
        match key {
            Key::Agent => self.agent.clone().unwrap_or_else(|| "none".to_owned()),
            Key::Policy => self.policy.as_str().to_owned(),
            Key::Hide => switch(self.hide),
            Key::DenyThreshold => self.deny_threshold.to_string(),
            Key::InactivityS => self.inactivity.as_secs().to_string(),
            Key::Mode => self.shown_modes(),
            Key::Consent => list(&self.consent),
            Key::KeepConsent => list(&self.keep_consent),
            Key::SessionMessage => switch(self.session_message),
            Key::YoloDangerous => switch(self.yolo_dangerous),
            Key::ToolsOff => list(&self.tools_off),
            Key::History => switch(self.history),
        }
    }

    fn shown_modes(&self) -> String {
        match &self.mode {
            Some(mode) => mode.clone(),
            None if self.modes.is_empty() => "the agent's profile".to_owned(),
            None => {
                let modes = self.modes.iter();
                let modes: Vec<String> = modes.map(|(a, m)| format!("{a}: {m}")).collect();
                modes.join(", ")
            }
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's settings file.
    User {
        /// Its path.
        file: String,
    },
    /// The settings of the program that embeds the engine.
    Embedder,
    /// The project's settings file.
    Project {
        /// Its path.
        file: String,
    },
    /// A variable.
    Environment {
        /// Its name.
        variable: &'static str,
    },
    /// Typed.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Embedder => f.write_str("the IDE's settings"),
            Self::User { file } | Self::Project { file } => f.write_str(file),
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// A settings file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, for messages.
    pub path: String,
    /// Its text, or why it could not be read.
    pub text: Result<String, String>,
}

/// All that settings are made of.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The user's file, where there is one.
    pub user: Option<File>,
    /// What the user set in the program that embeds the engine, in place of typing it for each session.
    pub embedder: Layer,
    /// The project's file, where there is one.
    pub project: Option<File>,
    /// The environment; only names of ours are looked at.
    pub env: BTreeMap<String, String>,
    /// What was typed.
    pub flags: Layer,
}

/// Settings with their origins.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The values in force.
    pub settings: Settings,
    origins: BTreeMap<Key, Origin>,
    /// Why the project's file could not be understood; then it counts as the strictest there is.
    pub project_broken: Option<SettingError>,
    /// What the project's file asks for and does not get, because it would loosen.
    pub not_followed: Vec<String>,
}

impl Resolved {
    /// Where a key's value comes from.
    pub fn origin(&self, key: Key) -> &Origin {
        self.origins.get(&key).unwrap_or(&Origin::Default)
    }
}

impl File {
    /// Bytes of a settings file; a larger one is refused.
    const MOST_BYTES: u64 = 64 << 10;

    /// Reads a settings file; none where there is nothing of that name. A stranger's project could hold a pipe there, or
    /// a file without end.
    pub fn read(path: &Path) -> Option<Self> {
        let text = match given::text(path, Self::MOST_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            text => text.map_err(|error| error.to_string()),
        };
        Some(Self {
            path: path.display().to_string(),
            text,
        })
    }
}

/// Finds out which values are in force.
///
/// # Errors
/// A mistake in the user's own file or in a variable: it names the place, the key and what is allowed. A
/// mistake in the project's file is no error; see [`Resolved::project_broken`].
pub fn resolve(sources: &Sources) -> Result<Resolved, SettingError> {
    let mut resolved = Resolved {
        settings: Settings::default(),
        origins: BTreeMap::new(),
        project_broken: None,
        not_followed: Vec::new(),
    };
    if let Some(file) = &sources.user {
        let origin = Origin::User {
            file: file.path.clone(),
        };
        resolved.take(&Layer::of_user(file)?, &|_| origin.clone());
    }
    resolved.take(&sources.embedder, &|_| Origin::Embedder);
    let loosening = sources.project.as_ref().map(|file| resolved.tighten(file));
    let environment = Layer::of_environment(&sources.env)?;
    resolved.take(&environment, &|key| Origin::Environment {
        variable: key.variable(),
    });
    resolved.take(&sources.flags, &|_| Origin::Flag);
    // What is in force is known only now.
    if let (Some(file), Some(loosening)) = (&sources.project, loosening) {
        resolved.say_what_is_not_followed(file, loosening);
    }
    Ok(resolved)
}

impl Resolved {
    /// Values of a stronger source replace those before.
    fn take(&mut self, layer: &Layer, origin: &dyn Fn(Key) -> Origin) {
        let layer = layer.clone();
        let settings = &mut self.settings;
        let mut taken = Vec::new();
        let mut put = |key, is_given: bool| taken.extend(is_given.then_some(key));
        put(Key::Policy, replace(&mut settings.policy, layer.policy));
        put(Key::Hide, replace(&mut settings.hide, layer.hide));
        put(
            Key::DenyThreshold,
            replace(&mut settings.deny_threshold, layer.deny_threshold),
        );
        put(
            Key::InactivityS,
            replace(&mut settings.inactivity, layer.inactivity),
        );
        put(
            Key::Agent,
            replace(&mut settings.agent, layer.agent.map(Some)),
        );
        put(
            Key::Mode,
            replace(&mut settings.modes, layer.modes)
                | replace(&mut settings.mode, layer.mode.map(Some)),
        );
        put(Key::Consent, replace(&mut settings.consent, layer.consent));
        put(
            Key::KeepConsent,
            replace(&mut settings.keep_consent, layer.keep_consent),
        );
        put(
            Key::SessionMessage,
            replace(&mut settings.session_message, layer.session_message),
        );
        put(
            Key::YoloDangerous,
            replace(&mut settings.yolo_dangerous, layer.yolo_dangerous),
        );
        put(
            Key::ToolsOff,
            replace(&mut settings.tools_off, layer.tools_off),
        );
        put(Key::History, replace(&mut settings.history, layer.history));
        for key in taken {
            self.origins.insert(key, origin(key));
        }
    }

    /// The project's wishes, as far as they tighten; returns those that would loosen.
    fn tighten(&mut self, file: &File) -> Vec<(Key, String)> {
        let wished = Layer::of_project(file).unwrap_or_else(|error| {
            self.project_broken = Some(error);
            strictness::strictest()
        });
        let (tightened, loosening) = strictness::tighten(&self.settings, &wished);
        let origin = Origin::Project {
            file: file.path.clone(),
        };
        self.take(&tightened, &|_| origin.clone());
        loosening
    }

    fn say_what_is_not_followed(&mut self, file: &File, loosening: Vec<(Key, String)>) {
        for (key, value) in loosening {
            let in_force = self.settings.shown(key);
            let why = match self.origin(key) {
                // What is typed may be looser than the file's wish: only then "loosen" would be no word for it.
                origin @ (Origin::Environment { .. } | Origin::Flag) => format!(
                    "does not count, since a project may only tighten your own settings; `{in_force}` is in \
                     force, from {origin}, which wins over both"
                ),
                Origin::Default | Origin::Project { .. } => format!(
                    "would loosen the settings and does not count; `{in_force}` stays in force"
                ),
                origin => format!(
                    "would loosen the settings and does not count; `{in_force}` is in force, from {origin}"
                ),
            };
            let line = format!("{}: `{key} = {value}` {why}", file.path);
            self.not_followed.push(line);
        }
    }
}

fn replace<T>(value: &mut T, given: Option<T>) -> bool {
    match given {
        Some(given) => {
            *value = given;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests;

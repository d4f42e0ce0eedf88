//! Settings: which value of each key is in force, and where it comes from.
//!
//! Plain data in, plain data out: the program that embeds the engine names files, environment and flags and passes them
//! as [`Sources`]. Flags win over the environment, that over the project's file, that over what the user set in an
//! embedding program, that over the user's file, and that over the defaults. A project's file is not trusted: it may
//! only tighten, and one that cannot be understood counts as the strictest there is. [`declared`] has the settings
//! themselves, [`layer`] reads a single source. [`memory`] keeps what a person has allowed for good, which is not a
//! setting, and is read anew for every decision.

mod declared;
mod kinds;
mod layer;
pub mod memory;
mod strictness;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

use serde_json::Value;

pub use declared::row::Scope;
pub use declared::{Key, Layer, Settings};
pub use kinds::{Mode, ReasonOnReject};
pub use layer::SettingError;

use declared::row::Wish;
use layer::{Effect, Read};
use siderail_workspace::small_file;

impl Settings {
    /// A key's value for people.
    pub fn shown(&self, key: Key) -> String {
        key.rule().shown(self)
    }

    /// A key's value for programs.
    pub fn json(&self, key: Key) -> Value {
        key.rule().json(self)
    }

    /// The agents that settings name, and which setting does.
    pub fn named_agents(&self) -> Vec<(Key, String)> {
        let mut named = Vec::new();
        for key in Key::ALL.iter().copied() {
            let agents = key.rule().agents(self);
            named.extend(agents.into_iter().map(|agent| (key, agent)));
        }
        named
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
    /// What cannot be used in the user's file and in variables. Each takes its setting along and nothing else.
    pub mistakes: Vec<SettingError>,
    /// The same in the project's file.
    pub project_mistakes: Vec<SettingError>,
    /// What the project's file asks for and does not get, because it would loosen.
    pub not_followed: Vec<String>,
}

/// Something wrong in settings, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, what, and what counts instead.
    pub what: String,
    /// What is allowed.
    pub allowed: String,
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

    /// Reads a settings file; none if there is nothing of that name. A stranger's project could hold a pipe there, or a
    /// file without end.
    pub fn read(path: &Path) -> Option<Self> {
        let text = match small_file::text(path, Self::MOST_BYTES) {
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
/// What cannot be used counts as the strictest, where a setting has that, and else as not said; the rest of its source
/// counts as it is. Of a line that nobody can read, a project's file counts as the strictest for all that it may set,
/// the user's for all that it does not set elsewhere.
pub fn resolve(sources: &Sources) -> Resolved {
    let mut resolved = Resolved {
        settings: Settings::default(),
        origins: BTreeMap::new(),
        mistakes: Vec::new(),
        project_mistakes: Vec::new(),
        not_followed: Vec::new(),
    };
    if let Some(file) = &sources.user {
        let origin = Origin::User {
            file: file.path.clone(),
        };
        let read = Read::user(file);
        if read.is_unclear {
            resolved.take(&Layer::default().strictest(), &|_| origin.clone());
        }
        resolved.take(&read.layer, &|_| origin.clone());
        resolved.mistakes = read.mistakes;
    }
    resolved.take(&sources.embedder, &|_| Origin::Embedder);
    let loosening = sources.project.as_ref().map(|file| resolved.tighten(file));
    let environment = Read::environment(&sources.env);
    resolved.take(&environment.layer, &|key| Origin::Environment {
        variable: key.variable(),
    });
    resolved.mistakes.extend(environment.mistakes);
    resolved.take(&sources.flags, &|_| Origin::Flag);
    // What is in force is known only now.
    if let (Some(file), Some(loosening)) = (&sources.project, loosening) {
        resolved.say_what_is_not_followed(file, loosening);
    }
    resolved
}

impl Resolved {
    /// What is wrong in settings, for people.
    pub fn problems(&self) -> Vec<Problem> {
        let problem = |mistake: &SettingError, unclear: &str| Problem {
            what: match mistake.effect {
                Effect::Setting(key) => {
                    let (value, origin) = (self.settings.shown(key), self.origin(key));
                    format!("{mistake}; `{value}` is in force, from {origin}")
                }
                Effect::Ignored => format!("{mistake}; it has no effect"),
                Effect::Unclear => format!("{mistake}; {unclear}"),
            },
            allowed: mistake.allowed.clone(),
        };
        let user = "what the file does not set elsewhere counts as the strictest";
        let own = self.mistakes.iter().map(|mistake| problem(mistake, user));
        let project = "the project's file counts as the strictest settings";
        let project = self
            .project_mistakes
            .iter()
            .map(|mistake| problem(mistake, project));
        own.chain(project).collect()
    }

    /// Values of a stronger source replace those before.
    fn take(&mut self, layer: &Layer, origin: &dyn Fn(Key) -> Origin) {
        for key in Key::ALL {
            if key.rule().take(&mut self.settings, layer) {
                self.origins.insert(*key, origin(*key));
            }
        }
    }

    /// The project's wishes, as far as they tighten; returns those that would loosen.
    fn tighten(&mut self, file: &File) -> Vec<(Key, String)> {
        let read = Read::project(file);
        let wished = match read.is_unclear {
            true => read.layer.strictest(),
            false => read.layer,
        };
        self.project_mistakes = read.mistakes;
        let mut tightened = Layer::default();
        let mut loosening = Vec::new();
        for key in Key::ALL.iter().copied() {
            let wish = key.rule().tighten(&self.settings, &wished, &mut tightened);
            if let Wish::Loosens(value) = wish {
                loosening.push((key, value));
            }
        }
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
                    "has no effect, because a project can only make your settings stricter; `{in_force}` is in \
                     force, from {origin}, which overrides both"
                ),
                Origin::Default | Origin::Project { .. } => format!(
                    "would loosen the settings and has no effect; `{in_force}` stays in force"
                ),
                origin => format!(
                    "would loosen the settings and has no effect; `{in_force}` is in force, from {origin}"
                ),
            };
            let line = format!("{}: `{key} = {value}` {why}", file.path);
            self.not_followed.push(line);
        }
    }
}

#[cfg(test)]
mod tests;

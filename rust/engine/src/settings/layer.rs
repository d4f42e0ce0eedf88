//! One source of settings, read: a TOML file, the environment, or what was typed.
//!
//! Every key is in one table ([`Key`]): its name, its variable, what it takes, and whether a project may
//! say anything about it. A mistake names the place, the key and what is allowed. Nothing is judged here.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use siderail_guard::Policy;
use toml::Value;

use super::File;
use crate::tools::definitions;

/// Values from one source; what it does not mention is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each member is the key of that name")]
pub struct Layer {
    pub agent: Option<String>,
    pub policy: Option<Policy>,
    pub hide: Option<bool>,
    pub deny_threshold: Option<u32>,
    pub inactivity: Option<Duration>,
    pub mode: Option<String>,
    pub modes: Option<BTreeMap<String, String>>,
    pub consent: Option<Vec<String>>,
    pub keep_consent: Option<Vec<String>>,
    pub session_message: Option<bool>,
    pub yolo_dangerous: Option<bool>,
    pub tools_off: Option<Vec<String>>,
    pub history: Option<bool>,
}

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the key of that name")]
pub enum Key {
    Agent,
    Policy,
    Hide,
    DenyThreshold,
    InactivityS,
    Mode,
    Consent,
    KeepConsent,
    SessionMessage,
    YoloDangerous,
    ToolsOff,
    History,
}

impl Key {
    /// All keys, in the order in which they are shown.
    pub const ALL: [Self; 12] = [
        Self::Agent,
        Self::Policy,
        Self::Hide,
        Self::DenyThreshold,
        Self::InactivityS,
        Self::Mode,
        Self::Consent,
        Self::KeepConsent,
        Self::SessionMessage,
        Self::YoloDangerous,
        Self::ToolsOff,
        Self::History,
    ];

    /// Its name in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Policy => "policy",
            Self::Hide => "hide",
            Self::DenyThreshold => "deny_threshold",
            Self::InactivityS => "inactivity_s",
            Self::Mode => "mode",
            Self::Consent => "consent",
            Self::KeepConsent => "keep_consent",
            Self::SessionMessage => "session_message",
            Self::YoloDangerous => "yolo_dangerous",
            Self::ToolsOff => "tools_off",
            Self::History => "history",
        }
    }

    /// The variable that sets it.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Agent => "SIDERAIL_AGENT",
            Self::Policy => "SIDERAIL_POLICY",
            Self::Hide => "SIDERAIL_HIDE",
            Self::DenyThreshold => "SIDERAIL_DENY_THRESHOLD",
            Self::InactivityS => "SIDERAIL_INACTIVITY_S",
            Self::Mode => "SIDERAIL_MODE",
            Self::Consent => "SIDERAIL_CONSENT",
            Self::KeepConsent => "SIDERAIL_KEEP_CONSENT",
            Self::SessionMessage => "SIDERAIL_SESSION_MESSAGE",
            Self::YoloDangerous => "SIDERAIL_YOLO_DANGEROUS",
            Self::ToolsOff => "SIDERAIL_TOOLS_OFF",
            Self::History => "SIDERAIL_HISTORY",
        }
    }

    /// Whether a project's file may mention it. The others start programs' ways, give rights, or take
    /// away the tools without which nothing is redirected.
    pub fn is_for_projects(self) -> bool {
        matches!(
            self,
            Self::Policy
                | Self::Hide
                | Self::DenyThreshold
                | Self::InactivityS
                | Self::SessionMessage
                | Self::YoloDangerous
                | Self::History
        )
    }

    /// What a file may say, in words.
    fn allowed(self) -> &'static str {
        match self {
            Self::Policy => "one of \"redirect\", \"ask\", \"observe\", \"yolo\"",
            Self::Hide | Self::SessionMessage | Self::YoloDangerous | Self::History => {
                "true or false"
            }
            Self::Agent => "the name of an agent, such as \"claude\"",
            Self::DenyThreshold => "a whole number from 1 to 1000",
            Self::InactivityS => "a whole number of seconds from 1 to 86400",
            Self::Mode => "a table of agents and their modes, such as { codex = \"read-only\" }",
            Self::Consent | Self::KeepConsent => "a list of agents, such as [\"openhands\"]",
            Self::ToolsOff => "a list of tools, such as [\"run_command\"]",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A source that says something that cannot be a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SettingError {
    /// The file or variable, the key, and what is wrong with it.
    pub what: String,
    /// What is allowed there.
    pub allowed: String,
}

/// What is wrong with a value, and what is allowed.
struct Wrong {
    what: String,
    allowed: String,
}

impl Layer {
    /// The user's file: all keys.
    pub(super) fn of_user(file: &File) -> Result<Self, SettingError> {
        Self::of_file(file, |_| true)
    }

    /// The project's file: only what can tighten.
    pub(super) fn of_project(file: &File) -> Result<Self, SettingError> {
        Self::of_file(file, Key::is_for_projects)
    }

    fn of_file(file: &File, may_set: impl Fn(Key) -> bool) -> Result<Self, SettingError> {
        let failed = |wrong: Wrong| SettingError {
            what: format!("{}: {}", file.path, wrong.what),
            allowed: wrong.allowed,
        };
        let unusable = |what: String| {
            failed(Wrong {
                what,
                allowed: "a TOML file of at most 64 KiB, or none".to_owned(),
            })
        };
        let text = file.text.as_ref();
        let text = text.map_err(|why| unusable(format!("it cannot be read: {why}")))?;
        let table: toml::Table = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            unusable(format!("line {line} is no TOML: {}", error.message()))
        })?;
        let mut layer = Self::default();
        for (name, value) in &table {
            let allowed = || {
                let keys = Key::ALL.into_iter().filter(|key| may_set(*key));
                let names: Vec<&str> = keys.map(Key::name).collect();
                format!("the keys {}", names.join(", "))
            };
            let wrong = |what| {
                failed(Wrong {
                    what,
                    allowed: allowed(),
                })
            };
            match Key::parse(name) {
                None => return Err(wrong(format!("there is no key `{name}`"))),
                Some(key) if !may_set(key) => {
                    return Err(wrong(format!("a project may not set `{name}`")));
                }
                Some(key) => layer.set(key, value).map_err(failed)?,
            }
        }
        Ok(layer)
    }

    /// The variables of our names. An empty one counts as not set.
    pub(super) fn of_environment(env: &BTreeMap<String, String>) -> Result<Self, SettingError> {
        let mut layer = Self::default();
        for key in Key::ALL {
            let variable = key.variable();
            let Some(text) = env.get(variable).filter(|text| !text.is_empty()) else {
                continue;
            };
            let set = match key {
                Key::Mode => {
                    layer.mode = Some(text.clone());
                    Ok(())
                }
                key => layer.set(key, &value_of(key, text)),
            };
            set.map_err(|wrong| SettingError {
                what: format!("{variable} is `{text}`"),
                allowed: match key {
                    Key::Consent | Key::KeepConsent | Key::ToolsOff => {
                        "names with commas between them".to_owned()
                    }
                    Key::Hide | Key::SessionMessage | Key::YoloDangerous | Key::History => {
                        "on or off".to_owned()
                    }
                    _ => wrong.allowed,
                },
            })?;
        }
        Ok(layer)
    }

    fn set(&mut self, key: Key, value: &Value) -> Result<(), Wrong> {
        let wrong = || Wrong {
            what: format!("`{key}` is {value}"),
            allowed: format!("for `{key}` {}", key.allowed()),
        };
        match key {
            Key::Agent => {
                let name = value.as_str().filter(|name| !name.trim().is_empty());
                self.agent = Some(name.ok_or_else(wrong)?.to_owned());
            }
            Key::Policy => {
                let policy = value.as_str().and_then(Policy::parse);
                self.policy = Some(policy.ok_or_else(wrong)?);
            }
            Key::Hide => self.hide = Some(switch(value).ok_or_else(wrong)?),
            Key::DenyThreshold => {
                let number = number(value, 1000).and_then(|n| u32::try_from(n).ok());
                self.deny_threshold = Some(number.ok_or_else(wrong)?);
            }
            Key::InactivityS => {
                let seconds = number(value, 86_400).ok_or_else(wrong)?;
                self.inactivity = Some(Duration::from_secs(seconds));
            }
            Key::Mode => self.modes = Some(modes(value).ok_or_else(wrong)?),
            Key::Consent => self.consent = Some(names(value).ok_or_else(wrong)?),
            Key::KeepConsent => self.keep_consent = Some(names(value).ok_or_else(wrong)?),
            Key::SessionMessage => self.session_message = Some(switch(value).ok_or_else(wrong)?),
            Key::YoloDangerous => self.yolo_dangerous = Some(switch(value).ok_or_else(wrong)?),
            Key::History => self.history = Some(switch(value).ok_or_else(wrong)?),
            Key::ToolsOff => {
                let tools = names(value).ok_or_else(wrong)?;
                known_tools(&tools)?;
                self.tools_off = Some(tools);
            }
        }
        Ok(())
    }
}

/// A variable's text as a file would say it.
fn value_of(key: Key, text: &str) -> Value {
    match key {
        Key::DenyThreshold | Key::InactivityS => text
            .parse()
            .map_or_else(|_| Value::from(text), |n: i64| Value::from(n)),
        Key::Consent | Key::KeepConsent | Key::ToolsOff => {
            let names = text.split(',').map(str::trim).filter(|n| !n.is_empty());
            Value::Array(names.map(Value::from).collect())
        }
        _ => Value::from(text),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    before.filter(|byte| **byte == b'\n').count() + 1
}

fn switch(value: &Value) -> Option<bool> {
    match (value.as_bool(), value.as_str()) {
        (Some(on), _) => Some(on),
        (_, Some("on" | "true" | "1")) => Some(true),
        (_, Some("off" | "false" | "0")) => Some(false),
        _ => None,
    }
}

fn number(value: &Value, most: u64) -> Option<u64> {
    let number = value.as_integer().and_then(|n| u64::try_from(n).ok());
    number.filter(|n| (1..=most).contains(n))
}

fn modes(value: &Value) -> Option<BTreeMap<String, String>> {
    let pair = |(agent, mode): (&String, &Value)| Some((agent.clone(), mode.as_str()?.to_owned()));
    value.as_table()?.iter().map(pair).collect()
}

fn names(value: &Value) -> Option<Vec<String>> {
    let name = |item: &Value| item.as_str().map(str::to_owned);
    value.as_array()?.iter().map(name).collect()
}

fn known_tools(tools: &[String]) -> Result<(), Wrong> {
    let known = definitions::all();
    match tools.iter().find(|t| !known.iter().any(|k| k.name == **t)) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<String> = known.into_iter().map(|tool| tool.name).collect();
            Err(Wrong {
                what: format!("`tools_off` names `{unknown}`, which is no tool"),
                allowed: format!("the tools {}", names.join(", ")),
            })
        }
    }
}

//! One source of settings, read: a TOML file, the environment, or what an embedder gives.
//!
//! Which settings there are is in [`crate::declared`]. A mistake names the place, the setting and what is allowed, and
//! takes only that setting along. Nothing is judged here.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::File;
use crate::declared::row::Scope;
use crate::declared::{Key, Layer};
use siderail_state::toml_text;

impl Key {
    /// Whether a project's file may mention it.
    pub fn is_for_projects(self) -> bool {
        self.rule().is_for_projects()
    }

    /// Whether the IDE's page makes a row of it from its declaration alone.
    pub fn is_in_ide(self) -> bool {
        self.rule().is_in_ide()
    }

    /// The numbers that it may be, where it is one.
    pub fn numbers(self) -> Option<RangeInclusive<u32>> {
        self.rule().numbers()
    }

    /// What it is asked for by.
    pub fn scope(self) -> Scope {
        self.rule().scope()
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name() == name)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something in a source that cannot be a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct SettingError {
    /// File with line and column, or the variable.
    pub place: String,
    /// What is wrong there.
    pub what: String,
    /// What is allowed there.
    pub allowed: String,
    /// Its result.
    pub(crate) effect: Effect,
}

/// The consequence of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Of this setting, only what can be used counts.
    Setting(Key),
    /// What is said there does not count.
    Ignored,
    /// It is unclear which setting was meant.
    Unclear,
}

/// A source as far as it can be used.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) layer: Layer,
    pub(crate) mistakes: Vec<SettingError>,
    /// At some place it is unclear which setting was meant.
    pub(crate) is_unclear: bool,
}

impl Layer {
    /// With the strictest value of each setting that has one.
    pub(crate) fn strictest(mut self) -> Self {
        for key in Key::ALL {
            key.rule().be_strictest(&mut self);
        }
        self
    }

    /// Takes what an embedder gives for `scope` out of an object, by the settings' names; other members stay.
    ///
    /// # Errors
    /// A value that cannot be used.
    pub fn of_members(
        members: &mut Map<String, Value>,
        scope: Scope,
    ) -> Result<Self, SettingError> {
        let mut layer = Self::default();
        for key in Key::ALL.iter().filter(|key| key.rule().scope() == scope) {
            let rule = key.rule();
            let Some(value) = members.remove(key.name()).filter(|value| !value.is_null()) else {
                continue;
            };
            let mut read = rule.read(&value, &mut layer);
            if let (Err(None), Some(text)) = (&read, value.as_str()) {
                read = rule.read_variable(text, &mut layer);
            }
            if let Err(part) = read {
                return Err(key.mistake(
                    "option".to_owned(),
                    &value.to_string(),
                    part,
                    rule.allowed(),
                ));
            }
        }
        Ok(layer)
    }
}

impl Key {
    fn mistake(
        self,
        place: String,
        value: &str,
        part: Option<(String, String)>,
        allowed: String,
    ) -> SettingError {
        let (what, allowed) = part.unwrap_or_else(|| (format!("is {value}"), allowed));
        SettingError {
            place,
            what: format!("`{self}` {what}"),
            allowed,
            effect: Effect::Setting(self),
        }
    }
}

impl Read {
    /// The user's file: all keys. A missing file is not a mistake and sets nothing.
    pub(crate) fn user(file: &File) -> Self {
        Self::file(file, |_| true, Effect::Ignored)
    }

    /// The project's file: only what can tighten. A key that there is not may be meant to.
    pub(crate) fn project(file: &File) -> Self {
        Self::file(file, Key::is_for_projects, Effect::Unclear)
    }

    fn file(file: &File, may_set: impl Fn(Key) -> bool, unknown: Effect) -> Self {
        let mut read = Self::default();
        let text = match &file.text {
            Ok(text) => text,
            Err(why) => {
                read.mistake(SettingError {
                    place: file.path.clone(),
                    what: format!("it cannot be read: {why}"),
                    allowed: "a TOML file of at most 64 KiB, or none".to_owned(),
                    effect: Effect::Unclear,
                });
                return read;
            }
        };
        let place = |at| {
            let (line, column) = toml_text::place(text, at);
            format!("{}:{line}:{column}", file.path)
        };
        let toml = toml_text::read(text);
        for (at, why) in toml.broken {
            read.mistake(SettingError {
                place: place(at),
                what: format!("this is not valid TOML: {why}"),
                allowed: "a line `name = value`".to_owned(),
                effect: Effect::Unclear,
            });
        }
        for member in toml.members {
            let refused = |what, effect| SettingError {
                place: place(member.at),
                what,
                allowed: names(&may_set),
                effect,
            };
            let name = &member.name;
            match Key::parse(name) {
                None => read.mistake(refused(
                    format!("there is no setting named `{name}`"),
                    unknown,
                )),
                Some(key) if !may_set(key) => {
                    let what = format!("a project cannot set `{name}`");
                    read.mistake(refused(what, Effect::Ignored));
                }
                Some(key) => {
                    if let Err(part) = key.rule().read(&member.value, &mut read.layer) {
                        let value = member.value.to_string();
                        let allowed = key.rule().allowed();
                        read.wrong(key, key.mistake(place(member.at), &value, part, allowed));
                    }
                }
            }
        }
        read
    }

    /// The variables of our names. An empty one counts as not set.
    pub(crate) fn environment(env: &BTreeMap<String, String>) -> Self {
        let mut read = Self::default();
        for key in Key::ALL.iter().copied() {
            let variable = key.variable();
            let Some(text) = env.get(variable).filter(|text| !text.is_empty()) else {
                continue;
            };
            let rule = key.rule();
            if let Err(part) = rule.read_variable(text, &mut read.layer) {
                let allowed = rule.allowed_in_variable();
                let value = format!("`{text}`");
                read.wrong(key, key.mistake(variable.to_owned(), &value, part, allowed));
            }
        }
        read
    }

    /// A value that cannot be used counts as the strictest, where there is one.
    fn wrong(&mut self, key: Key, mistake: SettingError) {
        if !key.rule().is_given(&self.layer) {
            key.rule().be_strictest(&mut self.layer);
        }
        self.mistake(mistake);
    }

    fn mistake(&mut self, mistake: SettingError) {
        self.is_unclear |= mistake.effect == Effect::Unclear;
        self.mistakes.push(mistake);
    }
}

fn names(may_set: &impl Fn(Key) -> bool) -> String {
    let keys = Key::ALL.iter().copied().filter(|key| may_set(*key));
    let names: Vec<&str> = keys.map(Key::name).collect();
    names.join(", ")
}

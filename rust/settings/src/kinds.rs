//! Kinds of values that settings take: how each is read from a file or a variable, shown, and worded in messages.
//!
//! A file's value comes as JSON, whatever it was written in. Knows no setting by name and judges nothing.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Value, json};

use siderail_guard::Tool::RunCommand;
use siderail_tools::definitions;

/// What became of a value that was read.
pub(crate) enum Reading<T> {
    /// It is usable.
    Is(T),
    /// It is usable without a part that is not.
    Part {
        value: T,
        what: String,
        allowed: String,
    },
    /// Nothing of it is.
    Wrong,
}

impl<T> From<Option<T>> for Reading<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Wrong, Self::Is)
    }
}

/// A kind of values.
pub(crate) trait Kind<T>: Sync {
    /// Reads a file's value.
    fn read(&self, value: &Value) -> Reading<T>;
    /// Reads a variable's text.
    fn read_variable(&self, text: &str) -> Reading<T> {
        self.read(&Value::from(text))
    }
    /// What a file may say, in words.
    fn allowed(&self) -> String;
    /// What a variable may say, in words.
    fn allowed_in_variable(&self) -> String {
        self.allowed()
    }
    /// The numbers that it may be, where it is one.
    fn numbers(&self) -> Option<RangeInclusive<u32>> {
        None
    }
    /// The value for people.
    fn shown(&self, value: &T) -> String;
    /// The value for programs.
    fn json(&self, value: &T) -> Value;
    /// The agents that it names.
    fn agents(&self, _value: &T) -> Vec<String> {
        Vec::new()
    }
}

/// On or off.
pub(crate) struct Switch;

impl Kind<bool> for Switch {
    fn read(&self, value: &Value) -> Reading<bool> {
        match (value.as_bool(), value.as_str()) {
            (Some(on), _) => Reading::Is(on),
            (_, Some("on" | "true" | "1")) => Reading::Is(true),
            (_, Some("off" | "false" | "0")) => Reading::Is(false),
            _ => Reading::Wrong,
        }
    }

    fn allowed(&self) -> String {
        "true or false".to_owned()
    }

    fn allowed_in_variable(&self) -> String {
        "on or off".to_owned()
    }

    fn shown(&self, value: &bool) -> String {
        if *value { "on" } else { "off" }.to_owned()
    }

    fn json(&self, value: &bool) -> Value {
        json!(value)
    }
}

/// One of some words.
pub(crate) struct OneOf<T: 'static> {
    pub(crate) words: &'static [&'static str],
    pub(crate) parse: fn(&str) -> Option<T>,
    pub(crate) word: fn(T) -> &'static str,
}

impl<T: Copy> Kind<T> for OneOf<T> {
    fn read(&self, value: &Value) -> Reading<T> {
        value.as_str().and_then(self.parse).into()
    }

    fn allowed(&self) -> String {
        let words: Vec<String> = self
            .words
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect();
        words.join(", ")
    }

    fn shown(&self, value: &T) -> String {
        (self.word)(*value).to_owned()
    }

    fn json(&self, value: &T) -> Value {
        json!((self.word)(*value))
    }
}

/// A whole number from 1 on.
pub(crate) struct Number {
    pub(crate) most: u32,
}

impl Kind<u32> for Number {
    fn read(&self, value: &Value) -> Reading<u32> {
        number(value, self.most).into()
    }

    fn read_variable(&self, text: &str) -> Reading<u32> {
        text.parse::<i64>()
            .map_or(Reading::Wrong, |number| self.read(&json!(number)))
    }

    fn allowed(&self) -> String {
        format!("a whole number from 1 to {}", self.most)
    }

    fn numbers(&self) -> Option<RangeInclusive<u32>> {
        Some(1..=self.most)
    }

    fn shown(&self, value: &u32) -> String {
        value.to_string()
    }

    fn json(&self, value: &u32) -> Value {
        json!(value)
    }
}

/// A whole number of seconds from 1 on.
pub(crate) struct Seconds {
    pub(crate) most: u32,
}

impl Kind<Duration> for Seconds {
    fn read(&self, value: &Value) -> Reading<Duration> {
        let seconds = number(value, self.most);
        seconds.map(|s| Duration::from_secs(s.into())).into()
    }

    fn read_variable(&self, text: &str) -> Reading<Duration> {
        text.parse::<i64>()
            .map_or(Reading::Wrong, |number| self.read(&json!(number)))
    }

    fn allowed(&self) -> String {
        format!("a whole number of seconds from 1 to {}", self.most)
    }

    fn numbers(&self) -> Option<RangeInclusive<u32>> {
        Some(1..=self.most)
    }

    fn shown(&self, value: &Duration) -> String {
        value.as_secs().to_string()
    }

    fn json(&self, value: &Duration) -> Value {
        json!(value.as_secs())
    }
}

fn number(value: &Value, most: u32) -> Option<u32> {
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    number.filter(|n| (1..=most).contains(n))
}

/// The name of an agent, or none.
pub(crate) struct AgentName;

impl Kind<Option<String>> for AgentName {
    fn read(&self, value: &Value) -> Reading<Option<String>> {
        let name = value.as_str().filter(|name| !name.trim().is_empty());
        name.map(|name| Some(name.to_owned())).into()
    }

    fn allowed(&self) -> String {
        "the name of an agent, such as \"claude\"".to_owned()
    }

    fn shown(&self, value: &Option<String>) -> String {
        value.clone().unwrap_or_else(|| "none".to_owned())
    }

    fn json(&self, value: &Option<String>) -> Value {
        json!(value)
    }
}

/// Names of agents.
pub(crate) struct Agents;

impl Kind<Vec<String>> for Agents {
    fn read(&self, value: &Value) -> Reading<Vec<String>> {
        names(value).into()
    }

    fn read_variable(&self, text: &str) -> Reading<Vec<String>> {
        Reading::Is(listed(text))
    }

    fn allowed(&self) -> String {
        "a list of agents, such as [\"openhands\"]".to_owned()
    }

    fn shown(&self, value: &Vec<String>) -> String {
        list(value)
    }

    fn json(&self, value: &Vec<String>) -> Value {
        json!(value)
    }

    fn agents(&self, value: &Vec<String>) -> Vec<String> {
        value.clone()
    }
}

/// Bare names of our tools.
pub(crate) struct Tools;

impl Tools {
    fn known(names: Vec<String>) -> Reading<Vec<String>> {
        let known = definitions::all();
        let is_tool = |name: &String| known.iter().any(|tool| tool.name == *name);
        let (value, unknown): (Vec<_>, Vec<_>) = names.into_iter().partition(is_tool);
        if unknown.is_empty() {
            return Reading::Is(value);
        }
        let known: Vec<&str> = known.iter().map(|tool| tool.name.as_str()).collect();
        Reading::Part {
            value,
            what: format!("names `{}`, which is not a tool", unknown.join("`, `")),
            allowed: format!("the tools {}", known.join(", ")),
        }
    }
}

impl Kind<Vec<String>> for Tools {
    fn read(&self, value: &Value) -> Reading<Vec<String>> {
        names(value).map_or(Reading::Wrong, Self::known)
    }

    fn read_variable(&self, text: &str) -> Reading<Vec<String>> {
        Self::known(listed(text))
    }

    fn allowed(&self) -> String {
        format!("a list of tools, such as [\"{RunCommand}\"]")
    }

    fn shown(&self, value: &Vec<String>) -> String {
        list(value)
    }

    fn json(&self, value: &Vec<String>) -> Value {
        json!(value)
    }
}

/// What becomes of a rejection that came without a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasonOnReject {
    /// The person is asked for one, where the client can show a form.
    Ask,
    /// It stays without.
    None,
}

impl ReasonOnReject {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        match word {
            "ask" => Some(Self::Ask),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::None => "none",
        }
    }
}

/// Which mode an agent is set to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The one of its profile.
    #[default]
    OfProfile,
    /// One by agent; the profile's for the others.
    ByAgent(BTreeMap<String, String>),
    /// This one, whatever the agent.
    ForAll(String),
}

impl Mode {
    /// The one to set for an agent, where one is wanted.
    pub fn of(&self, agent: &str) -> Option<&str> {
        match self {
            Self::OfProfile => None,
            Self::ByAgent(modes) => modes.get(agent).map(String::as_str),
            Self::ForAll(mode) => Some(mode),
        }
    }
}

/// A table of agents and their modes in a file; one mode in a variable and from an embedder.
pub(crate) struct Modes;

impl Kind<Mode> for Modes {
    fn read(&self, value: &Value) -> Reading<Mode> {
        let pair =
            |(agent, mode): (&String, &Value)| Some((agent.clone(), mode.as_str()?.to_owned()));
        let modes: Option<BTreeMap<_, _>> = value
            .as_object()
            .and_then(|modes| modes.iter().map(pair).collect());
        modes.map(Mode::ByAgent).into()
    }

    fn read_variable(&self, text: &str) -> Reading<Mode> {
        Reading::Is(Mode::ForAll(text.to_owned()))
    }

    fn allowed(&self) -> String {
        "a table of agents and their modes, such as { codex = \"read-only\" }".to_owned()
    }

    fn shown(&self, value: &Mode) -> String {
        match value {
            Mode::ForAll(mode) => mode.clone(),
            // As a file says it.
            Mode::ByAgent(modes) if !modes.is_empty() => {
                let modes = modes.iter().map(|(a, m)| format!("{a} = {}", json!(m)));
                let modes: Vec<String> = modes.collect();
                format!("{{ {} }}", modes.join(", "))
            }
            _ => "the agent's profile".to_owned(),
        }
    }

    fn json(&self, value: &Mode) -> Value {
        match value {
            Mode::ForAll(mode) => json!(mode),
            Mode::ByAgent(modes) => json!(modes),
            Mode::OfProfile => json!({}),
        }
    }

    fn agents(&self, value: &Mode) -> Vec<String> {
        match value {
            Mode::ByAgent(modes) => modes.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }
}

fn names(value: &Value) -> Option<Vec<String>> {
    let name = |item: &Value| item.as_str().map(str::to_owned);
    value.as_array()?.iter().map(name).collect()
}

/// Names with commas between them.
fn listed(text: &str) -> Vec<String> {
    let names = text.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn list(items: &[String]) -> String {
    match items {
        [] => "none".to_owned(),
        items => items.join(", "),
    }
}

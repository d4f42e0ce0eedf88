//! Takes secrets out of traffic before it is written anywhere.
//!
//! Hidden are: values of environment entries and headers; texts under names that speak of tokens, keys, secrets,
//! passwords or authorization; the values the caller knows to be secret, wherever they stand; and, inside any text,
//! `Bearer …` and assignments to such names. Pure, so that tests can look at every case.

use serde_json::{Map, Value};

/// What stands where a secret stood.
pub const HIDDEN: &str = "[hidden]";

/// Known secrets shorter than this are not looked for: they would be found in ordinary words.
const SHORTEST: usize = 4;

/// Which values are secret.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    secrets: Vec<String>,
}

impl Redaction {
    /// Hides these values, besides what looks like a secret by itself.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets = secrets
            .into_iter()
            .filter(|secret| secret.len() >= SHORTEST)
            .collect::<Vec<_>>();
        // The longest first, so that a secret within a secret does not leave half of the outer one behind.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets }
    }

    /// A line of traffic as a JSON value without secrets; a text where it is no JSON.
    pub fn line(&self, line: &[u8]) -> Value {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => self.value(value),
            Err(_) => Value::String(self.text(&String::from_utf8_lossy(line))),
        }
    }

    /// A JSON value without secrets.
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => self.object(members),
            other => other,
        }
    }

    /// A text without secrets.
    pub fn text(&self, text: &str) -> String {
        let mut text = hide_assignments(text);
        for secret in &self.secrets {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), HIDDEN);
            }
        }
        text
    }

    fn object(&self, members: Map<String, Value>) -> Value {
        let hide = |(key, value): (String, Value)| {
            let value = match key.as_str() {
                "env" | "headers" => hide_entries(value),
                name if is_secret_name(name) => hide_texts(value),
                _ => self.value(value),
            };
            (key, value)
        };
        Value::Object(members.into_iter().map(hide).collect())
    }
}

/// Whether a name speaks of a secret. `totalTokens` does too, but only texts are hidden under such names.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = [
        "token",
        "key",
        "secret",
        "password",
        "passwd",
        "authorization",
        "credential",
        "cookie",
    ];
    words.iter().any(|word| name.contains(word))
}

/// Hides the values of environment entries and headers, in both shapes: an object, or a list of name and value.
fn hide_entries(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, hide_texts(value)))
            .collect(),
        Value::Array(entries) => entries.into_iter().map(hide_entry).collect(),
        other => hide_texts(other),
    }
}

fn hide_entry(entry: Value) -> Value {
    match entry {
        Value::Object(mut members) => {
            if let Some(value) = members.get_mut("value") {
                *value = hide_texts(value.take());
            }
            Value::Object(members)
        }
        Value::String(assignment) => match assignment.split_once('=') {
            Some((name, _)) => Value::String(format!("{name}={HIDDEN}")),
            None => Value::String(HIDDEN.to_owned()),
        },
        other => hide_texts(other),
    }
}

/// Hides every text in a value and keeps its shape.
fn hide_texts(value: Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::String(text),
        Value::String(_) => Value::String(HIDDEN.to_owned()),
        Value::Array(items) => items.into_iter().map(hide_texts).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, hide_texts(value)))
            .collect(),
        other => other,
    }
}

/// Hides the word behind `Bearer` and `Basic`, and the value in `NAME=value` for names of secrets.
fn hide_assignments(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut after_scheme = false;
    for word in text.split_inclusive(|character: char| character.is_whitespace()) {
        let body = word.trim_end();
        let (space, body_len) = (&word[body.len()..], body.len());
        let bare = body.trim_start_matches(['"', '\'']);
        if after_scheme && body_len > 0 {
            hidden.push_str(HIDDEN);
        } else {
            match body.split_once('=') {
                Some((name, value)) if is_assignment(name, value) => {
                    hidden.push_str(name);
                    hidden.push('=');
                    hidden.push_str(HIDDEN);
                }
                _ => hidden.push_str(body),
            }
        }
        hidden.push_str(space);
        after_scheme = matches!(bare, "Bearer" | "bearer" | "Basic");
    }
    hidden
}

/// Whether this is an assignment as shells and environments write it; code such as `key==x` or `a.key=b` is not.
fn is_assignment(name: &str, value: &str) -> bool {
    let name = name.trim_start_matches(['-', '"', '\'']);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'));
    is_name && is_secret_name(name) && !value.is_empty() && !value.starts_with('=')
}

//! Values in files that people and their programs write: names, lists of texts, variables.
//!
//! Problems are lower-case fragments that name members and never show a value, which may be secret.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use siderail_workspace::confine::on_one_line;

/// Characters of a name that is typed, shown in tables, and put ahead of the names of tools.
pub const MOST_NAME: usize = 64;

/// Whether a name can be typed and shown.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("that is not a name".to_owned());
    }
    if on_one_line(name) != name {
        return Err("its name has invisible characters".to_owned());
    }
    match name.chars().count() > MOST_NAME {
        true => Err(format!("its name has more than {MOST_NAME} characters")),
        false => Ok(()),
    }
}

/// The beginning of a name, whatever it is, for a line of text.
pub fn shown_name(name: &str) -> String {
    let shown: String = name.chars().take(MOST_NAME).collect();
    let more = if shown.len() < name.len() { "…" } else { "" };
    on_one_line(&shown) + more
}

/// The texts of a list, none where the member is missing; `member` names it.
pub fn list(member: &str, value: Option<&Value>) -> Result<Vec<String>, String> {
    let none = format!("its `{member}` is not a list of strings");
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(value) => value.as_array().ok_or_else(|| none.clone())?,
    };
    let text = |item: &Value| match item {
        Value::String(text) if !text.contains('\0') => Ok(text.clone()),
        _ => Err(none.clone()),
    };
    items.iter().map(text).collect()
}

/// Variables by name, none where the member is missing. Numbers and booleans count as their texts.
pub fn variables(member: &str, value: Option<&Value>) -> Result<BTreeMap<String, String>, String> {
    let members = match value {
        None | Some(Value::Null) => &Map::new(),
        Some(value) => value
            .as_object()
            .ok_or_else(|| format!("its `{member}` is not an object of names and strings"))?,
    };
    let variable = |(name, value): (&String, &Value)| match value {
        _ if name.is_empty() || name.contains('=') || name.contains(char::is_control) => {
            Err(format!("its `{member}` has a name that none can have"))
        }
        Value::String(text) if !text.contains('\0') => Ok((name.clone(), text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok((name.clone(), value.to_string())),
        _ => Err(format!("`{name}` in its `{member}` is not text")),
    };
    members.iter().map(variable).collect()
}

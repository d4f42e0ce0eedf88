//! A file of the user's with JSON of ours in it: laid over it, found again, taken out, written as a whole.
//!
//! Texts in, texts out. The journal knows whose change it is and when it is undone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::json::merge;
use siderail_state::private;
use siderail_workspace::confine::regular_text;

/// The file that a path of the user's leads to: a link stays one, and what it leads to is changed.
pub(super) fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as systems follow themselves.
    for _ in 0..40 {
        let Ok(leads_to) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("/")).join(leads_to);
    }
    path
}

/// The text of a file; none if there is no file.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    match regular_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text with what is ours taken out; none if there is nothing of ours in it.
pub(super) fn without(text: &str, ours: &Value) -> io::Result<Option<String>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let users: Value = serde_json::from_str(text).map_err(io::Error::other)?;
    let mut left = users.clone();
    take_out(&mut left, ours);
    if left == users {
        return Ok(None);
    }
    let text = serde_json::to_string_pretty(&left).map_err(io::Error::other)?;
    Ok(Some(text))
}

/// The text with JSON laid over it, wherever that stood in it before.
pub fn laid_over(before: Option<&str>, ours: &Value) -> io::Result<String> {
    let mut users = match before.map(str::trim) {
        None | Some("") => Value::Object(serde_json::Map::new()),
        Some(text) => serde_json::from_str(text).map_err(io::Error::other)?,
    };
    if !users.is_object() {
        return Err(io::Error::other("the file is not a JSON object"));
    }
    // Ours may be in it already, from a copy of the file or a journal that is lost.
    take_out(&mut users, ours);
    let mut merged = ours.clone();
    merge(&mut merged, users);
    serde_json::to_string_pretty(&merged).map_err(io::Error::other)
}

/// Takes what was laid over a value out of it again; what others put there stays.
fn take_out(value: &mut Value, ours: &Value) {
    match (value, ours) {
        (Value::Object(value), Value::Object(ours)) => {
            for (name, member) in ours {
                if let Some(found) = value.get_mut(name) {
                    take_out(found, member);
                    if is_empty(found) {
                        value.shift_remove(name);
                    }
                }
            }
        }
        (Value::Array(value), Value::Array(ours)) => value.retain(|item| !ours.contains(item)),
        (value, ours) if value == ours => *value = Value::Null,
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

pub(super) fn write_atomic(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".siderail-new");
    let new = path.with_file_name(name);
    private::write_file(&new, text)?;
    if let Ok(metadata) = fs::metadata(path) {
        fs::set_permissions(&new, metadata.permissions())?;
    }
    fs::rename(&new, path)
}

//! Recipes laid into a launch, one after the other: arguments, variables, JSON in variables and files.
//!
//! What the user gave explicitly wins; JSON is merged, never replaced, and what of the user's cannot be read is
//! an error rather than lost. Which recipes apply is decided outside.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::placeholders::Filler;
use super::values::{Values, relay_variables};
use crate::error::AgentError;
use crate::json::merge;
use crate::profile::{HookEntry, Recipe};
use siderail_state::private;
use siderail_workspace::confine::regular_text;

/// A launch that recipes are being laid into, one after the other.
pub(super) struct Filling<'a> {
    pub(super) filler: &'a Filler,
    /// The session's own folder.
    pub(super) folder: &'a Path,
    /// What the user gave explicitly, which no recipe replaces.
    pub(super) users: &'a BTreeMap<String, String>,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) env_json: BTreeMap<String, Value>,
    pub(super) session_meta: Value,
}

impl Filling<'_> {
    pub(super) fn relay_variables(&mut self, values: &Values<'_>) {
        for (name, value) in relay_variables(values) {
            self.env.insert(name.to_owned(), value.to_owned());
        }
    }

    pub(super) fn add(&mut self, recipe: &Recipe) -> Result<(), AgentError> {
        let filler = self.filler;
        self.args.extend(recipe.args.iter().map(|a| filler.text(a)));
        for (name, value) in &recipe.env {
            if !self.users.contains_key(name) {
                self.env.insert(name.clone(), filler.text(value));
            }
        }
        for (name, value) in &recipe.env_json {
            let ours = self.env_json.entry(name.clone()).or_default();
            merge(ours, filler.value(value));
        }
        merge(&mut self.session_meta, filler.value(&recipe.session_meta));
        write_files(recipe, filler, self.folder)?;
        json_files(recipe, filler, self.folder, &mut self.env)
    }

    /// What the user's own JSON says is laid over ours.
    pub(super) fn extend_json_variables(&mut self) -> Result<(), AgentError> {
        for (name, mut ours) in std::mem::take(&mut self.env_json) {
            if let Some(text) = self.env.get(&name) {
                merge(&mut ours, object(&format!("the variable {name}"), text)?);
            }
            self.env.insert(name, ours.to_string());
        }
        Ok(())
    }
}

/// The JSON object that a text of the user's is; empty text is not one.
pub(super) fn object(what: &str, text: &str) -> Result<Value, AgentError> {
    let failed = |why: String| AgentError::UsersOwn {
        what: what.to_owned(),
        why,
    };
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(Value::Object(members)),
        Ok(_) => Err(failed("it is not a JSON object".to_owned())),
        Err(error) => Err(failed(format!("it is not valid JSON: {error}"))),
    }
}

fn write_files(recipe: &Recipe, filler: &Filler, folder: &Path) -> Result<(), AgentError> {
    for (name, content) in &recipe.files {
        let path = folder.join(filler.text(name));
        let text = match filler.value(content) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        private::write_file(&path, &text).map_err(|e| not_written(name, folder, &e))?;
    }
    Ok(())
}

/// Settings files that a variable names: the user's own, if there is one, laid over ours, in a new file.
fn json_files(
    recipe: &Recipe,
    filler: &Filler,
    folder: &Path,
    env: &mut BTreeMap<String, String>,
) -> Result<(), AgentError> {
    for (name, value) in &recipe.json_files {
        let mut ours = filler.value(value);
        if let Some(path) = env.get(name).filter(|path| !path.is_empty()) {
            let what = format!("the file {path} (in the variable {name})");
            let text = users_text(&what, Path::new(path))?;
            merge(&mut ours, object(&what, &text)?);
        }
        let path = folder.join(format!("{name}.json"));
        private::write_file(&path, &ours.to_string()).map_err(|e| not_written(name, folder, &e))?;
        env.insert(name.clone(), path.display().to_string());
    }
    Ok(())
}

/// A hook's entry in the place of a JSON file at which the user's own entries are, as an object to be laid over
/// the file's.
pub(super) fn entry(file: &Path, entry: &HookEntry, filler: &Filler) -> Result<Value, AgentError> {
    let what = format!("the file {}", file.display());
    let users = object(&what, &users_text(&what, file)?)?;
    let is_in_use = |place: &&String| users.pointer(place).is_some();
    let parent = |place: &str| {
        place
            .rsplit_once('/')
            .map_or(String::new(), |(up, _)| up.to_owned())
    };
    let fits = |place: &&String| {
        let above = users.pointer(&parent(place));
        above
            .and_then(Value::as_object)
            .is_some_and(|members| !members.is_empty())
    };
    let mut places = entry.places.iter();
    let place = places
        .clone()
        .find(is_in_use)
        .or_else(|| places.clone().find(fits));
    let place = place.or_else(|| places.next()).map_or("", String::as_str);
    let names = place.rsplit('/').filter(|name| !name.is_empty());
    let ours = filler.value(&entry.json);
    Ok(names.fold(ours, |inner, name| json!({ name: inner })))
}

/// The text of a file of the user's; empty where there is none.
pub(super) fn users_text(what: &str, path: &Path) -> Result<String, AgentError> {
    match regular_text(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| AgentError::UsersOwn {
            what: what.to_owned(),
            why: format!("it cannot be read: {error}"),
        }),
    }
}

pub(super) fn not_written(name: &str, folder: &Path, error: &std::io::Error) -> AgentError {
    AgentError::Unmade {
        what: format!("the file {name}"),
        path: folder.to_owned(),
        why: error.to_string(),
    }
}

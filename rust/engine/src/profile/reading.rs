//! Where profiles come from: those that are built in, a user's files, what other programs know; the later win by name.
//!
//! Knows of a profile only that it has a name.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{McpDelivery, Profile, import};
use crate::confine::regular_text;
use crate::error::EngineError;
use crate::given;

/// Files of the folder `agents`, by name and text; `build.rs` lists them.
const BUILT_IN: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/agents.rs"));

/// All known profiles by name.
#[derive(Clone, Debug)]
pub struct Profiles(BTreeMap<String, Profile>, Vec<String>);

impl Profiles {
    /// Loads the built-in profiles and then the user's files, which win by name.
    ///
    /// # Errors
    /// A file that cannot be read or is no profile.
    pub fn load(files: &[impl AsRef<Path>]) -> Result<Self, EngineError> {
        let mut all = BTreeMap::new();
        for (file, text) in BUILT_IN {
            let broken = |why: String| EngineError::Profile {
                file: format!("built in, {file}"),
                why,
            };
            let table = table_of(text).map_err(broken)?;
            let profile: Profile =
                serde_json::from_value(table).map_err(|e| broken(e.to_string()))?;
            all.insert(profile.name.clone(), profile);
        }
        for file in files {
            for profile in read_file(file.as_ref())? {
                all.insert(profile.name.clone(), profile);
            }
        }
        Ok(Self(all, Vec::new()))
    }

    /// Adds the agents of another program's file. Names that are known keep their profiles.
    #[must_use]
    pub fn with_import(mut self, file: &Path, home: Option<&Path>) -> Self {
        let imported = import::read(file, home);
        for profile in imported.profiles {
            self.0.entry(profile.name.clone()).or_insert(profile);
        }
        self.1.extend(imported.problems);
        self
    }

    /// What of the imported files cannot be used, a text each.
    pub fn problems(&self) -> &[String] {
        &self.1
    }

    /// The profile of that name. An unknown name with a command of its own gets a generic one, which knows
    /// no more of the agent than the protocol says.
    ///
    /// # Errors
    /// An unknown name without a command.
    pub fn get(&self, name: &str, has_command: bool) -> Result<Profile, EngineError> {
        match self.0.get(name) {
            Some(profile) => Ok(profile.clone()),
            None if has_command => Ok(Profile {
                name: name.to_owned(),
                title: name.to_owned(),
                advertise_fs: true,
                mcp: McpDelivery::plain(),
                ..Profile::default()
            }),
            None => Err(EngineError::UnknownAgent {
                name: name.to_owned(),
                known: self.0.keys().cloned().collect(),
            }),
        }
    }

    /// All profiles, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Profile> {
        self.0.values()
    }
}

/// A user's file: one profile, or several under `[[agent]]`.
fn read_file(file: &Path) -> Result<Vec<Profile>, EngineError> {
    #[derive(Deserialize)]
    struct Several {
        agent: Vec<Profile>,
    }
    let failed = |why: String| EngineError::Profile {
        file: file.display().to_string(),
        why,
    };
    let text = regular_text(file).map_err(|e| failed(e.to_string()))?;
    let table = table_of(&text).map_err(&failed)?;
    let profiles = if table.get("agent").is_some() {
        serde_json::from_value::<Several>(table).map(|s| s.agent)
    } else {
        serde_json::from_value::<Profile>(table).map(|p| vec![p])
    }
    .map_err(|e| failed(e.to_string()))?;
    for Profile { name, .. } in &profiles {
        if name.is_empty() {
            return Err(failed("a profile has no `name`".to_owned()));
        }
        let shown = given::shown_name(name);
        given::check_name(name)
            .map_err(|why| failed(format!("the agent `{shown}` cannot be used: {why}")))?;
    }
    Ok(profiles)
}

/// A TOML text as JSON's values: profiles are read out of those by code that is there anyway.
fn table_of(text: &str) -> Result<Value, String> {
    let table: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
    Ok(json_of(toml::Value::Table(table)))
}

fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(is) => Value::from(is),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(json_of).collect(),
        toml::Value::Table(members) => members
            .into_iter()
            .map(|(name, value)| (name, json_of(value)))
            .collect(),
    }
}

//! Where profiles come from: those that are built in, a user's files, what other programs know; the later win by name.
//!
//! Knows of a profile only that it has a name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::{McpDelivery, Profile, import};
use crate::error::AgentError;
use siderail_guard::shell::{ProtectedPlace, ProtectedPlaces};
use siderail_state::toml_text;
use siderail_state::values;
use siderail_workspace::confine::regular_text;

/// What is built in, from the files in `profiles` and `other_agents.toml`.
struct BuiltIn {
    /// The agents' names, and their profiles in TOML.
    profiles: &'static [(&'static str, &'static str)],
    /// What they and agents without a profile say for all sessions.
    config_places: &'static [&'static str],
    tool_name_in_meta: &'static [&'static str],
}

/// `build.rs` writes it.
const BUILT_IN: BuiltIn = include!(concat!(env!("OUT_DIR"), "/agents.rs"));

/// The list of profiles in a file of several.
const AGENT: &str = "agent";
/// What a TOML text is quoted in.
const QUOTES: [char; 2] = ['"', '\''];

/// All known profiles by name.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    usable: BTreeMap<String, Usable>,
    /// Why those of these names cannot be used.
    unusable: BTreeMap<String, String>,
    /// What configures any agent that was read, also where a later profile has taken its name.
    config_places: BTreeSet<ProtectedPlace>,
    /// Where any of them names the tool of a call.
    tool_name_in_meta: BTreeSet<String>,
    problems: Vec<String>,
    import_problems: Vec<String>,
}

/// A profile that can be used.
#[derive(Clone, Debug)]
enum Usable {
    /// The text of one that is built in. It is read when it is needed: to read all took a third of an engine's start.
    BuiltIn(&'static str),
    Loaded(Box<Profile>),
}

impl Usable {
    fn profile(&self) -> Result<Cow<'_, Profile>, toml::de::Error> {
        match self {
            Self::BuiltIn(text) => toml::from_str(text).map(Cow::Owned),
            Self::Loaded(profile) => Ok(Cow::Borrowed(profile)),
        }
    }
}

impl Profiles {
    /// Loads the user's files over the built-in profiles; they win by name. What is broken in a profile costs no
    /// other; where a file is not valid TOML, none of its profiles can be used.
    pub fn load(files: &[impl AsRef<Path>]) -> Self {
        let mut all = Self::default();
        for place in BUILT_IN.config_places {
            match ProtectedPlace::parse(place) {
                Ok(place) => {
                    all.config_places.insert(place);
                }
                Err(why) => all.problems.push(format!("the place `{place}` {why}")),
            }
        }
        let places = BUILT_IN.tool_name_in_meta.iter();
        all.tool_name_in_meta = places.map(|place| (*place).to_owned()).collect();
        let profiles = BUILT_IN.profiles.iter();
        all.usable = profiles
            .map(|(name, text)| ((*name).to_owned(), Usable::BuiltIn(text)))
            .collect();
        for file in files {
            let path = file.as_ref().display().to_string();
            match regular_text(file.as_ref()) {
                Ok(text) => all.add(&path, &text),
                Err(error) => all.problems.push(left_out(&path, None, &error.to_string())),
            }
        }
        all
    }

    /// Adds a file: one profile, or several under `[[agent]]`.
    fn add(&mut self, file: &str, text: &str) {
        let place = |at| {
            let (line, column) = toml_text::place(text, at);
            format!("{file}:{line}:{column}")
        };
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let why = format!("this is not valid TOML: {}", error.message());
                return self.leave_all_out(&place(at), text, &why);
            }
        };
        let profiles = match table
            .get_ref()
            .get(AGENT)
            .map(|agents| agents.get_ref().clone())
        {
            Some(DeValue::Array(agents)) => agents.into_iter().collect(),
            Some(_) => {
                let why = "`agent` is not a list of profiles, each under `[[agent]]`";
                return self.leave_all_out(&place(0), text, why);
            }
            None => vec![Spanned::new(
                table.span(),
                DeValue::Table(table.into_inner()),
            )],
        };
        for value in profiles {
            let start = value.span().start;
            let name = match value
                .get_ref()
                .get("name")
                .map(|name| (name.span(), name.get_ref()))
            {
                Some((span, DeValue::String(name))) => {
                    Some((span.start, name.clone().into_owned()))
                }
                _ => None,
            };
            let (at, name) = match name {
                Some((at, name)) => (at, Some(name)),
                None => (start, None),
            };
            match Profile::deserialize(ValueDeserializer::from(value)) {
                Err(error) => {
                    let at = error.span().map_or(start, |span| span.start);
                    self.leave_out(&place(at), name, error.message());
                }
                Ok(profile) if profile.name.is_empty() => {
                    self.leave_out(&place(at), None, "a profile has no `name`");
                }
                Ok(profile) => match values::check_name(&profile.name) {
                    Ok(()) => {
                        self.gather(&profile);
                        self.unusable.remove(&profile.name);
                        let name = profile.name.clone();
                        self.usable.insert(name, Usable::Loaded(Box::new(profile)));
                    }
                    Err(why) => self.leave_out(&place(at), None, &why),
                },
            }
        }
    }

    /// Keeps what is to be known of an agent whichever one runs.
    fn gather(&mut self, profile: &Profile) {
        let Profile {
            config_places,
            guard,
            ..
        } = profile;
        self.config_places.extend(config_places.iter().cloned());
        let places = guard.tool_name_in_meta.iter().cloned();
        self.tool_name_in_meta.extend(places);
    }

    /// Leaves out every profile of a file whose profiles cannot be distinguished.
    fn leave_all_out(&mut self, place: &str, text: &str, why: &str) {
        let names = names_in(text);
        if names.is_empty() {
            self.leave_out(place, None, why);
        }
        for name in names {
            self.leave_out(place, Some(name), why);
        }
    }

    /// Who has this name is not to be started as somebody else, such as the built-in agent of that name.
    fn leave_out(&mut self, place: &str, name: Option<String>, why: &str) {
        let name = name.filter(|name| values::check_name(name).is_ok());
        self.problems.push(left_out(place, name.as_deref(), why));
        if let Some(name) = name {
            self.usable.remove(&name);
            self.unusable.insert(name, format!("{place}: {why}"));
        }
    }

    /// Adds the agents of another program's file. Names that are known keep their profiles.
    #[must_use]
    pub fn with_import(mut self, file: &Path, home: Option<&Path>) -> Self {
        let imported = import::read(file, home);
        for profile in imported.profiles {
            if !self.unusable.contains_key(&profile.name) {
                let known = self.usable.entry(profile.name.clone());
                known.or_insert_with(|| Usable::Loaded(Box::new(profile)));
            }
        }
        self.import_problems.extend(imported.problems);
        self
    }

    /// What is protected in every session. A user's profiles add to it and take nothing away.
    pub fn protected_places(&self) -> ProtectedPlaces {
        ProtectedPlaces::with(self.config_places.iter().cloned())
    }

    /// What of the user's own files cannot be used, a text each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// What of the imported files cannot be used, a text each.
    pub fn import_problems(&self) -> &[String] {
        &self.import_problems
    }

    /// Names of the profiles that cannot be used, and why.
    pub fn unusable(&self) -> &BTreeMap<String, String> {
        &self.unusable
    }

    /// The profile of that name. An unknown name with a command of its own gets a generic one, which knows
    /// no more of the agent than the protocol says.
    ///
    /// # Errors
    /// An unknown name without a command, or a profile that cannot be used.
    pub fn get(&self, name: &str, has_command: bool) -> Result<Profile, AgentError> {
        let broken = |why: String| AgentError::Profile {
            name: name.to_owned(),
            why,
        };
        if let Some(why) = self.unusable.get(name) {
            return Err(broken(why.clone()));
        }
        let mut profile = match self.usable.get(name) {
            Some(usable) => {
                let profile = usable.profile();
                profile
                    .map_err(|error| broken(error.to_string()))?
                    .into_owned()
            }
            None if has_command => Profile {
                name: name.to_owned(),
                title: name.to_owned(),
                advertise_fs: true,
                mcp: McpDelivery::plain(),
                ..Profile::default()
            },
            None => {
                return Err(AgentError::Unknown {
                    name: name.to_owned(),
                    known: self.usable.keys().cloned().collect(),
                });
            }
        };
        profile.guard.tool_name_in_meta = self.tool_name_in_meta.iter().cloned().collect();
        Ok(profile)
    }

    /// All usable profiles, by name.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, Profile>> {
        let usable = self.usable.values();
        // A built-in profile that cannot be read fails the tests.
        usable.filter_map(|usable| usable.profile().ok())
    }
}

/// The names of the profiles in a text that is not valid TOML. Its lines are read one by one, and without their quotes:
/// what is not closed would take the names below it along, and it may be a name itself that is broken.
fn names_in(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // A file of one profile has no header above its name; a table of a profile may have a `name` of its own.
    let mut is_profile = true;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.starts_with('[') {
            let header = unwrapped(line, &['[', ']']);
            // Else it is a row of an array, such as `["a"],`.
            if header == AGENT || line.ends_with(']') {
                is_profile = header == AGENT;
            }
            continue;
        }
        // A profile may be a table of one line, in an array.
        let entries = match line.strip_prefix('{') {
            Some(table) => table.split([',', '}']).collect(),
            None => vec![line],
        };
        let entries = entries.iter().filter_map(|entry| entry.split_once('='));
        for (_, value) in entries.filter(|(key, _)| is_profile && unwrapped(key, &QUOTES) == "name")
        {
            names.insert(unwrapped(value, &QUOTES).to_owned());
        }
    }
    names
}

/// A text without what it is wrapped in, or only begins or ends with.
fn unwrapped<'a>(text: &'a str, in_these: &[char]) -> &'a str {
    text.trim_matches(|c: char| c.is_whitespace() || in_these.contains(&c))
}

fn left_out(place: &str, name: Option<&str>, why: &str) -> String {
    match name {
        Some(name) => format!("{place}: the agent `{name}` cannot be used: {why}"),
        None => format!("{place}: an agent cannot be used: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The build gathers what the built-in profiles say for all sessions. This reads their files as it reads a user's.
    #[test]
    fn what_the_built_in_profiles_say_for_all_sessions_is_what_their_files_say() {
        let of_all = Profiles::load(&[] as &[&Path]);
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut expected = Profiles::default();
        let others = std::fs::read_to_string(own.join("other_agents.toml")).expect("the text");
        expected.gather(&toml::from_str(&others).expect("the members of a profile"));
        for file in std::fs::read_dir(own.join("profiles")).expect("the profiles") {
            let file = file.expect("a profile").path();
            let text = std::fs::read_to_string(&file).expect("the text");
            expected.add(&file.display().to_string(), &text);
        }
        assert_eq!(expected.problems(), [] as [&str; 0]);
        assert_eq!(of_all.config_places, expected.config_places);
        assert_eq!(of_all.tool_name_in_meta, expected.tool_name_in_meta);
    }
}

//! Finds the settings files, and reports what is wrong with them.
//!
//! The engine knows what the values mean and which one wins. A mistake ends no command: it is reported, with the value
//! in force instead.

use std::collections::BTreeMap;
use std::path::Path;

use siderail_engine::memory::Memory;
use siderail_engine::settings::{self, File, Key, Layer, Resolved, Settings, Sources};

use crate::style::one_line;
use crate::terminal::print_error;

/// The user's file in the settings folder.
pub(crate) const USER: &str = "config.toml";
/// The project's file in its folder.
const PROJECT: &str = ".siderail.toml";
/// Variables that are read and are not settings.
const OWN_VARIABLES: [&str; 3] = ["SIDERAIL_LOG", "SIDERAIL_SOCKET", "SIDERAIL_TOKEN"];
/// Characters of a message that a file's own words can make long.
const LINE: usize = 400;

/// Reads what there is and finds out what is in force.
pub(crate) fn resolve(
    settings_folder: Option<&Path>,
    project: Option<&Path>,
    env: BTreeMap<String, String>,
    flags: Layer,
) -> Resolved {
    let sources = Sources {
        user: settings_folder.and_then(|folder| File::read(&folder.join(USER))),
        project: project.and_then(|folder| File::read(&folder.join(PROJECT))),
        env,
        flags,
        ..Sources::default()
    };
    settings::resolve(&sources)
}

/// Says on standard error what is wrong in settings, and what a project's file does not get.
pub(crate) fn announce(resolved: &Resolved) {
    for problem in resolved.problems() {
        print_error(&format!(
            "error: {}\nhint: expected {}\n",
            one_line(&problem.what, LINE),
            problem.allowed
        ));
    }
    for not_followed in &resolved.not_followed {
        print_error(&format!("note: {}\n", one_line(not_followed, LINE)));
    }
}

/// Reports on standard error which variables look like settings and are not.
pub(crate) fn announce_unknown(env: &BTreeMap<String, String>) {
    let known: Vec<&str> = Key::ALL.iter().map(|key| key.variable()).collect();
    let unknown = env.keys().filter(|name| {
        let name = name.as_str();
        name.starts_with("SIDERAIL_") && !known.contains(&name) && !OWN_VARIABLES.contains(&name)
    });
    let unknown: Vec<&str> = unknown.map(String::as_str).collect();
    if !unknown.is_empty() {
        print_error(&format!(
            "note: there is no setting named {}, so it has no effect; settings are {}\n",
            one_line(&unknown.join(", "), LINE),
            known.join(", ")
        ));
    }
}

/// Reports on standard error which agents the settings name although they do not exist.
pub(crate) fn announce_names(settings: &Settings, agents: &[String], agent: &str) {
    let is_agent = |name: &str| name == agent || agents.iter().any(|known| known == name);
    for (key, name) in settings.named_agents() {
        if !is_agent(&name) {
            announce_name(key, &name, &agents.join(", "));
        }
    }
}

fn announce_name(key: Key, name: &str, known: &str) {
    print_error(&format!(
        "note: {} names the unknown agent `{}`; known agents are {}\n",
        key.name(),
        one_line(name, LINE),
        one_line(known, LINE)
    ));
}

/// Says on standard error that what was always allowed in the project had to be set aside.
pub(crate) fn announce_memory(state_folder: &Path, project: &Path) {
    if let Some(message) = Memory::of_project(state_folder, project).check() {
        print_error(&format!("error: {}\n", one_line(&message, LINE)));
    }
}

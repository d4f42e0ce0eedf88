//! `siderail config`: the user's own settings file, read and changed a setting at a time.
//!
//! `settings_edit` changes the file.

use std::path::PathBuf;
use std::process::Command;

use siderail_engine::ProfileInfo;
use siderail_engine::settings::{Key, Layer, Settings};

use siderail_os::System;

use crate::args::{ConfigCommand, ConfigGetArgs, ConfigSetArgs};
use crate::command_line;
use crate::exit::{Exit, Failure};
use crate::run::options::project;
use crate::settings_edit::{self, SettingsFile};
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::similar_names::did_you_mean;
use crate::starting::{self, profile_named};
use crate::terminal::{print, print_error};

/// Runs the command.
pub(crate) fn run(command: &ConfigCommand, setup: &Setup) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Path => print(&format!("{}\n", file(setup)?.display())),
        ConfigCommand::Edit => edit(setup),
        ConfigCommand::Get(args) => get(args, setup),
        ConfigCommand::Set(args) => set(args, setup),
    }
}

fn get(args: &ConfigGetArgs, setup: &Setup) -> Result<Exit, Failure> {
    let key = key_named(&args.key)?;
    let project = project(args.project.as_deref(), &setup.cwd)?;
    let resolved = setup.settings(Some(&project), Layer::default());
    announce(&resolved);
    print(&format!("{}\n", resolved.settings.shown(key)))
}

fn set(args: &ConfigSetArgs, setup: &Setup) -> Result<Exit, Failure> {
    let key = key_named(&args.key)?;
    let mut settings = SettingsFile::open(&file(setup)?, setup)?;
    settings.set(key, &args.value)?;
    let named = agents_of(key, &settings.resolved().settings);
    if !named.is_empty() {
        let known: Vec<String> = profiles(setup)?.into_iter().map(|p| p.name).collect();
        named
            .iter()
            .try_for_each(|agent| profile_named(agent, &known))?;
    }
    settings.write()?;
    // What else the file has wrong is not in force, whatever was set now.
    announce(&settings.resolved());
    note_variable(key, setup);
    Ok(Exit::Ended)
}

/// The agents that a setting names.
fn agents_of(key: Key, settings: &Settings) -> Vec<String> {
    if key == Key::Agent {
        return settings.agent.clone().into_iter().collect();
    }
    let named = settings.named_agents().into_iter();
    let named = named.filter(|(by, _)| *by == key);
    named.map(|(_, agent)| agent).collect()
}

/// Says that what the file sets has no effect as long as a variable sets it, too.
pub(crate) fn note_variable(key: Key, setup: &Setup) {
    if setup.var(key.variable()).is_some() {
        print_error(&format!(
            "note: the environment variable {} is set and overrides the file\n",
            key.variable()
        ));
    }
}

fn edit(setup: &Setup) -> Result<Exit, Failure> {
    let file = file(setup)?;
    if !file.exists() {
        SettingsFile::open(&file, setup)?.write()?;
    }
    let program = setup.editor();
    let failed = |why: String| {
        Failure::new(Exit::Failed, format!("the editor `{program}` {why}"))
            .hint("set EDITOR to one that works")
    };
    let words = command_line::split(program, System::HERE)
        .map_err(|error| failed(format!("cannot be split into words: {error}")))?;
    let status = Command::new(&words[0])
        .args(&words[1..])
        .arg(&file)
        .status()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    if !status.success() {
        return Err(failed(format!("failed ({status})")));
    }
    let resolved = settings_edit::read(&file, &settings_edit::text_of(&file)?);
    announce(&resolved);
    Ok(match resolved.problems().is_empty() {
        true => Exit::Ended,
        false => Exit::Usage,
    })
}

/// The known agents.
pub(crate) fn profiles(setup: &Setup) -> Result<Vec<ProfileInfo>, Failure> {
    let files = setup.agents_files(&[])?;
    let config = setup.engine(&setup.cwd, files, &Settings::default())?;
    Ok(starting::profiles(&config).profiles)
}

/// The settings file, whether or not there is one.
pub(crate) fn file(setup: &Setup) -> Result<PathBuf, Failure> {
    setup.settings_file().ok_or_else(|| {
        let hint = "set HOME, or XDG_CONFIG_HOME";
        Failure::usage("there is no folder for the settings file", hint)
    })
}

fn key_named(typed: &str) -> Result<Key, Failure> {
    let names = || Key::ALL.iter().map(|key| key.name());
    let found = Key::ALL.iter().copied().find(|key| key.name() == typed);
    found.ok_or_else(|| {
        let known: Vec<&str> = names().collect();
        let hint = format!(
            "{}settings are {}",
            did_you_mean(typed, names()),
            known.join(", ")
        );
        Failure::usage(format!("there is no setting named `{typed}`"), hint)
    })
}

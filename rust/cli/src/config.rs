//! `siderail config` and `siderail init`: the user's own settings file, read and changed a setting at a time.
//!
//! What a value means is the engine's; a change that it does not accept changes nothing.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use siderail_engine::ProfileInfo;
use siderail_engine::settings::{self, File, Key, Layer, Origin, Resolved, Sources};

use siderail_os::System;

use crate::args::{ConfigCommand, ConfigGetArgs, ConfigSetArgs};
use crate::command_line;
use crate::exit::{Exit, Failure};
use crate::menu;
use crate::run::options::project;
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::similar_names::did_you_mean;
use crate::starting::{self, profile_named};
use crate::terminal::{print, print_error, print_error_rows};

/// Runs the command.
pub(crate) fn run(command: &ConfigCommand, setup: &Setup) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Path => print(&format!("{}\n", file(setup)?.display())),
        ConfigCommand::Edit => edit(setup),
        ConfigCommand::Get(args) => get(args, setup),
        ConfigCommand::Set(args) => set(args, setup),
    }
}

/// Asks for what most people set, and writes it.
pub(crate) fn init(setup: &Setup) -> Result<Exit, Failure> {
    let file = file(setup)?;
    if !setup.manners.asks {
        return Err(Failure::usage(
            "`siderail init` asks questions and needs a terminal",
            "use `siderail config set KEY VALUE`",
        ));
    }
    let cancelled = || Failure::new(Exit::Cancelled, "nothing was changed");
    let profiles = profiles(setup)?;
    let found: Vec<&ProfileInfo> = profiles.iter().filter(|p| p.found.is_some()).collect();
    let mut changes: Vec<(Key, String)> = Vec::new();
    if found.is_empty() {
        print_error("No agent is installed yet; `siderail agents` shows how to get one.\n");
    } else {
        let rows: Vec<String> = found
            .iter()
            .map(|agent| format!("{:<12} {}", agent.name, agent.title))
            .collect();
        let names: Vec<&str> = found.iter().map(|agent| agent.name.as_str()).collect();
        let chosen = menu::choose("Which agent do you want to use?", &rows, &names, Some(0));
        changes.push((Key::Agent, names[chosen.ok_or_else(cancelled)?].to_owned()));
    }
    let policies = ["redirect", "ask", "observe", "yolo"];
    let rows = [
        "redirect     use the project's tools instead of the agent's own; ask about the rest",
        "ask          ask about everything that is not plainly harmless",
        "observe      like ask, but hide no tools and give no instructions",
        "yolo         like redirect, but allow the rest unless it is dangerous or writes outside the project",
    ];
    let chosen = menu::choose(
        "What may agents do on their own?",
        &rows.map(str::to_owned),
        &policies,
        Some(0),
    );
    let policy = policies[chosen.ok_or_else(cancelled)?];
    changes.push((Key::Policy, policy.to_owned()));
    let rows = ["yes          on this computer, readable by you alone", "no"];
    let chosen = menu::choose(
        "Save conversations, so that you can resume them?",
        &rows.map(str::to_owned),
        &["yes", "no"],
        Some(0),
    );
    let saves = chosen.ok_or_else(cancelled)? == 0;
    changes.push((Key::History, saves.to_string()));
    let mut text = text_of(&file)?;
    for (key, value) in changes {
        text = changed(&file, &text, key, &value)?;
    }
    write(&file, &text)?;
    print_error_rows(&format!(
        "\nWritten to {}. `siderail` starts a chat; `siderail config edit` changes this.\n",
        file.display()
    ));
    Ok(Exit::Ended)
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
    if key == Key::Agent {
        let known: Vec<String> = profiles(setup)?.into_iter().map(|p| p.name).collect();
        profile_named(&args.value, &known)?;
    }
    let file = file(setup)?;
    let text = changed(&file, &text_of(&file)?, key, &args.value)?;
    write(&file, &text)?;
    if setup.var(key.variable()).is_some() {
        print_error(&format!(
            "note: the environment variable {} is set and overrides the file\n",
            key.variable()
        ));
    }
    Ok(Exit::Ended)
}

fn edit(setup: &Setup) -> Result<Exit, Failure> {
    let file = file(setup)?;
    if !file.exists() {
        write(&file, "")?;
    }
    let named = setup.var("VISUAL").or_else(|| setup.var("EDITOR"));
    let named = named.filter(|editor| !editor.trim().is_empty());
    let program = named.unwrap_or("vi");
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
    let resolved = read(&file, &text_of(&file)?);
    announce(&resolved);
    Ok(match resolved.problems().is_empty() {
        true => Exit::Ended,
        false => Exit::Usage,
    })
}

fn profiles(setup: &Setup) -> Result<Vec<ProfileInfo>, Failure> {
    let files = setup.agents_files(&[])?;
    let config = setup.engine(&setup.cwd, files, &settings::Settings::default())?;
    Ok(starting::profiles(&config).profiles)
}

fn file(setup: &Setup) -> Result<PathBuf, Failure> {
    setup.settings_file().ok_or_else(|| {
        let hint = "set HOME, or XDG_CONFIG_HOME";
        Failure::usage("there is no folder for the settings file", hint)
    })
}

/// The file's text; empty where there is none.
fn text_of(file: &Path) -> Result<String, Failure> {
    match File::read(file).map(|file| file.text) {
        None => Ok(String::new()),
        Some(Ok(text)) => Ok(text),
        Some(Err(error)) => {
            let what = format!("{} cannot be read: {error}", file.display());
            Err(Failure::new(Exit::Failed, what))
        }
    }
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

/// What the engine makes of a file's text alone.
fn read(file: &Path, text: &str) -> Resolved {
    settings::resolve(&Sources {
        user: Some(File {
            path: file.display().to_string(),
            text: Ok(text.to_owned()),
        }),
        env: BTreeMap::new(),
        ..Sources::default()
    })
}

/// The text with a setting changed: the first way to write the value that the engine accepts.
fn changed(file: &Path, text: &str, key: Key, value: &str) -> Result<String, Failure> {
    let before = read(file, text).mistakes.len();
    let mut refused = None;
    for literal in literals(value) {
        let assignment = format!("{} = {literal}", key.name());
        let alone = read(file, &assignment);
        if let Some(problem) = alone.problems().pop() {
            refused = Some(problem);
            continue;
        }
        for candidate in placed(text, key, &assignment) {
            let resolved = read(file, &candidate);
            let is_set = matches!(resolved.origin(key), Origin::User { .. });
            if is_set && resolved.mistakes.len() <= before {
                return Ok(candidate);
            }
        }
    }
    let hint = match refused {
        Some(problem) => format!("valid values: {}", problem.allowed),
        None => "correct the file first: `siderail config edit`".to_owned(),
    };
    let what = format!(
        "{} cannot be set to `{value}`; nothing was changed",
        key.name()
    );
    Err(Failure::usage(what, hint))
}

/// What a typed value may be in TOML.
fn literals(value: &str) -> Vec<String> {
    let quoted = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    };
    let mut all = match value {
        "on" => vec!["true".to_owned()],
        "off" => vec!["false".to_owned()],
        _ => Vec::new(),
    };
    if !value.contains('\n') && !value.trim().is_empty() {
        all.push(value.trim().to_owned());
    }
    all.push(quoted(value));
    let names = value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(quoted).collect();
    all.push(format!("[{}]", names.join(", ")));
    all
}

/// The texts with the assignment in place of the key's, whose value may take several lines; or ahead of the tables.
fn placed(text: &str, key: Key, assignment: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let tables = lines
        .iter()
        .position(|line| line.trim_start().starts_with('['));
    let top = &lines[..tables.unwrap_or(lines.len())];
    let is_assigned = |line: &&str| {
        let rest = line.trim_start().strip_prefix(key.name());
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let joined = |first: &[&str], line: &str, last: &[&str]| -> String {
        let lines = first.iter().chain([&line]).chain(last);
        lines.map(|line| format!("{line}\n")).collect()
    };
    match top.iter().position(is_assigned) {
        Some(at) => {
            let with_comment = match lines[at].rsplit_once(" #") {
                Some((ahead, comment)) if ahead.matches('"').count() % 2 == 0 => {
                    format!("{assignment}  #{comment}")
                }
                _ => assignment.to_owned(),
            };
            let after = |n: usize| joined(&lines[..at], &with_comment, &lines[n..]);
            (at + 1..=lines.len()).map(after).collect()
        }
        None => vec![
            joined(top, assignment, &lines[top.len()..]),
            joined(&[], assignment, &lines),
        ],
    }
}

/// Writes the file whole or not at all; one that is a link stays one.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let what = format!("{} cannot be written: {error}", file.display());
        Failure::new(Exit::Failed, what)
    };
    let target = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    new.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

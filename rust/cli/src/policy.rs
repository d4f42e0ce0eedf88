//! `siderail policy`: shows which settings are in force, and what a person has allowed for good.
//!
//! It shows and revokes; nothing can be allowed here.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use siderail_engine::memory::{Entry, Memory};
use siderail_engine::settings::{Key, Layer, Resolved};

use crate::args::{PolicyCommand, PolicyListArgs, PolicyRevokeArgs, PolicyShowArgs};
use crate::exit::{Exit, Failure};
use crate::run::options::project;
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::style::{Style, Tone, one_line};
use crate::terminal::print_error;
use crate::terminal::{print, print_rows};

/// Blanks ahead of a continued row.
const HANG: usize = 4;
/// Characters of a text in a list.
const LINE: usize = 300;
const DAY: u64 = 24 * 60 * 60;

/// Runs the command.
pub(crate) fn run(command: &PolicyCommand, setup: &Setup) -> Result<Exit, Failure> {
    match command {
        PolicyCommand::Show(args) => show(args, setup),
        PolicyCommand::List(args) => list(args, setup),
        PolicyCommand::Revoke(args) => revoke(args, setup),
    }
}

fn show(args: &PolicyShowArgs, setup: &Setup) -> Result<Exit, Failure> {
    let project = project(args.project.as_deref(), &setup.cwd)?;
    let resolved = setup.settings(Some(&project), Layer::default());
    if args.json {
        print(&format!("{}\n", as_json(&resolved)))?;
    } else {
        announce(&resolved);
        print_rows(&table(&resolved, setup.manners.out), HANG)?;
        print_rows(&format!("\n{}", setup.places()), HANG)?;
    }
    // What is shown is in force all the same.
    Ok(match resolved.problems().is_empty() {
        true => Exit::Ended,
        false => Exit::Usage,
    })
}

fn as_json(resolved: &Resolved) -> Value {
    let row = |key: Key| {
        let value = resolved.settings.json(key);
        let origin = resolved.origin(key).to_string();
        (
            key.name().to_owned(),
            json!({"value": value, "origin": origin}),
        )
    };
    let settings: Map<String, Value> = Key::ALL.iter().copied().map(row).collect();
    let broken = resolved.project_mistakes.first();
    let problems = resolved.problems().into_iter().map(|problem| problem.what);
    json!({
        "settings": settings,
        "problems": problems.collect::<Vec<_>>(),
        "project_broken": broken.map(ToString::to_string),
        "not_followed": resolved.not_followed,
    })
}

fn table(resolved: &Resolved, style: Style) -> String {
    let value = |key| one_line(&resolved.settings.shown(key), LINE);
    let widest = |text: &dyn Fn(Key) -> usize| Key::ALL.iter().copied().map(text).max();
    let names = widest(&|key| key.name().len()).unwrap_or_default();
    let values = widest(&|key| value(key).chars().count()).unwrap_or_default();
    let mut text = String::new();
    for key in Key::ALL.iter().copied() {
        let name = style.paint(Tone::Strong, &format!("{:<names$}", key.name()));
        let origin = one_line(&resolved.origin(key).to_string(), LINE);
        let origin = style.paint(Tone::Dim, &origin);
        text += &format!("{name}  {:<values$}  {origin}\n", value(key));
    }
    text
}

/// The memories that a command is about.
fn memories(
    folder: Option<&Path>,
    everywhere: bool,
    setup: &Setup,
) -> Result<Vec<Memory>, Failure> {
    let state = setup.state_folder()?;
    let (found, messages) = if everywhere {
        Memory::all(&state)
    } else {
        let memory = Memory::of_project(&state, &project(folder, &setup.cwd)?);
        let damaged = memory.check();
        (vec![memory], damaged.into_iter().collect())
    };
    for message in messages {
        print_error(&format!("error: {}\n", one_line(&message, LINE)));
    }
    Ok(found)
}

fn list(args: &PolicyListArgs, setup: &Setup) -> Result<Exit, Failure> {
    let style = setup.manners.out;
    let mut text = String::new();
    for memory in memories(args.project.as_deref(), args.everywhere, setup)? {
        let entries = memory.entries();
        if args.everywhere && !args.json && !entries.is_empty() {
            let project = one_line(memory.project(), LINE);
            text += &format!("{}\n", style.paint(Tone::Strong, &project));
        }
        for (n, entry) in (1..).zip(&entries) {
            text += &match args.json {
                true => line_of_json(n, entry, memory.project()),
                false => line(n, entry, style),
            };
        }
    }
    if text.is_empty() && !args.json {
        text.push_str("nothing is always allowed\n");
    }
    if args.json {
        return print(&text);
    }
    print_rows(&text, HANG)
}

fn line_of_json(number: usize, entry: &Entry, project: &str) -> String {
    let mut value = serde_json::to_value(entry).unwrap_or_default();
    value["number"] = number.into();
    value["key"] = entry.allowed.key().into();
    value["project"] = project.into();
    format!("{value}\n")
}

fn line(number: usize, entry: &Entry, style: Style) -> String {
    let key = style.paint(Tone::Place, &entry.allowed.key());
    let what = one_line(&entry.allowed.describe(), LINE);
    let age = style.paint(Tone::Dim, &age(entry.since));
    format!("{number:>3}  {key}  {what}  {age}\n")
}

fn age(since: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    match now.saturating_sub(since) / DAY {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

fn revoke(args: &PolicyRevokeArgs, setup: &Setup) -> Result<Exit, Failure> {
    let which = Which::parse(&args.which);
    if args.everywhere && matches!(which, Which::Number(_)) {
        return Err(Failure::usage(
            format!("the number {} belongs to one project's list", args.which),
            "give the key instead, or name the project with --project",
        ));
    }
    let mut text = String::new();
    for memory in memories(args.project.as_deref(), args.everywhere, setup)? {
        let entries = memory.entries();
        let revoked = memory
            .revoke(|entry| which.names(entry, &entries))
            .map_err(|error| {
                let what = format!("it cannot be revoked: {error}; it is still in force");
                Failure::new(Exit::Failed, what).hint("check the permissions of the state folder")
            })?;
        for entry in revoked {
            let what = one_line(&entry.allowed.describe(), LINE);
            text += &format!("revoked: {what}\n");
        }
    }
    match (which, text.is_empty()) {
        (_, false) => print(&text),
        (Which::All, true) => print("nothing is always allowed\n"),
        (_, true) => Err(Failure::usage(
            format!("nothing is always allowed under `{}`", args.which),
            "see `siderail policy list` for numbers and keys",
        )),
    }
}

/// What to revoke.
enum Which {
    All,
    /// As listed, from 1.
    Number(usize),
    Key(String),
}

impl Which {
    /// Keys are longer than any number that people type.
    fn parse(text: &str) -> Self {
        match text.parse() {
            _ if text == "all" => Self::All,
            Ok(number) if text.len() < 6 => Self::Number(number),
            _ => Self::Key(text.to_owned()),
        }
    }

    fn names(&self, entry: &Entry, listed: &[Entry]) -> bool {
        match self {
            Self::All => true,
            Self::Number(number) => number
                .checked_sub(1)
                .and_then(|at| listed.get(at))
                .is_some_and(|found| found == entry),
            Self::Key(key) => entry.allowed.key() == *key,
        }
    }
}

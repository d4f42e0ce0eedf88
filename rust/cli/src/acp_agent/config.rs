//! `siderail acp config`: how to make an ACP client start Siderail, printed, or written into the client's own file.
//!
//! Each client has its own file format, as its documentation gives it (docs/clients.md).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;
use siderail_engine::settings::Layer;

use siderail_os::System;

use super::client_file::{Entry, Member, holds_nothing};
use crate::args::{AcpConfigArgs, ClientName};
use crate::exit::{Exit, Failure};
use crate::menu::says_yes;
use crate::run::default_agent;
use crate::settings_files::announce;
use crate::setup::{Setup, own_program};
use crate::starting::{self, profile_named};
use crate::terminal::{print, print_error};
use crate::user_file::{hold, not_written, replace};

/// Held while the file of a client is changed.
const LOCK: &str = "acp-config.lock";
/// Behind the name of a client's file, for the file as it was before the first change.
const SAVED: &str = ".before-siderail";
/// The same for the file before an entry in it was replaced.
const REPLACED: &str = ".replaced-by-siderail";

/// How to configure a client.
struct Telling {
    /// What is printed.
    snippet: String,
    /// Where that belongs.
    place: String,
    /// The client's file and the entry in it; none if the client has no such file.
    file: Option<(PathBuf, Entry)>,
}

/// Runs the command.
pub(super) fn run(args: &AcpConfigArgs, setup: &Setup) -> Result<Exit, Failure> {
    let agent = agent(args, setup)?;
    let telling = telling(args.client, &agent, &own_program()?, setup)?;
    if !args.write && !args.remove {
        return show(&telling);
    }
    let Some((file, entry)) = &telling.file else {
        return Err(Failure::usage(
            format!("{} has no file for this", name(args.client)),
            format!("do it by hand: {}", telling.place),
        ));
    };
    let outcome = match args.write {
        true => write(file, entry, args.yes, setup),
        false => remove(file, entry, args.yes, setup),
    };
    if args.write && outcome.is_err() {
        show(&telling)?;
    }
    outcome
}

/// What was asked for, else what the settings or the machine say.
fn agent(args: &AcpConfigArgs, setup: &Setup) -> Result<String, Failure> {
    let resolved = setup.settings(None, Layer::default());
    announce(&resolved);
    let files = setup.agents_files(&[])?;
    let config = setup.engine(&setup.cwd, files, &resolved.settings)?;
    let profiles = starting::profiles(&config).profiles;
    let agent = match &args.agent {
        Some(agent) => agent.clone(),
        None => default_agent::choose(&resolved.settings, &profiles, setup.manners)?,
    };
    let known: Vec<String> = profiles.into_iter().map(|profile| profile.name).collect();
    profile_named(&agent, &known)?;
    Ok(agent)
}

fn name(client: ClientName) -> &'static str {
    match client {
        ClientName::Zed => "Zed",
        ClientName::Jetbrains => "JetBrains' agent chat",
        ClientName::Acpx => "acpx",
        ClientName::Toad => "toad",
        ClientName::Generic => "a client that is not known",
    }
}

fn telling(
    client: ClientName,
    agent: &str,
    program: &str,
    setup: &Setup,
) -> Result<Telling, Failure> {
    let words = ["acp", "--agent", agent].map(str::to_owned).to_vec();
    let line = command_line(program, &words);
    let command = ("command", Member::Text(program.to_owned()));
    let args = ("args", Member::List(words.clone()));
    let title = format!("Siderail ({agent})");
    let entry = match client {
        ClientName::Zed => Entry {
            member: "agent_servers",
            name: title,
            members: vec![
                ("type", Member::Text("custom".to_owned())),
                command,
                args,
                ("env", Member::Empty),
            ],
        },
        ClientName::Jetbrains => Entry {
            member: "agent_servers",
            name: title,
            members: vec![command, args, ("env", Member::Empty)],
        },
        ClientName::Acpx => Entry {
            member: "agents",
            name: format!("siderail-{agent}"),
            members: vec![("command", Member::Text(line))],
        },
        ClientName::Toad => {
            return Ok(Telling {
                snippet: format!("toad acp {}\n", quoted(&line)),
                place: "run this command".to_owned(),
                file: None,
            });
        }
        ClientName::Generic => {
            let value = json!({"command": program, "args": words, "env": {}});
            return Ok(Telling {
                snippet: format!("{value:#}\n"),
                place: "give the client this command with these arguments".to_owned(),
                file: None,
            });
        }
    };
    let file = file(client, setup)?;
    Ok(Telling {
        snippet: entry.alone(),
        place: format!("add this to {}", file.display()),
        file: Some((file, entry)),
    })
}

/// Where the client keeps its agents.
fn file(client: ClientName, setup: &Setup) -> Result<PathBuf, Failure> {
    let home = setup.home().filter(|home| Path::new(home).is_absolute());
    let Some(home) = home.map(Path::new) else {
        return Err(Failure::usage(
            "there is no home folder, where the client keeps its file",
            "set HOME, or use `--client generic`",
        ));
    };
    let named = |variable| {
        let folder = setup.var(variable).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    Ok(match (client, System::HERE) {
        (ClientName::Jetbrains, _) => home.join(".jetbrains/acp.json"),
        (ClientName::Acpx, _) => home.join(".acpx/config.json"),
        // https://zed.dev/docs/configuring-zed
        (_, System::Windows) => named("APPDATA")
            .unwrap_or_else(|| home.join("AppData/Roaming"))
            .join("Zed/settings.json"),
        (_, System::MacOs) => home.join(".config/zed/settings.json"),
        (_, System::Linux) => named("XDG_CONFIG_HOME")
            .unwrap_or_else(|| home.join(".config"))
            .join("zed/settings.json"),
    })
}

/// As shells and clients split it into words again.
fn command_line(program: &str, words: &[String]) -> String {
    let all = std::iter::once(program).chain(words.iter().map(String::as_str));
    let all: Vec<String> = all.map(quoted).collect();
    all.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/\\._-:=+@".contains(c);
    match word.chars().all(is_plain) && (System::HERE.is_windows() || !word.contains('\\')) {
        true => word.to_owned(),
        false if System::HERE.is_windows() => format!("\"{}\"", word.replace('"', "\\\"")),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn show(telling: &Telling) -> Result<Exit, Failure> {
    let mut place = telling.place.clone();
    place[..1].make_ascii_uppercase();
    print_error(&format!("{place}:\n"));
    print(&telling.snippet)
}

fn write(file: &Path, entry: &Entry, yes: bool, setup: &Setup) -> Result<Exit, Failure> {
    let planned = Planned::of(file, entry)?;
    let Some(change) = planned.change else {
        print_error(&format!(
            "`{}` is in {} already\n",
            entry.name,
            file.display()
        ));
        return Ok(Exit::Ended);
    };
    let (name, shown) = (&entry.name, file.display());
    let question = match change {
        Change::Add => format!("Add `{name}` to {shown}?"),
        Change::Replace => format!("Replace the different entry `{name}` in {shown}?"),
    };
    ask(&question, yes, setup)?;
    // Others may change the file while a person thinks.
    let _held = hold(setup, LOCK)?;
    let now = Planned::of(file, entry)?;
    if now.change != Some(change) {
        return Err(not_changed(file, "it was changed in the meantime"));
    }
    let mut saved = Vec::new();
    if let Some(before) = &now.before {
        saved.extend(save(file)?);
        if change == Change::Replace {
            let kept = beside(file, REPLACED);
            replace(&kept, before)?;
            saved.push(kept);
        }
    }
    replace(file, &now.after)?;
    let done = match change {
        Change::Add => format!("Added `{name}` to {shown}."),
        Change::Replace => format!("Replaced `{name}` in {shown}."),
    };
    print_error(&format!(
        "{done} The same command with --remove takes it out again.\n"
    ));
    for saved in saved {
        print_error(&format!("The file as it was: {}\n", saved.display()));
    }
    Ok(Exit::Ended)
}

/// What an entry does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Add,
    /// There is another one of its name.
    Replace,
}

/// A file with an entry to be.
struct Planned {
    before: Option<String>,
    after: String,
    /// None: it is there already.
    change: Option<Change>,
}

impl Planned {
    fn of(file: &Path, entry: &Entry) -> Result<Self, Failure> {
        let before = text_of(file)?;
        let text = before.as_deref().unwrap_or_default();
        let why = |why: String| not_changed(file, &why);
        let after = entry.put_into(text).map_err(why)?;
        let is_there = before.as_deref() == Some(after.as_str());
        let change = match entry.replaces(text).map_err(why)? {
            _ if is_there => None,
            true => Some(Change::Replace),
            false => Some(Change::Add),
        };
        Ok(Self {
            before,
            after,
            change,
        })
    }
}

fn remove(file: &Path, entry: &Entry, yes: bool, setup: &Setup) -> Result<Exit, Failure> {
    let before = text_of(file)?.unwrap_or_default();
    let after = entry
        .take_out_of(&before)
        .map_err(|why| not_changed(file, &why))?;
    let Some(left) = after.first() else {
        print_error(&format!("`{}` is not in {}\n", entry.name, file.display()));
        return Ok(Exit::Ended);
    };
    let question = format!("Remove `{}` from {}?", entry.name, file.display());
    ask(&question, yes, setup)?;
    let _held = hold(setup, LOCK)?;
    if text_of(file)?.unwrap_or_default() != before {
        return Err(not_changed(file, "it was changed in the meantime"));
    }
    let saved = beside(file, SAVED);
    match fs::read_to_string(&saved) {
        // Nothing else has changed since: it is restored as it was, to the byte.
        Ok(original) if after.iter().any(|text| same(&original, text)) => {
            replace(file, &original)?;
            fs::remove_file(&saved).map_err(|error| not_written(&saved, &error))?;
        }
        Err(_) if after.iter().any(|text| holds_nothing(text)) => {
            fs::remove_file(file).map_err(|error| not_written(file, &error))?;
        }
        _ => replace(file, left)?,
    }
    print_error(&format!(
        "Removed `{}` from {}\n",
        entry.name,
        file.display()
    ));
    Ok(Exit::Ended)
}

/// The same but for blanks, which an entry that comes and goes may leave.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().collect::<String>() == other.split_whitespace().collect::<String>()
        || (one.trim().is_empty() && holds_nothing(other))
}

fn ask(question: &str, yes: bool, setup: &Setup) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !setup.manners.asks {
        return Err(Failure::usage(
            "changing the client's file needs your confirmation, and there is no terminal to ask on",
            "give --yes",
        ));
    }
    const NOT_DONE: &str = "nothing was changed";
    match says_yes(question, NOT_DONE)? {
        true => Ok(()),
        false => Err(Failure::new(Exit::Cancelled, NOT_DONE)),
    }
}

/// A file's text; none if there is no file.
fn text_of(file: &Path) -> Result<Option<String>, Failure> {
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if found.is_symlink() => {
            return Err(not_changed(file, "it is a link to another file"));
        }
        Ok(found) if !found.is_file() => return Err(not_changed(file, "it is not a file")),
        _ => {}
    }
    let text = fs::read_to_string(file);
    text.map(Some)
        .map_err(|error| not_changed(file, &error.to_string()))
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Saves the file as it was before the first change; none if that was done before.
fn save(file: &Path) -> Result<Option<PathBuf>, Failure> {
    let saved = beside(file, SAVED);
    if saved.symlink_metadata().is_ok() {
        return Ok(None);
    }
    fs::copy(file, &saved).map_err(|error| not_written(&saved, &error))?;
    Ok(Some(saved))
}

fn not_changed(file: &Path, why: &str) -> Failure {
    let what = format!("{} was left as it is: {why}", file.display());
    Failure::new(Exit::Failed, what).hint("change it by hand")
}

//! Changes the user's settings file, a setting at a time: in place, with everything else as it was.
//!
//! The engine knows what a value means; a change that it rejects changes nothing. Two processes that change the file at
//! the same time do so one after the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use siderail_engine::guard::Tool;
use siderail_engine::settings::{self, File, Key, Origin, Resolved, Settings, Sources};

use crate::exit::{Exit, Failure};
use crate::setup::Setup;
use crate::similar_names::did_you_mean;
use crate::user_file;

/// What is said to do about a file that is broken.
pub(crate) const CORRECT: &str = "correct the file first: `siderail config edit`";
/// The settings file while no other process changes it, as long as this lives.
pub(crate) struct SettingsFile {
    /// As it is called.
    path: PathBuf,
    /// Where it is: a link stays one.
    target: PathBuf,
    text: String,
    _held: fs::File,
}

impl SettingsFile {
    /// Opens the file for changes; one that there is not is empty.
    ///
    /// # Errors
    /// It cannot be read, or another process does not let go of it.
    pub(crate) fn open(path: &Path, setup: &Setup) -> Result<Self, Failure> {
        let held = user_file::hold(setup, "settings.lock")?;
        Ok(Self {
            path: path.to_owned(),
            text: text_of(path)?,
            target: target_of(path),
            _held: held,
        })
    }

    /// Sets a key in the text, in the first way to write the value that the engine accepts.
    ///
    /// # Errors
    /// The engine accepts none.
    pub(crate) fn set(&mut self, key: Key, value: &str) -> Result<(), Failure> {
        self.text = changed(&self.path, &self.text, key, value)?;
        Ok(())
    }

    /// The effect of the text.
    pub(crate) fn resolved(&self) -> Resolved {
        read(&self.path, &self.text)
    }

    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        user_file::replace(&self.target, &self.text)
    }
}

/// Where a file is: behind its link, also where nothing is there yet.
fn target_of(path: &Path) -> PathBuf {
    if let Ok(target) = path.canonicalize() {
        return target;
    }
    match fs::read_link(path) {
        Ok(to) => path.parent().map(|folder| folder.join(&to)).unwrap_or(to),
        Err(_) => path.to_owned(),
    }
}

/// A settings file's text; empty if it does not exist.
///
/// # Errors
/// It cannot be read.
pub(crate) fn text_of(file: &Path) -> Result<String, Failure> {
    match File::read(file).map(|file| file.text) {
        None => Ok(String::new()),
        Some(Ok(text)) => Ok(text),
        Some(Err(error)) => {
            let what = format!("{} cannot be read: {error}", file.display());
            Err(Failure::new(Exit::Failed, what))
        }
    }
}

/// What the engine makes of a file's text alone.
pub(crate) fn read(file: &Path, text: &str) -> Resolved {
    settings::resolve(&Sources {
        user: Some(File {
            path: file.display().to_string(),
            text: Ok(text.to_owned()),
        }),
        env: BTreeMap::new(),
        ..Sources::default()
    })
}

/// The text with a setting changed: the first way to write the value that the engine accepts. A default that no file can
/// say, such as no agent, takes the setting out.
fn changed(file: &Path, text: &str, key: Key, value: &str) -> Result<String, Failure> {
    let before = read(file, text).mistakes.len();
    let mut refused = None;
    let default = Settings::default();
    let is_default = value == default.shown(key);
    let literals = match is_default && default.json(key).is_null() {
        true => Vec::new(),
        false => literals(value),
    };
    for literal in literals {
        let assignment = format!("{} = {literal}", key.name());
        let alone = read(file, &assignment);
        if let Some(problem) = alone.problems().pop() {
            refused = Some(problem);
            continue;
        }
        for candidate in placed(text, key, Some(&assignment)) {
            let resolved = read(file, &candidate);
            let is_set = matches!(resolved.origin(key), Origin::User { .. });
            if is_set && resolved.mistakes.len() <= before {
                return Ok(candidate);
            }
        }
    }
    if is_default {
        let is_usable = |candidate: &String| {
            let resolved = read(file, candidate);
            let is_set = matches!(resolved.origin(key), Origin::User { .. });
            !is_set && resolved.mistakes.len() <= before
        };
        if let Some(candidate) = placed(text, key, None).into_iter().find(is_usable) {
            return Ok(candidate);
        }
    }
    if key == Key::ToolsOff
        && refused.is_some()
        && let Some(failure) = unknown_tool(value)
    {
        return Err(failure);
    }
    let hint = match refused {
        Some(problem) => format!("valid values: {}", problem.allowed),
        None => CORRECT.to_owned(),
    };
    let what = format!(
        "{} cannot be set to `{value}`; nothing was changed",
        key.name()
    );
    Err(Failure::usage(what, hint))
}

/// What is said of the first name in a list that is not one of our tools.
fn unknown_tool(value: &str) -> Option<Failure> {
    let names = value.split(',');
    // a list may be typed as TOML, too
    let mut names = names.map(|name| name.trim().trim_matches(['[', ']', '"', '\'', ' ']));
    let wrong = names.find(|name| !name.is_empty() && Tool::named(name).is_none())?;
    let known: Vec<&str> = Tool::all().map(Tool::name).collect();
    let hint = format!(
        "{}the tools are {}",
        did_you_mean(wrong, known.iter().copied()),
        known.join(", ")
    );
    let what = format!("`{wrong}` is not a tool; nothing was changed");
    Some(Failure::usage(what, hint))
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
        // as an empty list is shown
        "none" => vec!["[]".to_owned()],
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

/// The texts with the assignment in place of the key's, whose value may take several lines; or ahead of the tables. Without
/// one, the key's goes.
fn placed(text: &str, key: Key, assignment: Option<&str>) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = match lines.first() {
        Some(line) if line.ends_with("\r\n") => "\r\n",
        _ => "\n",
    };
    let tables = lines
        .iter()
        .position(|line| line.trim_start().starts_with('['));
    let top = &lines[..tables.unwrap_or(lines.len())];
    let is_assigned = |line: &&str| {
        let rest = line.trim_start().strip_prefix(key.name());
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let joined = |first: &[&str], line: Option<&str>, last: &[&str]| -> String {
        let mut text = String::new();
        for line in first.iter().chain(&line).chain(last) {
            text += line;
            if !line.ends_with('\n') {
                text += end;
            }
        }
        text
    };
    match top.iter().position(is_assigned) {
        Some(at) => {
            let with_comment = |assignment: &str| match lines[at].trim_end().rsplit_once(" #") {
                Some((ahead, comment)) if ahead.matches('"').count() % 2 == 0 => {
                    format!("{assignment}  #{comment}")
                }
                _ => assignment.to_owned(),
            };
            let line = assignment.map(with_comment);
            let after = |n: usize| joined(&lines[..at], line.as_deref(), &lines[n..]);
            (at + 1..=lines.len()).map(after).collect()
        }
        None => vec![
            joined(top, assignment, &lines[top.len()..]),
            joined(&[], assignment, &lines),
        ],
    }
}

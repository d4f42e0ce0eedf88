//! What a person allowed for good: per project and action, on disk, revocable at any time.
//!
//! One file per project in the state folder (0600). It is read for every decision that could use it, so that a
//! revocation takes effect at once, in running sessions too. A file that is damaged, or that others own or could have
//! written, is set aside and allows nothing. Whether an action may be remembered at all is up to the guard
//! ([`siderail_guard::Reason::may_be_remembered`]); dangerous ones never are.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use siderail_state::{places, private};

/// Version of the file's shape.
const VERSION: u32 = 1;
/// A larger file was not written here.
const MOST_BYTES: u64 = 1 << 20;
/// Characters of the key by which people name an entry.
const KEY_CHARS: usize = 8;

/// An action that was allowed for good, exactly.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", deny_unknown_fields)]
pub enum Allowed {
    /// A command line, to the letter.
    Command {
        /// The command.
        command: String,
        /// The folder it starts in, absolute.
        folder: String,
    },
    /// A tool on files, whatever it makes of them.
    Files {
        /// The tool.
        tool: String,
        /// Where the files truly lie, sorted.
        paths: Vec<String>,
    },
    /// A tool with exactly these arguments.
    Call {
        /// The tool.
        tool: String,
        /// JSON text with sorted members.
        arguments: String,
    },
}

impl Allowed {
    /// A tool on files.
    pub fn files(tool: &str, mut paths: Vec<String>) -> Self {
        paths.sort();
        paths.dedup();
        Self::Files {
            tool: tool.to_owned(),
            paths,
        }
    }

    /// A tool with these arguments.
    pub fn call(tool: &str, arguments: &Value) -> Self {
        let tool = tool.to_owned();
        let mut text = String::new();
        write_sorted(arguments, &mut text);
        Self::Call {
            tool,
            arguments: text,
        }
    }

    /// A short name that stays the same.
    pub fn key(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        HEXLOWER.encode(&Sha256::digest(text.as_bytes()))[..KEY_CHARS].to_owned()
    }

    /// What it is, for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Command { command, folder } => format!("{command}   (in {folder})"),
            Self::Files { tool, paths } => format!("{tool} on {}", paths.join(", ")),
            Self::Call { tool, arguments } => format!("{tool} {arguments}"),
        }
    }
}

/// A remembered action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The action.
    #[serde(flatten)]
    pub allowed: Allowed,
    /// Seconds since 1970 when it was allowed.
    pub since: u64,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    project: String,
    allowed: Vec<Entry>,
}

/// What is remembered of one project.
#[derive(Clone, Debug)]
pub struct Memory {
    file: PathBuf,
    project: String,
    /// What could not be written down and counts for this session only.
    unsaved: HashSet<Allowed>,
}

impl Memory {
    /// The memory of a project, given by its canonical folder. Nothing is read yet.
    pub fn of_project(state_folder: &Path, project: &Path) -> Self {
        let name = places::project_key(project);
        Self {
            file: folder_of(state_folder).join(format!("{name}.json")),
            project: project.display().to_string(),
            unsaved: HashSet::new(),
        }
    }

    /// The memories of all projects that have one; damaged files are set aside, with a message each.
    pub fn all(state_folder: &Path) -> (Vec<Self>, Vec<String>) {
        let (mut found, mut messages) = (Vec::new(), Vec::new());
        let listed = fs::read_dir(folder_of(state_folder));
        let mut files: Vec<PathBuf> = listed
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
            .collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "json"));
        files.sort();
        for file in files {
            let project = read(&file).map(|stored| stored.map(|s| s.project));
            match project {
                Ok(None) => {}
                Ok(Some(project)) => found.push(Self {
                    file,
                    project,
                    unsaved: HashSet::new(),
                }),
                Err(why) => messages.push(set_aside(&file, &why)),
            }
        }
        found.sort_by(|a, b| a.project.cmp(&b.project));
        (found, messages)
    }

    /// The project's folder.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// Looks at the file once, at a session's start: a damaged one is set aside, and this is the message.
    pub fn check(&self) -> Option<String> {
        self.load().err().map(|why| set_aside(&self.file, &why))
    }

    /// Whether this very action was allowed for good, and not revoked since.
    pub fn allows(&self, action: &Allowed) -> bool {
        // A file that went bad since the start allows nothing.
        let stored = || self.load().unwrap_or_default();
        self.unsaved.contains(action) || stored().iter().any(|entry| entry.allowed == *action)
    }

    /// What is remembered, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        self.load().unwrap_or_default()
    }

    /// Allows an action for good.
    ///
    /// # Errors
    /// It cannot be written down; then it counts until the session's end.
    pub fn remember(&mut self, action: Allowed) -> io::Result<()> {
        let written = self.change(|entries| {
            if !entries.iter().any(|entry| entry.allowed == action) {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                entries.push(Entry {
                    allowed: action.clone(),
                    since: since.map_or(0, |since| since.as_secs()),
                });
            }
        });
        if written.is_err() {
            self.unsaved.insert(action);
        }
        written
    }

    /// An action counts until the session's end.
    pub fn believe(&mut self, action: Allowed) {
        self.unsaved.insert(action);
    }

    /// Revokes what `which` names; returns what was revoked.
    ///
    /// # Errors
    /// It cannot be written down; then all of it still counts.
    pub fn revoke(&self, which: impl Fn(&Entry) -> bool) -> io::Result<Vec<Entry>> {
        let mut revoked = Vec::new();
        self.change(|entries| revoked = entries.extract_if(.., |entry| which(entry)).collect())?;
        Ok(revoked)
    }

    fn load(&self) -> Result<Vec<Entry>, String> {
        match read(&self.file)? {
            None => Ok(Vec::new()),
            Some(stored) if stored.project == self.project => Ok(stored.allowed),
            Some(stored) => Err(format!("it is of the project {}", stored.project)),
        }
    }

    /// Reads, changes and writes, with other processes kept out.
    fn change(&self, change: impl FnOnce(&mut Vec<Entry>)) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        private::make_folder(folder)?;
        let _lock = private::lock(&folder.join("lock"))?;
        let mut entries = self.load().unwrap_or_else(|why| {
            tracing::warn!("{}", set_aside(&self.file, &why));
            Vec::new()
        });
        change(&mut entries);
        if entries.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let stored = Stored {
            version: VERSION,
            project: self.project.clone(),
            allowed: entries,
        };
        let text = serde_json::to_string_pretty(&stored).map_err(io::Error::other)?;
        let new = self.file.with_extension("new");
        // What a killed process left could have other rights.
        let _ = fs::remove_file(&new);
        private::write_file(&new, &text)?;
        fs::rename(&new, &self.file)
    }
}

fn folder_of(state_folder: &Path) -> PathBuf {
    state_folder.join("always")
}

/// The file's content; `None` when there is no file. The error says why it cannot be trusted.
fn read(file: &Path) -> Result<Option<Stored>, String> {
    let found = match fs::symlink_metadata(file) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    private::check_file(&found)?;
    if found.len() > MOST_BYTES {
        return Err("it is too large".to_owned());
    }
    if let Some(folder) = file.parent() {
        private::check_folder(folder).map_err(|error| error.to_string())?;
    }
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let stored: Stored = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match stored.version {
        VERSION => Ok(Some(stored)),
        other => Err(format!("it is of version {other}, not {VERSION}")),
    }
}

/// Moves a file away that cannot be trusted; the message says where it went.
fn set_aside(file: &Path, why: &str) -> String {
    let aside = file.with_extension("json.damaged");
    let what = format!(
        "what was always allowed is no longer used: {} is damaged ({why})",
        file.display()
    );
    match fs::rename(file, &aside) {
        Ok(()) => format!("{what}; it was moved to {}", aside.display()),
        Err(error) => format!("{what}, and it cannot be moved away: {error}"),
    }
}

/// JSON whose text does not depend on the order of members.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            text.push('{');
            for (n, name) in names.into_iter().enumerate() {
                let comma = if n > 0 { "," } else { "" };
                text.push_str(&format!("{comma}{}:", Value::from(name.as_str())));
                write_sorted(&members[name], text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                write_sorted(item, text);
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests;

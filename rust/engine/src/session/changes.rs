//! Which files a user's prompt has changed, with what they were before, and taking such a change back.
//!
//! A file's text is kept just before it may be changed: by one of our tools, by the agent through us, or after a
//! permission that names it. What a command changes by itself is not seen here. A change is taken back only where the
//! file is still what the turn left.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;

use super::errands::Errands;
use super::{Input, Session};
use crate::confine::{regular_file, written};
use crate::event::{ChangeKind, ChangedFile, EventBody};
use crate::host::{HostReply, HostRequest};
use crate::shelf::Shelf;
use crate::tools::Touch;

/// A file beyond this is named, and cannot be taken back.
const MOST_FILE: u64 = 2 << 20;
/// Texts that are kept of all files together.
const MOST_TOGETHER: usize = 32 << 20;
/// Files that are watched for one prompt.
const MOST_FILES: usize = 1_000;
/// Bytes of a text that an event carries.
const MOST_SHOWN: usize = 128 << 10;
/// Why a change stays.
const CHANGED_SINCE: &str = "it has changed since; nothing was done";

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Absent,
    Bytes(Vec<u8>),
    /// Too large to be kept, or not to be read: when it was written, and its length.
    Unknown(Option<SystemTime>, u64),
}

impl Content {
    fn read(path: &Path, most: u64) -> Self {
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Absent,
            Err(_) => return Self::Unknown(None, 0),
        };
        let Some(file) = regular_file(path).ok() else {
            return Self::Unknown(found.modified().ok(), found.len());
        };
        let mut bytes = Vec::new();
        match file.take(most + 1).read_to_end(&mut bytes) {
            Ok(n) if n as u64 <= most => Self::Bytes(bytes),
            _ => Self::Unknown(found.modified().ok(), found.len()),
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Absent | Self::Unknown(..) => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Absent | Self::Unknown(..) => 0,
        }
    }
}

/// A file that a prompt may have changed.
#[derive(Clone, Debug)]
struct Watched {
    before: Content,
    /// As the turn left it.
    after: Option<Content>,
}

/// The files of the last prompt of the user.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    files: BTreeMap<PathBuf, Watched>,
    bytes: usize,
    /// How many files the session had written before: they stay written, whatever is taken back.
    written_before: usize,
}

impl Changes {
    /// Another prompt begins, after so many files were written: what the last one changed can no longer be taken back.
    pub(super) fn forget(&mut self, written_before: usize) {
        *self = Self {
            written_before,
            ..Self::default()
        };
    }

    /// Whether the turn may have changed anything so far.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Something may change this file now.
    pub(super) fn note(&mut self, path: &Path) {
        if self.files.contains_key(path) || self.files.len() >= MOST_FILES || path.is_dir() {
            return;
        }
        let mut before = Content::read(path, MOST_FILE);
        if self.bytes + before.len() > MOST_TOGETHER {
            before = Content::read(path, 0);
        }
        self.bytes += before.len();
        let after = None;
        self.files
            .insert(path.to_owned(), Watched { before, after });
    }

    /// Looks at the files again; those that are not what they were.
    fn look(&mut self) -> Vec<(&Path, &Watched)> {
        for (path, watched) in &mut self.files {
            watched.after = Some(Content::read(path, MOST_FILE));
        }
        let changed =
            |(_, watched): &(&PathBuf, &Watched)| watched.after.as_ref() != Some(&watched.before);
        let changed = self.files.iter().filter(changed);
        changed
            .map(|(path, watched)| (path.as_path(), watched))
            .collect()
    }
}

impl Session {
    /// Tells which files the turn has changed so far.
    pub(super) fn tell_changes(&mut self, shelf: &mut Shelf) {
        let confinement = &self.confinement;
        let shown = |content: &Content| {
            let text = content.text().filter(|text| text.len() <= MOST_SHOWN);
            text.map(str::to_owned)
        };
        let file = |(path, watched): (&Path, &Watched)| {
            let after = watched.after.as_ref().unwrap_or(&Content::Absent);
            let kind = match (&watched.before, after) {
                (Content::Absent, _) => ChangeKind::Created,
                (_, Content::Absent) => ChangeKind::Deleted,
                _ => ChangeKind::Changed,
            };
            ChangedFile {
                path: confinement
                    .relative(path)
                    .unwrap_or_else(|| path.display().to_string()),
                kind,
                old_text: shown(&watched.before),
                new_text: shown(after),
            }
        };
        let files: Vec<ChangedFile> = self.carried.changes.look().into_iter().map(file).collect();
        if !files.is_empty() {
            self.emit(EventBody::Changes { files }, shelf);
        }
    }

    /// Takes the change of a file back.
    pub(crate) fn revert(&mut self, given: String, shelf: &mut Shelf) {
        let resolved = self.confinement.resolve(&given).map(|found| found.absolute);
        let found = resolved.ok().and_then(|path| {
            let watched = self.carried.changes.files.get(&path)?.clone();
            Some((path, watched))
        });
        // Where a link stands now in place of the file, the path leads elsewhere.
        let entry = self.confinement.resolve_entry(&given);
        let is_replaced =
            entry.is_ok_and(|entry| self.carried.changes.files.contains_key(&entry.absolute));
        let refused = match &found {
            _ if self.is_prompting() => Some("a turn is running; wait for its end, or cancel it"),
            None if is_replaced => Some(CHANGED_SINCE),
            None => Some("the last prompt has not changed such a file"),
            Some((_, watched)) => match (&watched.before, &watched.after) {
                (_, None) => Some("it is not known how the turn left it"),
                (Content::Unknown(..), _) => {
                    Some("it is too large, so that what it was is not kept")
                }
                (Content::Bytes(_), _) if watched.before.text().is_none() => {
                    Some("it is no text in UTF-8")
                }
                _ => None,
            },
        };
        let (Some((path, watched)), None) = (found, refused) else {
            let why = refused.unwrap_or_default().to_owned();
            return self.reverted(given, Err(why), shelf);
        };
        let errands = Errands::new(self.number, shelf.inputs.clone());
        let (session, inputs) = (self.number, shelf.inputs.clone());
        tokio::spawn(async move {
            let outcome = take_back(&errands, &path, &watched).await;
            let path = given;
            // The engine outlives its sessions' tasks; without it nobody waits.
            let _ = inputs
                .send(Input::Reverted {
                    session,
                    path,
                    outcome,
                })
                .await;
        });
    }

    pub(super) fn reverted(
        &mut self,
        mut path: String,
        outcome: Result<(), String>,
        shelf: &mut Shelf,
    ) {
        let done = outcome.is_ok();
        if let (true, Ok(found)) = (done, self.confinement.resolve(&path)) {
            self.carried.changes.files.remove(&found.absolute);
            path = found.relative;
            let since = self
                .carried
                .changes
                .written_before
                .min(self.carried.files_written.len());
            let mut written = self.carried.files_written.split_off(since);
            written.retain(|file| *file != path);
            self.carried.files_written.append(&mut written);
        }
        let text = outcome.err().unwrap_or_default();
        self.emit(EventBody::Reverted { path, done, text }, shelf);
    }
}

/// Puts back what a file was, unless it is another one by now.
async fn take_back(errands: &Errands, path: &Path, watched: &Watched) -> Result<(), String> {
    let saved = errands.before(Touch::Changes).await;
    saved.map_err(|failure| failure.to_string())?;
    if watched.after.as_ref() != Some(&Content::read(path, MOST_FILE)) {
        return Err(CHANGED_SINCE.to_owned());
    }
    let request = match watched.before.text() {
        Some(text) => HostRequest::WriteText {
            path: path.to_owned(),
            content: text.to_owned(),
            exact: true,
        },
        None => HostRequest::Tool {
            name: "delete_file".to_owned(),
            arguments: json!({"path": written(path)}),
        },
    };
    match errands.ask(request).await {
        Some(HostReply::Failed(failure)) => Err(failure.to_string()),
        Some(_) => Ok(()),
        None => Err("the session is over".to_owned()),
    }
}

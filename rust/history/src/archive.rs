//! Reads the conversations of a project: lists, finds, searches and removes them.
//!
//! Damaged lines are left out and counted. Only [`Archive::prune`], which removes the oldest, and [`Archive::remove`]
//! change anything on the disk.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::conversation::{Conversation, Listed};
use super::file::{self, EXTENSION, open_locked, whole_bytes};
use super::reading::{self, whole as read};
use super::{MOST_BYTES_OF_PROJECT, MOST_CONVERSATIONS};
use siderail_state::{places, private};
use siderail_view::conversation::Patch;

/// Characters around a place that was found.
const AROUND: usize = 60;
/// Texts of a line that is too long are cut to this.
const CUT: usize = 8 << 10;
/// Places that a search gives of one conversation.
const MOST_FOUND: usize = 20;

/// Bytes below which a file may hold no whole line.
const MAYBE_EMPTY_BELOW: u64 = 64 << 10;
/// [`Archive::prune`] leaves younger files alone, unless they exceed the bounds.
const YOUNG: Duration = Duration::from_secs(60);

/// The conversations of one project.
#[derive(Clone, Debug)]
pub struct Archive {
    folder: PathBuf,
}

/// A conversation's file of which a list can say nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The conversation's id, as its name says.
    pub id: String,
    /// The file.
    pub file: PathBuf,
    /// Why it is left out.
    pub why: String,
}

/// A place that a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The conversation.
    pub id: String,
    /// Milliseconds since 1970.
    pub at: u64,
    /// The turn.
    pub turn: u32,
    /// The text around it, on one line.
    pub text: String,
}

impl Archive {
    /// The archive of a project, given by its canonical folder. Nothing is read yet.
    pub fn of_project(state_folder: &Path, project: &Path) -> Self {
        let folder = state_folder
            .join("history")
            .join(places::project_key(project));
        Self { folder }
    }

    /// The archives of all projects. Nothing of them is read yet.
    ///
    /// # Errors
    /// The folder is somebody else's or cannot be read.
    pub fn of_all_projects(state_folder: &Path) -> io::Result<Vec<Self>> {
        let folder = state_folder.join("history");
        match private::check_folder(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            checked => checked?,
        }
        let entries = fs::read_dir(&folder)?.flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let archive = |entry: fs::DirEntry| Self {
            folder: entry.path(),
        };
        Ok(folders.map(archive).collect())
    }

    /// The file for the lines that a person types in this project. Nothing here reads or writes it.
    pub fn typed_lines(&self) -> PathBuf {
        self.folder.with_extension("lines")
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// All conversations, the newest first.
    ///
    /// # Errors
    /// The folder is somebody else's or cannot be read.
    pub fn list(&self) -> io::Result<Vec<Listed>> {
        Ok(self.list_known()?.0)
    }

    /// The same, and those that are left out, with the reason: their format, their rights, or that they are empty.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn list_known(&self) -> io::Result<(Vec<Listed>, Vec<LeftOut>)> {
        let (mut listed, mut left_out) = (Vec::new(), Vec::new());
        for file in self.files()? {
            let why = match reading::outline(&file) {
                Ok(Some(one)) => {
                    listed.push(one);
                    continue;
                }
                // One that is locked is only beginning.
                Ok(None) if hold(&file).is_err() => continue,
                Ok(None) => "it contains nothing readable".to_owned(),
                // One that is gone meanwhile is forgotten.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => error.to_string(),
            };
            let id = file::id_of(&file).unwrap_or_default().to_owned();
            left_out.push(LeftOut { id, file, why });
        }
        listed.sort_by_key(|one| std::cmp::Reverse(one.changed));
        left_out.sort_by(|a, b| a.file.cmp(&b.file));
        Ok((listed, left_out))
    }

    /// A conversation by its id or the beginning of it, or by its number in the list, from 1.
    ///
    /// # Errors
    /// No conversation is meant, several begin like this, or its format is of another version (`Unsupported`).
    pub fn find(&self, which: &str) -> io::Result<Listed> {
        if which.trim().is_empty() {
            return Err(io::Error::other("no conversation is named"));
        }
        if let Some(kept) = self.by_id(which)? {
            return Ok(kept.listed);
        }
        let all = self.list()?;
        let unknown = || {
            io::Error::other(format!(
                "there is no conversation `{which}` in this project"
            ))
        };
        // A number is never the beginning of an id: one that is too high would remove another conversation.
        if let Some(number) = which.parse::<usize>().ok().filter(|_| which.len() < 4) {
            let at = number.checked_sub(1).and_then(|at| all.get(at));
            return at.cloned().ok_or_else(unknown);
        }
        let mut matching = all.into_iter().filter(|one| one.head.id.starts_with(which));
        match (matching.next(), matching.next()) {
            (Some(one), None) => Ok(one),
            (Some(_), _) => Err(io::Error::other(format!(
                "several conversations begin with `{which}`"
            ))),
            (None, _) => Err(unknown()),
        }
    }

    /// A conversation by its whole id; no other one is read for it.
    fn by_id(&self, id: &str) -> io::Result<Option<Conversation>> {
        match self.file_of(id)?.map(|file| read(&file)) {
            Some(Err(error)) if error.kind() == io::ErrorKind::Unsupported => Err(error),
            read => Ok(read.and_then(|read| read.ok()?)),
        }
    }

    /// A conversation with what was kept of it.
    ///
    /// # Errors
    /// As [`Self::find`], or its file cannot be read.
    pub fn read(&self, which: &str) -> io::Result<Conversation> {
        if let Some(kept) = self.by_id(which)? {
            return Ok(kept);
        }
        let listed = self.find(which)?;
        let gone = || io::Error::other("its file is gone or damaged");
        read(&listed.file)?.ok_or_else(gone)
    }

    /// Where a text occurs, whatever its case, the newest conversation first. What belongs together, such as a call and
    /// its output, is one place.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn search(&self, text: &str) -> io::Result<Vec<Found>> {
        let wanted = text.to_lowercase();
        let mut found = Vec::new();
        for listed in self.list()? {
            let Ok(Some(conversation)) = read(&listed.file) else {
                continue;
            };
            let mut view = siderail_view::Conversation::new(0);
            let mut found_in = HashSet::new();
            let places = conversation.entries.iter().filter_map(|entry| {
                let item = item_of(&view.body(&entry.body));
                let texts = super::markdown::texts(&entry.body);
                let text = texts.iter().find_map(|text| around(text, &wanted))?;
                item.is_none_or(|item| found_in.insert(item))
                    .then(|| Found {
                        id: listed.head.id.clone(),
                        at: entry.at,
                        turn: entry.turn,
                        text,
                    })
            });
            found.extend(places.take(MOST_FOUND));
        }
        Ok(found)
    }

    /// Conversations that contain a text, whatever its case, the newest first.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn matching(&self, text: &str) -> io::Result<Vec<Listed>> {
        let wanted = text.to_lowercase();
        let holds = |text: &String| text.to_lowercase().contains(&wanted);
        let is_meant = |conversation: &Conversation| {
            let mut entries = conversation.entries.iter();
            entries.any(|entry| super::markdown::texts(&entry.body).iter().any(holds))
        };
        let files = self.files()?;
        let read = files.iter().filter_map(|file| read(file).ok()?);
        let mut matching: Vec<Listed> = read
            .filter(is_meant)
            .map(|conversation| conversation.listed)
            .collect();
        matching.sort_by_key(|one| std::cmp::Reverse(one.changed));
        Ok(matching)
    }

    /// Forgets a conversation, by its whole id also one that a list leaves out; gives its id.
    ///
    /// # Errors
    /// As [`Self::find`], or a session has it open now (`ResourceBusy`), or its file cannot be removed.
    pub fn remove(&self, which: &str) -> io::Result<String> {
        let (id, file) = match (self.find(which), self.file_of(which)?) {
            (Ok(listed), _) => (listed.head.id, listed.file),
            (Err(_), Some(file)) => (which.to_owned(), file),
            (Err(error), None) => return Err(error),
        };
        let _held = hold(&file).map_err(|error| {
            let busy = format!("the conversation {id} is in use by another siderail");
            io::Error::new(error.kind(), busy)
        })?;
        fs::remove_file(&file)?;
        Ok(id)
    }

    /// The file of a conversation by its whole id, from the names alone.
    pub(super) fn file_of(&self, id: &str) -> io::Result<Option<PathBuf>> {
        let mut files = self.files()?.into_iter();
        Ok(files.find(|path| file::is_of(path, id)))
    }

    /// Removes the conversations beyond the bounds, those written to longest ago first, and files that a crash has left
    /// empty. A file that a session is writing stays; what cannot be removed is tried again the next time.
    pub(super) fn prune(&self) {
        let age = |path: PathBuf| {
            let data = fs::symlink_metadata(&path).ok()?;
            Some((data.modified().ok()?, path, data.len()))
        };
        let files = self.files().unwrap_or_default().into_iter();
        let mut files: Vec<_> = files.filter_map(age).collect();
        files.sort();
        let mut together = 0;
        for (n, (modified, path, bytes)) in files.into_iter().rev().enumerate() {
            together += bytes;
            let is_past = n >= MOST_CONVERSATIONS || together > MOST_BYTES_OF_PROJECT;
            // One that has just been made is empty, too.
            let is_old = modified.elapsed().is_ok_and(|age| age > YOUNG);
            if is_past || (is_old && bytes < MAYBE_EMPTY_BELOW) {
                forget(&path, is_past);
            }
        }
    }

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        match private::check_folder(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            checked => checked?,
        }
        let paths = fs::read_dir(&self.folder)?
            .flatten()
            .map(|entry| entry.path());
        let is_ours = |path: &PathBuf| path.extension().is_some_and(|end| end == EXTENSION);
        Ok(paths.filter(is_ours).collect())
    }
}

/// Locks a file whatever its rights are, where it can be opened. `ResourceBusy`: a session writes to it now.
fn hold(path: &Path) -> io::Result<Option<fs::File>> {
    // Looked at before it is opened: opening a pipe waits for somebody to write.
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let file = is_file.then(|| fs::File::open(path).ok()).flatten();
    match file.as_ref().map(fs::File::try_lock) {
        Some(Err(fs::TryLockError::WouldBlock)) => Err(io::ErrorKind::ResourceBusy.into()),
        _ => Ok(file),
    }
}

/// Removes a file, unless it is written to. `all`: whatever it contains; else only if it is empty.
fn forget(path: &Path, all: bool) {
    let Ok(mut file) = open_locked(path, false) else {
        return;
    };
    if all || whole_bytes(&mut file).is_ok_and(|bytes| bytes == 0) {
        let removed = fs::remove_file(path);
        tracing::debug!(?removed, path = %path.display(), "an old conversation was removed");
    }
}

/// The item that an event is shown by: the last one that it changes, behind what it ends.
fn item_of(patches: &[Patch]) -> Option<u64> {
    patches.iter().rev().find_map(|patch| match patch {
        Patch::Append(item) | Patch::Replace(item) => Some(item.id),
        Patch::Extend { id, .. } | Patch::Fold { into: id, .. } | Patch::Remove { id } => Some(*id),
        Patch::Asked { .. } => None,
    })
}

/// The text around the place where `wanted`, in lower case, begins; on one line.
fn around(text: &str, wanted: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let at = lower.find(wanted)?;
    let before = lower[..at].chars().count();
    let n = AROUND * 2 + wanted.chars().count();
    let part: String = text
        .chars()
        .skip(before.saturating_sub(AROUND))
        .take(n)
        .collect();
    Some(part.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A value whose texts are cut where it would be a line of more than `most` bytes.
pub(super) fn cut(value: Value, most: usize) -> Value {
    let size = serde_json::to_string(&value).map_or(0, |text| text.len());
    if size <= most {
        return value;
    }
    match value {
        Value::String(text) if text.len() > CUT => {
            let kept: String = text.chars().take(CUT / 4).collect();
            Value::String(format!("{kept}… ({} bytes more)", text.len() - kept.len()))
        }
        Value::Array(items) => items.into_iter().map(|item| cut(item, CUT)).collect(),
        Value::Object(members) => {
            let member = |(name, value)| (name, cut(value, CUT));
            Value::Object(members.into_iter().map(member).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn beyond_the_bound_the_conversations_written_to_longest_ago_are_removed() {
        let state = tempfile::tempdir().expect("a folder");
        let archive = Archive::of_project(state.path(), state.path());
        private::make_folder(archive.folder()).expect("the archive's folder");
        let now = SystemTime::now();
        let name = |n: usize| file::file_name(n as u64, &n.to_string());
        let path = |n: usize| archive.folder().join(name(n));
        for n in 0..MOST_CONVERSATIONS + 2 {
            let mut file = open_locked(&path(n), true).expect("a new file");
            file.write_all(b"{}\n").expect("a line");
            let modified = now - Duration::from_secs(n as u64);
            file.set_modified(modified).expect("its time is set");
        }
        archive.prune();
        let left = archive.files().expect("they are listed").len();
        assert_eq!(left, MOST_CONVERSATIONS);
        assert!(path(0).exists() && path(MOST_CONVERSATIONS - 1).exists());
        assert!(!path(MOST_CONVERSATIONS).exists() && !path(MOST_CONVERSATIONS + 1).exists());
    }
}

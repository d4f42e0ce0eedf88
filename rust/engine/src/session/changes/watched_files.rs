//! Files that a prompt may change, with their contents before and after. It knows no session and no events.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::confine::{Confinement, regular_file};
use crate::host::FileBefore;
use crate::session::worker::Sight;

/// A file beyond this is named, and cannot be reverted.
pub(in crate::session) const MOST_FILE: u64 = 2 << 20;
/// Texts that are kept of all files together.
const MOST_TOGETHER: usize = 32 << 20;
/// Files that are watched for one prompt.
const MOST_FILES: usize = 1_000;
/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) enum Content {
    Absent,
    Bytes(Vec<u8>),
    /// Too large to be kept, or not to be read: when it was written, and its length.
    Unknown(Option<SystemTime>, u64),
}

impl Content {
    fn seen(path: &Path, most: u64, sight: Sight) -> Self {
        match sight {
            Sight::Clear => Self::read(path, most),
            Sight::Blind => Self::Unknown(None, 0),
        }
    }

    pub(in crate::session) fn read(path: &Path, most: u64) -> Self {
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

    pub(in crate::session) fn text(&self) -> Option<&str> {
        match self {
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Absent | Self::Unknown(..) => None,
        }
    }

    pub(in crate::session) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Absent | Self::Unknown(..) => 0,
        }
    }
}

/// A file that a prompt may have changed.
#[derive(Clone, Debug)]
pub(in crate::session) struct Watched {
    pub(in crate::session) before: Content,
    /// As the turn left it.
    pub(in crate::session) after: Option<Content>,
}

/// The files of the last prompt of the user.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(in crate::session) files: BTreeMap<PathBuf, Watched>,
    bytes: usize,
    /// Folders above them that were not there before: they go with the last file that is reverted.
    new_folders: BTreeSet<PathBuf>,
    /// How many files the session had written before: they stay written, whatever is reverted.
    written_before: usize,
}

impl Changes {
    /// Another prompt begins, after so many files were written: what the last one changed can no longer be reverted.
    pub(in crate::session) fn forget(&mut self, written_before: usize) {
        *self = Self {
            written_before,
            ..Self::default()
        };
    }

    /// Whether the turn may have changed anything so far.
    pub(in crate::session) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// A change was reverted. How many files were written before the prompt.
    pub(in crate::session) fn taken_back(&mut self, file: &Path) -> usize {
        self.files.remove(file);
        self.written_before
    }

    /// Those of the files that are about to change and are not watched yet, as far as there is room.
    pub(in crate::session) fn new_ones(&self, mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
        paths.retain(|path| !self.files.contains_key(path));
        paths.truncate(MOST_FILES - self.files.len());
        paths
    }

    /// Bytes of text that there is still room for.
    pub(in crate::session) fn room(&self) -> usize {
        MOST_TOGETHER.saturating_sub(self.bytes)
    }

    /// Files as they are before they change.
    pub(in crate::session) fn watch(&mut self, found: Vec<(PathBuf, Content)>) {
        for (path, before) in found {
            self.bytes += before.len();
            let after = None;
            self.files.insert(path, Watched { before, after });
        }
    }

    /// Folders that were not there when a file below them was about to change.
    pub(in crate::session) fn lack(&mut self, folders: Vec<PathBuf>) {
        self.new_folders.extend(folders);
    }

    /// Those of these folders that contain a file, the innermost first.
    pub(in crate::session) fn new_folders_of(&self, file: &Path) -> Vec<PathBuf> {
        let above = file.ancestors().skip(1);
        let new = above.take_while(|folder| self.new_folders.contains(*folder));
        new.map(Path::to_owned).collect()
    }

    /// The same after they have changed, as reported by what changed them. What was known before takes precedence.
    pub(in crate::session) fn watch_told(&mut self, told: Vec<(PathBuf, Content)>) {
        for (path, before) in told {
            let is_new = !self.files.contains_key(&path);
            if is_new && self.files.len() < MOST_FILES {
                let is_kept = before.len() <= self.room();
                let before = match is_kept {
                    true => before,
                    false => Content::Unknown(None, before.len() as u64),
                };
                self.watch(vec![(path, before)]);
            }
        }
    }

    pub(in crate::session) fn paths(&self) -> Vec<PathBuf> {
        self.files.keys().cloned().collect()
    }

    /// The files as they are now.
    pub(in crate::session) fn found(&mut self, now: Vec<(PathBuf, Content)>) {
        for (path, content) in now {
            if let Some(watched) = self.files.get_mut(&path) {
                watched.after = Some(content);
            }
        }
    }

    /// Those that are not what they were, as far as is known.
    pub(in crate::session) fn changed(&self) -> Vec<(&Path, &Watched)> {
        let changed = |(_, watched): &(&PathBuf, &Watched)| {
            let after = watched.after.as_ref();
            after.is_some_and(|after| *after != watched.before)
        };
        let changed = self.files.iter().filter(changed);
        changed
            .map(|(path, watched)| (path.as_path(), watched))
            .collect()
    }
}

/// Files as they are before they change; folders are not files. `room`: bytes that are kept of all together.
pub(in crate::session) fn before(
    paths: &[PathBuf],
    mut room: usize,
    sight: Sight,
) -> Vec<(PathBuf, Content)> {
    let mut found = Vec::new();
    for path in paths {
        if sight == Sight::Clear && path.is_dir() {
            continue;
        }
        let mut content = Content::seen(path, MOST_FILE, sight);
        if content.len() > room {
            content = Content::seen(path, 0, sight);
        }
        room -= content.len();
        found.push((path.clone(), content));
    }
    found
}

/// The folders that files lie in and that are not there yet; empty if nobody could look.
pub(in crate::session) fn missing_folders(paths: &[PathBuf], sight: Sight) -> Vec<PathBuf> {
    if sight == Sight::Blind {
        return Vec::new();
    }
    let is_missing = |folder: &&Path| {
        let found = fs::symlink_metadata(folder);
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let missing = paths
        .iter()
        .flat_map(|path| path.ancestors().skip(1).take_while(is_missing));
    missing.map(Path::to_owned).collect()
}

/// Whether there is an empty folder, not a link to one.
pub(in crate::session) fn is_empty_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
        && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Files as they were, where they really are; those outside of the project are left out, and all where nobody could look.
pub(in crate::session) fn told(
    told: &[FileBefore],
    confinement: &Confinement,
    sight: Sight,
) -> Vec<(PathBuf, Content)> {
    if sight == Sight::Blind {
        return Vec::new();
    }
    let found = told.iter().filter_map(|file| {
        let place = confinement.resolve(&file.path).ok()?;
        let content = match (&file.text, file.existed) {
            (_, false) => Content::Absent,
            (Some(text), true) if text.len() as u64 <= MOST_FILE => {
                Content::Bytes(text.clone().into_bytes())
            }
            (_, true) => Content::Unknown(None, 0),
        };
        Some((place.absolute, content))
    });
    found.collect()
}

/// Files as they are now; none if nobody could look, so that none passes for changed.
pub(in crate::session) fn now(paths: &[PathBuf], sight: Sight) -> Vec<(PathBuf, Content)> {
    if sight == Sight::Blind {
        return Vec::new();
    }
    let seen = |path: &PathBuf| (path.clone(), Content::read(path, MOST_FILE));
    paths.iter().map(seen).collect()
}

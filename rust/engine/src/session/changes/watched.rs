//! Files that a prompt may change, with what they were before and after. It knows no session and no events.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::confine::regular_file;

/// A file beyond this is named, and cannot be taken back.
pub(super) const MOST_FILE: u64 = 2 << 20;
/// Texts that are kept of all files together.
const MOST_TOGETHER: usize = 32 << 20;
/// Files that are watched for one prompt.
const MOST_FILES: usize = 1_000;
/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Absent,
    Bytes(Vec<u8>),
    /// Too large to be kept, or not to be read: when it was written, and its length.
    Unknown(Option<SystemTime>, u64),
}

impl Content {
    pub(super) fn read(path: &Path, most: u64) -> Self {
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

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Absent | Self::Unknown(..) => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Absent | Self::Unknown(..) => 0,
        }
    }
}

/// A file that a prompt may have changed.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) before: Content,
    /// As the turn left it.
    pub(super) after: Option<Content>,
}

/// The files of the last prompt of the user.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) files: BTreeMap<PathBuf, Watched>,
    bytes: usize,
    /// How many files the session had written before: they stay written, whatever is taken back.
    pub(super) written_before: usize,
}

impl Changes {
    /// Another prompt begins, after so many files were written: what the last one changed can no longer be taken back.
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

    /// Something may change this file now.
    pub(in crate::session) fn note(&mut self, path: &Path) {
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
    pub(super) fn look(&mut self) -> Vec<(&Path, &Watched)> {
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

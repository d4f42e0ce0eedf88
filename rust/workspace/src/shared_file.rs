//! Files with several names (hard links): written where they are, so that no name loses the others.
//!
//! Only where all names are in the project: a write must not change a file outside. Such a file is replaced instead,
//! and the names outside keep the old text.
//!
//! Writing in place cannot be done as a whole or not at all. So the old text is kept in a file beside until the new one
//! is on disk: what fails is restored from it at once, and a process that is killed in the middle leaves it there for
//! the person. It is never swept.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use siderail_os::files::Named;

use crate::confine::{Confined, Entry, Found};

use crate::atomic_file::NotReplaced;
use crate::text_file::Seen;

/// What is put behind a file's name for its old text.
const OLD_TEXT: &str = ".siderail-old";

/// Entries of a project that are looked at for other names of a file.
const MOST_ENTRIES: usize = 500_000;

/// The names of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// The usual one.
    One,
    /// All are in the project; these are those beside the one that was asked for.
    Inside(Vec<PathBuf>),
    /// Some are elsewhere, or were not found.
    Outside,
}

impl Names {
    /// Looks for the names of a file in its content root.
    pub(crate) fn of(root: &Path, confined: &Confined) -> Self {
        let path = &confined.absolute;
        let Ok(Named {
            id,
            n_names: n_names @ 2..,
        }) = Named::at(path)
        else {
            return Self::One;
        };
        let is_it = |entry: &DirEntry| {
            entry.file_type().is_some_and(|kind| kind.is_file())
                && Named::at(entry.path()).is_ok_and(|found| found.id == id)
        };
        let mut found: Vec<PathBuf> = WalkBuilder::new(root)
            .standard_filters(false)
            .build()
            .take(MOST_ENTRIES)
            .filter_map(Result::ok)
            .filter(is_it)
            .take(usize::try_from(n_names).unwrap_or(usize::MAX))
            .map(DirEntry::into_path)
            .collect();
        if found.len() as u64 != n_names {
            return Self::Outside;
        }
        found.retain(|name| name != path);
        Self::Inside(found)
    }

    /// What a model and a person should know of a write.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::One => None,
            Self::Inside(others) => Some(format!(
                "the file has {} names in the project (hard links); all have the new text",
                others.len() + 1
            )),
            Self::Outside => Some(
                "the file had other names outside the project (hard links); they keep the old text, and this is a \
                 file of its own now"
                    .to_owned(),
            ),
        }
    }
}

/// Writes `bytes` into the file, which is still as it was seen.
pub(crate) fn overwrite(target: &Entry, bytes: &[u8], seen: Seen) -> Result<(), NotReplaced> {
    let mut file = target.file_to_change().map_err(NotReplaced::Failed)?;
    let metadata = file.metadata().map_err(NotReplaced::Failed)?;
    // What is there by now may be another file, or a link to one.
    if Seen::of(&Found::of(&file).map_err(NotReplaced::Failed)?) != seen {
        return Err(NotReplaced::Changed);
    }
    let mut old = Vec::new();
    file.read_to_end(&mut old).map_err(NotReplaced::Failed)?;
    let kept = OldText::keep(target, &old, &metadata).map_err(NotReplaced::Failed)?;
    match fill(&mut file, bytes) {
        Ok(()) => {
            kept.remove();
            Ok(())
        }
        Err(error) => {
            // The old text's room is still the file's.
            if fill(&mut file, &old).is_ok() {
                kept.remove();
            }
            Err(NotReplaced::Failed(error))
        }
    }
}

/// Not emptied first: a write that finds no room leaves the room of the old text to the file.
fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// The old text in a file of its own.
struct OldText(Entry);

impl OldText {
    fn keep(target: &Entry, text: &[u8], metadata: &Metadata) -> io::Result<Self> {
        let mut name = target.name().to_owned();
        name.push(OLD_TEXT);
        let shown = name.to_string_lossy().into_owned();
        let entry = target.beside(name);
        // One that is there already is what a killed process has left: it is not overwritten.
        let mut file = entry.create(true).map_err(|error| told(&shown, error))?;
        let kept = Self(entry);
        let written = file
            .set_permissions(metadata.permissions())
            .and_then(|()| file.write_all(text))
            .and_then(|()| file.sync_all());
        match written {
            Ok(()) => Ok(kept),
            Err(error) => {
                kept.remove();
                Err(error)
            }
        }
    }

    fn remove(self) {
        // What cannot be removed is the person's to see.
        let _ = self.0.remove();
    }
}

fn told(name: &str, error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::AlreadyExists {
        return error;
    }
    io::Error::other(format!(
        "{name} is there: the text from before an interrupted write; ask the user to compare it with the file and \
         delete it first"
    ))
}

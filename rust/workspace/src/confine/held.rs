//! Folders and entries of a project, opened so that nobody can lead the opening elsewhere.
//!
//! A path that was found to be inside may have a link in it by the time it is used. So nothing is opened by its path:
//! from the project's folder on, each step is taken in a folder that is held open, and no link is followed (where the
//! kernel has `openat2`, by one call; else component by component, with the same answers). Links that stay inside are
//! followed before, by [`Confinement::resolve`](super::Confinement::resolve), which answers a path without links.
//!
//! Only regular files are opened, and never so that the opening waits: a pipe would be waited for, a device has no
//! end. `unix.rs` and `others.rs` are the same contract; without `openat` the second one goes by paths.

use std::fs::{File, FileType, Metadata};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::SystemTime;

use siderail_os::files::{FileId, Named, never_waits};

#[cfg(not(unix))]
mod others;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use others::{Entry, Folder};
#[cfg(unix)]
pub use unix::{Entry, Folder};

/// What stands at a place; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Bytes of a file.
    pub length: u64,
    /// When its text was changed last.
    pub modified: Option<SystemTime>,
    /// Which one it is.
    pub id: FileId,
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Found {
    /// What the system tells of something that is open.
    ///
    /// # Errors
    /// It does not tell.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self::told(&file.metadata()?, Named::of(file)?.id))
    }

    fn told(metadata: &Metadata, id: FileId) -> Self {
        Self {
            kind: Kind::of(metadata.file_type()),
            length: metadata.len(),
            modified: metadata.modified().ok(),
            id,
        }
    }
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            kind if kind.is_symlink() => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Opens a regular file for reading, by its path and through links, without ever waiting for somebody at the other end
/// of it. For files that are named by the person; those of a project are opened by [`Folder::file`].
///
/// # Errors
/// It is not there, cannot be opened, or is no regular file.
pub fn regular_file(path: &Path) -> io::Result<File> {
    // Looked at before it is opened, since opening alone does something to some devices.
    if !std::fs::metadata(path)?.is_file() {
        return Err(no_file());
    }
    let mut options = File::options();
    options.read(true);
    let file = never_waits(&mut options).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(no_file()),
    }
}

/// The text of such a file.
///
/// # Errors
/// As [`regular_file`], or it is not UTF-8.
pub fn regular_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    regular_file(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Why only regular files are opened, as a fragment.
fn no_file() -> io::Error {
    io::Error::other("it is not a file")
}

/// A link where there was none when the path was followed.
fn link_in_the_way() -> io::Error {
    io::Error::other("a link has come in its way meanwhile, which is not followed; call again")
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

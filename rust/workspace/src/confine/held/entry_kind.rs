//! The kind of a folder's entry, and why some are not opened. Opens nothing, and is the same on every system.

use std::fs::{File, FileType, Metadata};
use std::io;
use std::time::SystemTime;

use siderail_os::files::{FileId, Named};

/// What is at a place; links are not followed.
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
    /// What the system says of something that is open.
    ///
    /// # Errors
    /// It does not say.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self::told(&file.metadata()?, Named::of(file)?.id))
    }

    pub(super) fn told(metadata: &Metadata, id: FileId) -> Self {
        Self {
            kind: Kind::of(metadata.file_type()),
            length: metadata.len(),
            modified: metadata.modified().ok(),
            id,
        }
    }
}

impl Kind {
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            kind if kind.is_symlink() => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Why only regular files are opened, as a fragment.
pub(super) fn no_file() -> io::Error {
    io::Error::other("it is not a file")
}

/// A link where there was none when the path was followed.
pub(super) fn link_in_the_way() -> io::Error {
    io::Error::other("a link has come in its way meanwhile, which is not followed; call again")
}

//! Folders and entries of a project, opened so that nobody can redirect the opening.
//!
//! A path that was found to be inside may have a link in it by the time it is used. So nothing is opened by its path:
//! from the project's folder on, each step is taken in a folder that is held open, and no link is followed (where the
//! kernel has `openat2`, by one call; else component by component, with the same answers). Links that stay inside are
//! followed before, by [`Confinement::resolve`](super::Confinement::resolve), which answers a path without links.
//!
//! Only regular files are opened, and never so that the opening waits: a pipe would be waited for, a device has no
//! end. `unix.rs` and `others.rs` are the same contract; without `openat` the second one goes by paths. What they find
//! is in `entry_kind.rs`.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use siderail_os::files::never_waits;

mod entry_kind;
#[cfg(not(unix))]
mod others;
#[cfg(unix)]
mod unix;

use entry_kind::no_file;
pub use entry_kind::{Found, Kind};
#[cfg(not(unix))]
pub use others::{Entry, Folder};
#[cfg(unix)]
pub use unix::{Entry, Folder};

/// Opens a regular file for reading, by its path and through links, without ever waiting for somebody at the other end
/// of it. For files that are named by the person; those of a project are opened by [`Folder::file`].
///
/// # Errors
/// It is not there, cannot be opened, or is not a regular file.
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

#[cfg(test)]
#[cfg(unix)]
mod tests;

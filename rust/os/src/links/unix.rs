//! Symbolic links.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Gives `original`, which may be missing, the name `link`, too.
///
/// # Errors
/// The name is taken, or the folder cannot be written.
pub fn make(original: &Path, link: &Path) -> io::Result<()> {
    symlink(original, link)
}

/// Whether `link` is one that [`make`] has made for `original`, and nobody has put something else in its place.
pub fn leads_to(link: &Path, original: &Path) -> bool {
    fs::read_link(link).is_ok_and(|to| to == original)
}

/// Makes a link like `link`, which is symbolic.
///
/// # Errors
/// As [`make`], or there is no link.
pub fn copy(link: &Path, to: &Path) -> io::Result<()> {
    symlink(fs::read_link(link)?, to)
}

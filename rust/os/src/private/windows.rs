//! Access lists, which are inherited. Metadata does not show them: the contents of a folder that was closed count as
//! this user's.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// What makes folders; [`close_folder`] closes them.
pub fn folder() -> DirBuilder {
    DirBuilder::new()
}

/// A file takes over the list of its folder.
pub fn file(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Closes a folder of this user to everybody else.
///
/// # Errors
/// It is not there, or it is not this user's.
pub fn close_folder(path: &Path) -> io::Result<()> {
    crate::user_only::close(path)
}

/// Nobody else could have put it into a closed folder.
pub fn is_users(_: &Metadata) -> bool {
    true
}

/// As [`is_users`].
pub fn others_can_write(_: &Metadata) -> bool {
    false
}

/// As [`is_users`].
pub fn others_can_enter(_: &Metadata) -> bool {
    false
}

/// The temporary folder is each user's own.
pub fn user_number() -> u32 {
    0
}

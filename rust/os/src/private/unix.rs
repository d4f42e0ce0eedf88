//! Modes and owners.

use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

/// What makes folders that only this user can enter.
pub fn folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// A file that these options make can be read by this user alone.
pub fn file(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Closes a folder of this user to everybody else.
///
/// # Errors
/// It is not there, or it is not this user's.
pub fn close_folder(path: &Path) -> io::Result<()> {
    match others_can_enter(&fs::metadata(path)?) {
        true => fs::set_permissions(path, Permissions::from_mode(0o700)),
        false => Ok(()),
    }
}

/// Whether it is this user's.
pub fn is_users(found: &Metadata) -> bool {
    found.uid() == user_number()
}

/// Whether others can write to it.
pub fn others_can_write(found: &Metadata) -> bool {
    found.mode() & 0o022 != 0
}

/// Whether others can read it, or enter it.
pub fn others_can_enter(found: &Metadata) -> bool {
    found.mode() & 0o077 != 0
}

/// What distinguishes this user from others in a name.
pub fn user_number() -> u32 {
    rustix::process::getuid().as_raw()
}

//! The same things, from `stat`.

use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, OFlags, access};

use super::identity::{FileId, Named};

/// What metadata says.
pub(super) fn named(found: &Metadata) -> Named {
    Named {
        id: FileId {
            device: found.dev(),
            number: found.ino(),
        },
        n_names: found.nlink(),
    }
}

/// Whether this user can run it.
pub fn is_executable(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

/// Gives a file to the owner and group of another one, where the system lets us.
pub fn keep_owner(file: &File, old: &Metadata) {
    let Ok(new) = file.metadata() else { return };
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
}

/// Whether it is a named pipe.
pub fn is_pipe(kind: FileType) -> bool {
    kind.is_fifo()
}

/// Opening with these options never waits for somebody at the other end, and takes no terminal over.
pub fn never_waits(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
}

/// The files that a program's path may mean: itself.
pub fn programs_named(path: &Path, _extensions: Option<&str>) -> Vec<PathBuf> {
    vec![path.to_owned()]
}

/// A path's bytes, with `/` between its names.
pub fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// A path as a program has put it out; none if the system has no such names.
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

/// A path by names that need no quotes in a shell: systems of this kind have one name for a file.
pub fn short_name(path: &Path) -> PathBuf {
    path.to_owned()
}

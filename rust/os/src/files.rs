//! What systems know of a file: which file it is, how many names it has, whose it is, whether it is a program, by
//! which names and bytes it goes, and what is known of it without a disk; per operating system.

use std::fs::File;
use std::io;
use std::path::Path;

mod cached;
mod identity;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use cached::is_there_by_memory;
pub use identity::{FileId, Named};
#[cfg(unix)]
pub use unix::{
    bytes_of, is_executable, is_pipe, keep_owner, never_waits, path_of, programs_named, short_name,
};
#[cfg(windows)]
pub use windows::{
    bytes_of, is_executable, is_pipe, keep_owner, never_waits, path_of, programs_named, short_name,
};

impl Named {
    /// Of an open file.
    ///
    /// # Errors
    /// The system does not say.
    pub fn of(file: &File) -> io::Result<Self> {
        #[cfg(unix)]
        return Ok(unix::named(&file.metadata()?));
        #[cfg(windows)]
        return windows::named(file);
    }

    /// Of what is at a place, links not followed.
    ///
    /// # Errors
    /// Nothing is there, or the system does not say.
    pub fn at(path: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        return Ok(unix::named(&std::fs::symlink_metadata(path)?));
        #[cfg(windows)]
        return windows::named_at(path, false);
    }

    /// Of what a path leads to, links followed.
    ///
    /// # Errors
    /// Nothing is there, or the system does not say.
    pub fn behind(path: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        return Ok(unix::named(&std::fs::metadata(path)?));
        #[cfg(windows)]
        return windows::named_at(path, true);
    }
}

/// Whether two paths lead to one file or folder, links followed.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((Named::behind(one), Named::behind(other)), (Ok(one), Ok(other)) if one.id == other.id)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::{Named, is_same};

    #[test]
    fn a_file_is_itself_under_both_of_its_names_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("one"), "x").unwrap();
        fs::write(path("other"), "x").unwrap();
        assert_eq!(Named::at(&path("one")).unwrap().n_names, 1);
        fs::hard_link(path("one"), path("two")).unwrap();
        let (one, two) = (
            Named::at(&path("one")).unwrap(),
            Named::at(&path("two")).unwrap(),
        );
        assert_eq!((one, one.n_names), (two, 2));
        assert_eq!(Named::of(&File::open(path("two")).unwrap()).unwrap(), one);
        assert_ne!(Named::at(&path("other")).unwrap().id, one.id);
        assert!(Named::at(&path("missing")).is_err());
        assert!(is_same(&path("one"), &path("two")) && !is_same(&path("one"), &path("other")));
        assert!(is_same(dir.path(), &path(".")) && !is_same(&path("missing"), &path("missing")));
    }
}

//! Brings a file or folder home, whatever is there: moved where it can be, else copied as a whole.
//!
//! Nothing is written over that was changed since, and nothing is dropped: of two versions the newer gets the
//! name, the other one is kept beside it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use siderail_os::links;

/// By what a changed file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u64,
}

impl Stamp {
    /// Of what a path leads to.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        let modified = found.modified()?.duration_since(UNIX_EPOCH);
        let modified = modified.map_or(0, |since| since.as_nanos());
        Ok(Self {
            bytes: found.len(),
            modified: u64::try_from(modified).unwrap_or(u64::MAX),
        })
    }
}

/// Brings `from` to `to`. `before`: what stood there when the agent began. The paths of versions that had to
/// give way are added to `kept`.
pub(super) fn bring(
    from: &Path,
    to: &Path,
    before: Option<&Stamp>,
    kept: &mut Vec<PathBuf>,
) -> io::Result<()> {
    let there = match fs::symlink_metadata(to) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            return carry(from, to);
        }
        Err(error) => return Err(error),
    };
    let here = fs::symlink_metadata(from)?;
    if here.is_dir() && there.is_dir() {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            bring(&entry.path(), &to.join(entry.file_name()), None, kept)?;
        }
        return fs::remove_dir(from);
    }
    // A link of the user's stays one, and what it leads to is replaced.
    let to = &match there.is_symlink() {
        true => fs::canonicalize(to).unwrap_or_else(|_| to.to_owned()),
        false => to.to_owned(),
    };
    let is_untouched = before.is_some_and(|before| Stamp::of(to).is_ok_and(|now| now == *before));
    if here.is_file() && is_untouched && to.is_file() {
        return carry(from, to);
    }
    if here.is_file() && to.is_file() && fs::read(from)? == fs::read(to)? {
        return fs::remove_file(from);
    }
    let beside = name_beside(to);
    if here.is_file() && to.is_file() && modified(from) >= modified(to) {
        fs::rename(to, &beside)?;
        carry(from, to)?;
    } else {
        carry(from, &beside)?;
    }
    kept.push(beside);
    Ok(())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// A name that nothing has yet.
fn name_beside(path: &Path) -> PathBuf {
    let named = |ending: String| {
        let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
        name.push(ending);
        path.with_file_name(name)
    };
    let mut beside = named(".siderail-kept".to_owned());
    for n in 2.. {
        if beside.symlink_metadata().is_err() {
            break;
        }
        beside = named(format!(".siderail-kept-{n}"));
    }
    beside
}

/// Moves; to another file system by a copy that gets its name when it is whole.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => copy_over(from, to),
        moved => moved,
    }
}

fn copy_over(from: &Path, to: &Path) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(".siderail-new");
    let new = to.with_file_name(name);
    // What a killed process left is no whole copy.
    remove(&new)?;
    copy(from, &new)?;
    fs::rename(&new, to)?;
    remove(from)
}

/// Copies with everything below; what is no file, folder or link (a socket) means nothing elsewhere.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(from)?.file_type();
    if kind.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        fs::set_permissions(to, fs::metadata(from)?.permissions())
    } else if kind.is_symlink() {
        links::copy(from, to)
    } else if kind.is_file() {
        fs::copy(from, to).map(drop)
    } else {
        Ok(())
    }
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As where home and the state folder lie on two disks.
    #[test]
    fn a_folder_is_copied_as_a_whole_to_another_disk() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("deep/er")).unwrap();
        fs::write(from.join("deep/er/log"), "lines").unwrap();
        // Few users may make one on Windows.
        #[cfg(unix)]
        std::os::unix::fs::symlink("er/log", from.join("deep/link")).unwrap();
        // A copy that a killed process had begun.
        fs::create_dir_all(dir.path().join(".to.siderail-new/half")).unwrap();
        copy_over(&from, &to).unwrap();
        let log = if cfg!(unix) { "link" } else { "er/log" };
        let log = fs::read_to_string(to.join("deep").join(log));
        assert_eq!(log.unwrap(), "lines");
        assert!(!to.join("half").exists() && !from.exists());
        fs::write(&from, "newer").unwrap();
        fs::write(dir.path().join("file"), "older").unwrap();
        copy_over(&from, &dir.path().join("file")).unwrap();
        assert_eq!(
            fs::read_to_string(dir.path().join("file")).unwrap(),
            "newer"
        );
    }
}

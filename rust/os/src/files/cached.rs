//! What the system knows of a path without a disk.
//!
//! A disk may belong to a machine that is gone, so a path is looked up where waiting holds up nobody; but to wake a thread
//! for that takes longer than most looks. Linux remembers the folders that were used lately and answers from memory alone
//! if it is asked to (`openat2` with `RESOLVE_CACHED`, from 5.12 on). Elsewhere, and on an older kernel, nothing is known.

use std::path::Path;

/// Whether something is at an absolute path that has no link on its way or at its end. `None` if only a disk can tell,
/// there is a link, or more than the last name is missing. Waits for no disk.
#[cfg(target_os = "linux")]
pub fn is_there_by_memory(path: &Path) -> Option<bool> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    // Such a descriptor only names a place: nothing is read for it.
    let known = |path, flags: OFlags| {
        let flags = OFlags::PATH | OFlags::CLOEXEC | flags;
        let resolve = ResolveFlags::CACHED | ResolveFlags::NO_SYMLINKS;
        openat2(CWD, path, flags, Mode::empty(), resolve)
    };
    match known(path, OFlags::empty()) {
        Ok(_) => Some(true),
        // The last name is missing, or a folder before it.
        Err(Errno::NOENT) => known(path.parent()?, OFlags::DIRECTORY).ok().map(|_| false),
        Err(_) => None,
    }
}

/// The same; other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub fn is_there_by_memory(_: &Path) -> Option<bool> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::is_there_by_memory;

    #[test]
    fn what_was_looked_at_is_known_and_a_link_is_not() {
        if is_there_by_memory(Path::new("/")).is_none() {
            eprintln!("skipped: this kernel, or a sandbox around us, does not tell");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        fs::write(folder.join("file"), "").unwrap();
        symlink("file", folder.join("link")).unwrap();
        symlink(&folder, folder.join("loop")).unwrap();
        for (name, known) in [
            ("", Some(true)),
            ("file", Some(true)),
            ("missing/below", None),
            ("file/below", None),
            ("link", None),
            ("loop/file", None),
        ] {
            assert_eq!(is_there_by_memory(&folder.join(name)), known, "{name}");
        }
        // Not every file system remembers what is missing.
        let missing = is_there_by_memory(&folder.join("missing"));
        assert_ne!(missing, Some(true));
    }
}

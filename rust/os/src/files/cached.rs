//! What the system knows of a path without a disk.
//!
//! A disk may belong to a machine that is gone, so a path is looked up where waiting holds up nobody; but to wake a thread
//! for that takes longer than most looks. Linux remembers the names that were used lately and answers from memory alone
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

    /// A mount that changes anywhere meanwhile makes the kernel say that it does not know.
    fn known(path: &Path) -> Option<bool> {
        (0..100).find_map(|_| is_there_by_memory(path))
    }

    #[test]
    fn what_was_looked_at_is_known_and_a_link_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        if known(&folder).is_none() {
            eprintln!("skipped: this kernel, file system or sandbox does not tell");
            return;
        }
        fs::write(folder.join("file"), "").unwrap();
        symlink("file", folder.join("link")).unwrap();
        symlink(&folder, folder.join("loop")).unwrap();
        for (name, expected) in [
            ("", Some(true)),
            ("file", Some(true)),
            ("never looked at", None),
            ("file/below", None),
            ("link", None),
            ("loop/file", None),
        ] {
            assert_eq!(known(&folder.join(name)), expected, "{name}");
        }
        for name in ["missing", "missing/below"] {
            let _ = fs::metadata(folder.join(name));
        }
        // Not every file system remembers what is missing.
        let missing = known(&folder.join("missing"));
        assert!(matches!(missing, Some(false) | None), "{missing:?}");
        assert_eq!(known(&folder.join("missing/below")), None);
    }
}

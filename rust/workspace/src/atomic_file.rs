//! Replaces a file as a whole or not at all.
//!
//! The new text goes to a file beside the old one, to disk, and then over the old name. A process
//! that is killed in between leaves such a file behind; [`sweep`] removes those of dead processes.
//! Owner and mode are kept; other names of the same file (hard links) keep the old text, which is
//! why `shared_file` writes a file whose names are all the project's.

use std::fs::Metadata;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::confine::{Entry, Folder};
use ignore::WalkBuilder;
use siderail_os::files::keep_owner;
use siderail_os::process::is_alive;

use crate::text_file::Seen;
use crate::unfinished::UNFINISHED;

/// Younger unfinished files are left alone: a process elsewhere may own them.
const SETTLED: Duration = Duration::from_secs(2);
/// Entries of a project that a sweep looks at.
const MOST_SWEPT: usize = 500_000;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Why a file was not replaced. The old file is as it was.
#[derive(Debug)]
pub(crate) enum NotReplaced {
    /// Somebody else changed it in the meantime.
    Changed,
    Failed(io::Error),
}

/// What was at a path when its new text was made.
#[derive(Clone, Copy)]
pub(crate) enum Before<'a> {
    Nothing,
    File { seen: Seen, metadata: &'a Metadata },
}

/// Puts `bytes` at `below`, a path without links in the project's folder; its missing folders are made.
pub(crate) fn replace(
    root: &Folder,
    below: &Path,
    bytes: &[u8],
    before: Before<'_>,
) -> Result<(), NotReplaced> {
    let parent = below.parent().unwrap_or(Path::new(""));
    let folders = NewFolders::make(root, parent).map_err(NotReplaced::Failed)?;
    let target = root.entry(below).map_err(NotReplaced::Failed)?;
    let unfinished = Unfinished::write(&target, bytes, before).map_err(NotReplaced::Failed)?;
    let unchanged = match (before, target.found()) {
        (Before::File { seen, .. }, Ok(now)) => seen == Seen::of(&now),
        (Before::Nothing, Err(error)) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    };
    if !unchanged {
        return Err(NotReplaced::Changed);
    }
    unfinished.finish(&target).map_err(NotReplaced::Failed)?;
    folders.keep();
    // Without this the new name itself may be lost in a power cut.
    target.folder().sync();
    Ok(())
}

/// A file that is removed again unless it is finished.
struct Unfinished {
    entry: Entry,
}

impl Unfinished {
    fn write(target: &Entry, bytes: &[u8], before: Before<'_>) -> io::Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let entry = target.beside(format!("{UNFINISHED}{}-{number}", std::process::id()));
        // A private file's new text is never readable by others, not even while it is being written or after a
        // kill in between; the mode that it is to have comes with the last step. A new file has the usual mode.
        let mut file = entry.create(matches!(before, Before::File { .. }))?;
        let unfinished = Self { entry };
        file.write_all(bytes)?;
        if let Before::File { metadata, .. } = before {
            keep_owner(&file, metadata);
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()?;
        Ok(unfinished)
    }

    fn finish(self, target: &Entry) -> io::Result<()> {
        self.entry.rename(target)?;
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Nothing better can be done here; the next sweep takes what is left.
        let _ = self.entry.remove();
    }
}

/// Folders that were made for a file and go again if the file is not written.
pub(crate) struct NewFolders(Vec<Entry>);

impl NewFolders {
    /// Makes the folder `below` the project's, and what is missing above it.
    pub(crate) fn make(root: &Folder, below: &Path) -> io::Result<Self> {
        let mut made = Self(Vec::new());
        let mut at = root.clone();
        for name in below {
            let entry = at.entry(Path::new(name))?;
            match entry.create_folder() {
                Ok(()) => made.0.push(entry),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // One that is there may be in a folder that cannot be written to.
                Err(error) if entry.found().is_err() => return Err(error),
                Err(_) => {}
            }
            at = at.folder(Path::new(name))?;
        }
        Ok(made)
    }

    pub(crate) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Fails where it is not empty, which is wanted.
            let _ = folder.remove_folder();
        }
    }
}

/// Removes what processes that have died left unfinished in a project.
pub fn sweep(project: &Path) {
    let Ok(project) = &project.canonicalize() else {
        return;
    };
    let walk = WalkBuilder::new(project)
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let left: Vec<PathBuf> = walk
        .take(MOST_SWEPT)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| is_left_behind(path))
        .collect();
    let Ok(root) = Folder::open(project) else {
        return;
    };
    let left: Vec<Entry> = left
        .iter()
        .filter_map(|path| root.entry(path.strip_prefix(project).ok()?).ok())
        .collect();
    if left.iter().any(|entry| !is_settled(entry)) {
        thread::sleep(SETTLED);
    }
    for entry in left {
        if is_settled(&entry) {
            // Somebody else's sweep may have been faster.
            let _ = entry.remove();
        }
    }
}

fn is_left_behind(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str()?.strip_prefix(UNFINISHED)?.split_once('-'))
        .filter(|(_, number)| number.parse::<u64>().is_ok())
        .and_then(|(process, _)| process.parse().ok())
        .is_some_and(|process: u32| process > 0 && !is_alive(process))
}

fn is_settled(entry: &Entry) -> bool {
    entry.found().is_ok_and(|found| {
        found.modified.is_some_and(|modified| {
            SystemTime::now()
                .duration_since(modified)
                .is_ok_and(|age| age >= SETTLED)
        })
    })
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::sync::atomic::AtomicBool;

    use std::fs::{self, File};

    use crate::confine::Found;

    use super::*;

    fn before(path: &Path) -> (Seen, Metadata) {
        let file = File::open(path).unwrap();
        let found = Found::of(&file).unwrap();
        (Seen::of(&found), file.metadata().unwrap())
    }

    fn put(
        folder: &tempfile::TempDir,
        below: &str,
        bytes: &[u8],
        before: Before<'_>,
    ) -> Result<(), NotReplaced> {
        let root = Folder::open(&folder.path().canonicalize().unwrap()).unwrap();
        replace(&root, Path::new(below), bytes, before)
    }

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_that_somebody_else_changed_meanwhile_is_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let (seen, metadata) = before(&path);
        let metadata = &metadata;
        fs::write(&path, "theirs").unwrap();
        let result = put(&folder, "a.txt", b"ours", Before::File { seen, metadata });
        assert!(matches!(result, Err(NotReplaced::Changed)), "{result:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        fs::remove_file(&path).unwrap();
        let result = put(&folder, "a.txt", b"ours", Before::File { seen, metadata });
        assert!(matches!(result, Err(NotReplaced::Changed)), "{result:?}");
        assert!(names(folder.path()).is_empty());
    }

    /// The modes of unfinished files that are seen in a folder until `is_over`, while they are shorter than `whole`.
    #[cfg(unix)]
    fn modes_seen(folder: &Path, whole: usize, is_over: &AtomicBool) -> Vec<u32> {
        use std::os::unix::fs::PermissionsExt;
        let mut modes = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries {
                let is_unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
                if let Ok(metadata) = entry.metadata()
                    && is_unfinished
                    && metadata.len() < whole as u64
                {
                    modes.push(metadata.permissions().mode() & 0o777);
                }
            }
        }
        modes
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_a_private_file_while_its_new_text_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        let text = vec![b'x'; 32 << 20];
        // A busy machine may not get to look in time.
        for _ in 0..50 {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let (seen, metadata) = before(&path);
            let metadata = &metadata;
            let is_over = AtomicBool::new(false);
            let modes = thread::scope(|scope| {
                let watch = scope.spawn(|| modes_seen(folder.path(), text.len(), &is_over));
                let replaced = put(&folder, "key.pem", &text, Before::File { seen, metadata });
                is_over.store(true, Ordering::Relaxed);
                replaced.unwrap();
                watch.join().unwrap()
            });
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o640, "the file's own mode is kept");
            assert!(modes.iter().all(|mode| *mode == 0o600), "{modes:?}");
            if !modes.is_empty() {
                return;
            }
        }
        panic!("the file was never seen while it was written");
    }

    #[test]
    fn a_file_that_appeared_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/a.txt");
        fs::create_dir(folder.path().join("new")).unwrap();
        fs::write(&path, "theirs").unwrap();
        let result = put(&folder, "new/a.txt", b"ours", Before::Nothing);
        assert!(matches!(result, Err(NotReplaced::Changed)), "{result:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(names(&folder.path().join("new")), ["a.txt"]);
    }
}

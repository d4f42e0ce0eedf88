//! A private folder for the sockets and files of one run: short, ours alone, gone afterwards.
//!
//! Folders of runs that were killed are swept at the next start. A living run holds a lock in its
//! folder, so that neither a reused process id nor another process namespace confuses the sweep.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use siderail_os::System;
use siderail_os::private;
use siderail_os::process::is_alive;

use crate::exit::{Exit, Failure};

/// Bytes of the folder's path that leave room for a socket's name within the limit of about 100.
const PATH_LIMIT: usize = 64;
/// Name of the lock file.
const LOCK: &str = "lock";

/// The folder of this run; removed when dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Makes the folder below the user's runtime folder, or below the temporary folder if that is
    /// missing or its path is too long for a socket.
    pub(crate) fn create(env: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let places = places(&env, &std::env::temp_dir());
        let mut last = None;
        for place in places {
            match Self::create_in(&place) {
                Ok(folder) => return Ok(folder),
                Err(error) => {
                    last = Some(format!("{} cannot be used: {error}", place.display()));
                }
            }
        }
        let what = last.unwrap_or_else(|| "there is no folder for sockets".to_owned());
        Err(Failure::new(Exit::NotStarted, what)
            .hint("set XDG_RUNTIME_DIR to a folder with a short path that only you can access"))
    }

    fn create_in(place: &Path) -> io::Result<Self> {
        private_folder(place)?;
        sweep(place);
        let path = place.join(std::process::id().to_string());
        // left over from a run with the same id: a living one would have another
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        private::folder().create(&path)?;
        let lock = File::create(path.join(LOCK))?;
        lock.lock()?;
        Ok(Self { path, _lock: lock })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // what cannot be removed now is swept by the next run
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn places(env: &impl Fn(&str) -> Option<String>, temp: &Path) -> Vec<PathBuf> {
    let runtime = env("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|path| path.is_absolute() && path.is_dir());
    [
        runtime.map(|path| path.join("siderail")),
        Some(own_folder(temp)),
        (!System::HERE.is_windows()).then(|| own_folder(Path::new("/tmp"))),
    ]
    .into_iter()
    .flatten()
    .filter(|path| path.as_os_str().len() <= PATH_LIMIT || System::HERE.is_windows())
    .collect()
}

/// This user's folder in one that belongs to everybody.
pub(crate) fn own_folder(temp: &Path) -> PathBuf {
    temp.join(format!("siderail-{}", private::user_number()))
}

/// Makes the folder, or checks that an existing one is a folder of ours that nobody else can enter.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    match private::folder().create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        return Err(io::Error::other("it is not a folder"));
    }
    if !private::is_users(&found) {
        return Err(io::Error::other("it belongs to another user"));
    }
    if private::others_can_enter(&found) {
        return Err(io::Error::other(
            "other users can access it (its mode is not 0700)",
        ));
    }
    private::close_folder(path)
}

/// Removes folders of runs that are over. Best effort: another run may sweep at the same time.
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if !is_alive(pid) && !locked(&entry.path().join(LOCK)) {
            tracing::debug!(pid, "removing the folder of a run that is over");
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn locked(lock: &Path) -> bool {
    let file = File::open(lock);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_run_gets_a_private_folder_that_is_gone_afterwards() {
        let base = tempfile::tempdir().unwrap();
        let place = base.path().join("siderail");
        let folder = RunFolder::create_in(&place).unwrap();
        let path = folder.path().to_owned();
        assert_eq!((mode(&place), mode(&path)), (0o700, 0o700));
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_that_others_can_enter_or_that_is_a_link_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let open = base.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let error = RunFolder::create_in(&open).unwrap_err();
        assert!(
            error.to_string().contains("other users can access"),
            "{error}"
        );
        let link = base.path().join("link");
        std::os::unix::fs::symlink(&open, &link).unwrap();
        let error = RunFolder::create_in(&link).unwrap_err();
        assert!(error.to_string().contains("not a folder"), "{error}");
    }

    #[test]
    fn folders_of_dead_runs_are_swept_and_those_of_living_ones_stay() {
        let base = tempfile::tempdir().unwrap();
        let place = base.path().join("siderail");
        private_folder(&place).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let dead = place.join(child.id().to_string());
        child.wait().unwrap();
        let held = place.join((i32::MAX - 1).to_string());
        let living = place.join("1");
        for folder in [&dead, &held, &living, &place.join("agents")] {
            fs::create_dir(folder).unwrap();
        }
        let lock = File::create(held.join(LOCK)).unwrap();
        lock.lock().unwrap();
        let own = RunFolder::create_in(&place).unwrap();
        assert!(!dead.exists(), "the folder of a dead run is swept");
        assert!(
            held.exists(),
            "a run of another process namespace is alive: it holds its lock"
        );
        assert!(living.exists() && place.join("agents").exists());
        assert!(own.path().exists());
    }

    #[test]
    fn a_runtime_folder_too_deep_for_a_socket_is_passed_over() {
        let base = tempfile::tempdir().unwrap();
        let deep = base.path().join("d".repeat(80));
        fs::create_dir(&deep).unwrap();
        let env = |value: PathBuf| move |_: &str| value.to_str().map(str::to_owned);
        let temp = Path::new("/tmp");
        let with_deep = places(&env(deep), temp);
        assert!(with_deep.iter().all(|place| place.starts_with("/tmp/")));
        assert!(
            !with_deep
                .iter()
                .any(|place| place.to_string_lossy().contains("ddd"))
        );
        let short = places(&env(base.path().to_owned()), temp);
        assert_eq!(short[0], base.path().join("siderail"));
        let relative = places(&env("relative".into()), temp);
        assert!(relative[0].starts_with("/tmp"));
    }
}

//! Folders and files that belong to this user alone, and are trusted for that.
//!
//! The contents of the state folder count as the user's own, so a folder or file there that somebody else made or may
//! write to is refused. Knows nothing of what is kept in them.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use siderail_os::private;

/// Another process writes for a moment only.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Makes a folder with access for this user alone, parents included; one that is there has to be this user's,
/// and is closed to others.
///
/// # Errors
/// It cannot be made, or it is somebody else's.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    private::folder().recursive(true).create(folder)?;
    check_folder(folder)?;
    private::close_folder(folder)
}

/// Writes a file that only this user can read, and its parent folders.
///
/// # Errors
/// It cannot be written.
pub fn write_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = private::file(&mut options).open(path)?;
    file.write_all(text.as_bytes())
}

/// Whether a folder is this user's.
///
/// # Errors
/// It does not exist, or it is somebody else's: then nothing in it is trusted.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    let found = fs::metadata(folder)?;
    let why = match (found.is_dir(), private::is_users(&found)) {
        (false, _) => "it is not a folder",
        (true, false) => "it belongs to another user",
        (true, true) => return Ok(()),
    };
    Err(refused(folder, why))
}

/// The text of a file that nobody else can have written; none if there is no file.
///
/// # Errors
/// It cannot be read, or others own it or may write to it.
pub fn read_file(file: &Path) -> io::Result<Option<String>> {
    let found = match fs::symlink_metadata(file) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    check_file(&found).map_err(|why| refused(file, why))?;
    fs::read_to_string(file).map(Some)
}

/// Whether nobody else can have written a file; the error says why it is not trusted. `found`: links not followed.
pub fn check_file(found: &Metadata) -> Result<(), &'static str> {
    if !found.is_file() {
        return Err("it is not a file");
    }
    if !private::is_users(found) {
        return Err("it belongs to another user");
    }
    if private::others_can_write(found) {
        return Err("others can write to it");
    }
    Ok(())
}

/// Takes a lock that other processes hold for a moment only; held while the file lives. One that holds it for longer
/// (it was stopped) is not waited for: the caller has sessions to serve.
///
/// # Errors
/// The file cannot be opened, or another process holds the lock.
pub fn lock(file: &Path) -> io::Result<File> {
    let mut options = File::options();
    // Windows locks only what is open for more than appending.
    options.read(true).create(true).append(true);
    let lock = private::file(&mut options).open(file)?;
    for _ in 0..LOCK_TRIES {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    let text = format!("another process holds the lock {}", file.display());
    Err(io::Error::other(text))
}

fn refused(path: &Path, why: &str) -> io::Error {
    let text = format!("{} is not trusted: {why}", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

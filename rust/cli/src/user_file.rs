//! Changing a file of the user's: one process of ours at a time, and whole or not at all. Knows nothing of what is in it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use siderail_engine::private;
use siderail_os::files::keep_owner;

use crate::exit::{Exit, Failure};
use crate::setup::Setup;

/// Keeps other processes away that want the lock of this name, until it is dropped. They hold it for a moment only.
///
/// # Errors
/// Another process does not let go of it, or there is no place for it.
pub(crate) fn hold(setup: &Setup, name: &str) -> Result<File, Failure> {
    let folder = setup.state_folder()?;
    let failed = |error: io::Error| not_written(&folder, &error);
    private::make_folder(&folder).map_err(failed)?;
    private::lock(&folder.join(name)).map_err(failed)
}

/// Writes a file whole or not at all, and the folders that it is in. Its mode and owner stay; a new one is readable by this
/// user alone.
///
/// # Errors
/// It cannot be written.
pub(crate) fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    written(file, text).map_err(|error| not_written(file, &error))
}

fn written(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(file) {
        keep_owner(new.as_file(), &old);
        new.as_file().set_permissions(old.permissions())?;
    }
    new.persist(file)?;
    Ok(())
}

/// What is said of a file that cannot be written.
pub(crate) fn not_written(file: &Path, error: &io::Error) -> Failure {
    let what = format!("{} cannot be written: {error}", file.display());
    Failure::new(Exit::Failed, what)
}

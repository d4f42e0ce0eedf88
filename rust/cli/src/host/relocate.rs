//! `delete_file` and `move_file`. Links are handled themselves, never what they point to.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use siderail_engine::confine::{Confined, written};
use siderail_engine::host::{ToolErrorCode, ToolFailure, ToolOutcome};

use super::atomic_file::NewFolders;
use super::diff;
use super::failure::io_failure;
use super::place::Place;
use super::text_file::TextFile;
use siderail_engine::host::Arguments;

/// Larger files are deleted without a diff.
const MOST_DIFFED: u64 = 1024 * 1024;

pub(super) fn delete_file(
    place: &Place,
    arguments: Arguments<'_>,
) -> Result<ToolOutcome, ToolFailure> {
    let confined = place.existing_entry(arguments.required_text("path")?)?;
    let path = &confined.relative;
    if path == "." {
        return Err(ToolFailure::invalid(
            "the project folder itself is not deleted",
        ));
    }
    let refused = |error: io::Error| io_failure("delete", path, &error);
    let metadata = fs::symlink_metadata(&confined.absolute).map_err(refused)?;
    let (text, diff) = if metadata.is_dir() {
        if arguments.flag("recursive")? {
            fs::remove_dir_all(&confined.absolute).map_err(refused)?;
        } else {
            fs::remove_dir(&confined.absolute).map_err(|error| match error.kind() {
                ErrorKind::DirectoryNotEmpty => ToolFailure::invalid(format!(
                    "{path} is a folder that is not empty; set recursive to delete all that is \
                     in it"
                )),
                _ => refused(error),
            })?;
        }
        (format!("deleted the folder {path}\n"), None)
    } else {
        let is_small = metadata.is_file() && metadata.len() <= MOST_DIFFED;
        let old = is_small.then(|| TextFile::load(&confined).ok()).flatten();
        fs::remove_file(&confined.absolute).map_err(refused)?;
        let diff =
            old.and_then(|old| diff::for_people(&diff::unified(path, Some(&old.text), None)));
        (format!("deleted {path}\n"), diff)
    };
    Ok(ToolOutcome {
        text,
        files_written: vec![path.clone()],
        diff,
    })
}

pub(super) fn move_file(
    place: &Place,
    arguments: Arguments<'_>,
) -> Result<ToolOutcome, ToolFailure> {
    let from = place.existing_entry(arguments.required_text("path")?)?;
    let to = destination(place, &from, arguments.required_text("to")?)?;
    let overwrite = arguments.flag("overwrite")?;
    if from.relative == "." {
        return Err(ToolFailure::invalid(
            "the project folder itself is not moved",
        ));
    }
    if to.absolute == from.absolute {
        return Err(ToolFailure::invalid(format!(
            "{} is there already",
            from.relative
        )));
    }
    if to.absolute.starts_with(&from.absolute) {
        return Err(ToolFailure::invalid(format!(
            "{} cannot be moved into itself",
            from.relative
        )));
    }
    let attempt = format!("move {} to", from.relative);
    let refused = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => occupied(&to),
        _ => io_failure(&attempt, &to.relative, &error),
    };
    let parent = to.absolute.parent().unwrap_or(place.root());
    let folders = NewFolders::make(parent).map_err(refused)?;
    if overwrite {
        fs::rename(&from.absolute, &to.absolute).map_err(refused)?;
    } else {
        rename_onto_nothing(&from.absolute, &to.absolute).map_err(refused)?;
    }
    folders.keep();
    Ok(ToolOutcome {
        text: format!("moved {} to {}\n", from.relative, to.relative),
        files_written: vec![from.relative, to.relative],
        diff: None,
    })
}

/// Where a thing goes: a folder keeps its name.
pub(super) fn destination(
    place: &Place,
    from: &Confined,
    given: &str,
) -> Result<Confined, ToolFailure> {
    let to = place.inside(given)?;
    let is_folder = fs::symlink_metadata(&to.absolute).is_ok_and(|to| to.is_dir());
    match from.absolute.file_name() {
        Some(name) if is_folder || given.ends_with('/') => {
            place.entry(&written(&to.absolute.join(name)))
        }
        _ => place.entry(given),
    }
}

fn occupied(to: &Confined) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::InvalidParam,
        format!(
            "{} exists; set overwrite to replace it, or choose another name",
            to.relative
        ),
    )
}

/// Renames without ever replacing anything.
fn rename_onto_nothing(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Not every file system knows the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            result => return Ok(result?),
        }
    }
    match fs::symlink_metadata(to) {
        Ok(_) if !is_same_entry(from, to) => Err(ErrorKind::AlreadyExists.into()),
        _ => fs::rename(from, to),
    }
}

/// A name that differs in case only may be the same entry.
fn is_same_entry(from: &Path, to: &Path) -> bool {
    match (fs::canonicalize(from), fs::canonicalize(to)) {
        (Ok(from), Ok(to)) => from == to,
        _ => false,
    }
}

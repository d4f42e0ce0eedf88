//! `delete_file` and `move_file`. Links are handled themselves, never what they point to.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::confine::{Confined, Kind, written};
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

use crate::arguments::Arguments;
use crate::atomic_file::NewFolders;
use crate::diff;
use crate::failure::io_failure;
use crate::place::Place;
use crate::text_file::TextFile;

/// Larger files are deleted without a diff.
const MOST_DIFFED: u64 = 1024 * 1024;

pub(crate) fn delete_file(
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
    let entry = place.hold(&confined).map_err(refused)?;
    let found = entry.found().map_err(refused)?;
    let (text, diff) = if found.kind == Kind::Folder {
        if arguments.flag("recursive")? {
            entry.remove_all().map_err(refused)?;
        } else {
            entry.remove_folder().map_err(|error| match error.kind() {
                ErrorKind::DirectoryNotEmpty => ToolFailure::invalid(format!(
                    "{path} is a folder that is not empty; set recursive to delete all that is \
                     in it"
                )),
                _ => refused(error),
            })?;
        }
        (format!("deleted the folder {path}\n"), None)
    } else {
        let is_small = found.kind == Kind::File && found.length <= MOST_DIFFED;
        let old = is_small
            .then(|| TextFile::load(place, &confined).ok())
            .flatten();
        entry.remove().map_err(refused)?;
        let diff =
            old.and_then(|(old, _)| diff::for_people(&diff::unified(path, Some(&old.text), None)));
        (format!("deleted {path}\n"), diff)
    };
    Ok(ToolOutcome {
        text,
        files_written: vec![path.clone()],
        diff,
        ..ToolOutcome::default()
    })
}

pub(crate) fn move_file(
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
    let root = place.folder().map_err(refused)?;
    let held = root.entry(&place.below(&from.absolute)).map_err(refused)?;
    let below = place.below(&to.absolute);
    let folders =
        NewFolders::make(&root, below.parent().unwrap_or(Path::new(""))).map_err(refused)?;
    let target = root.entry(&below).map_err(refused)?;
    if overwrite {
        held.rename(&target).map_err(refused)?;
    } else {
        held.rename_onto_nothing(&target).map_err(refused)?;
    }
    folders.keep();
    Ok(ToolOutcome {
        text: format!("moved {} to {}\n", from.relative, to.relative),
        files_written: vec![from.relative, to.relative],
        ..ToolOutcome::default()
    })
}

/// Where a thing goes: a folder keeps its name.
pub(crate) fn destination(
    place: &Place,
    from: &Confined,
    given: &str,
) -> Result<Confined, ToolFailure> {
    let to = place.inside(given)?;
    let found = place.hold(&to).and_then(|entry| entry.found());
    let is_folder = found.is_ok_and(|found| found.kind == Kind::Folder);
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

//! `delete_file` and `move_file`. Links are handled themselves, never what they point to.

use std::io;

use siderail_catalog::Tool;

use crate::confine::{Confined, Kind, written};
use crate::outcome::{ToolFailure, ToolOutcome};

use crate::arguments::Arguments;
use crate::call::{Call, Handler};
use crate::diff;
use crate::failure::io_failure;
use crate::place::Place;

/// Larger files are deleted without a diff.
const MOST_DIFFED: u64 = 1024 * 1024;

pub(crate) const HANDLERS: &[Handler] = &[
    Handler {
        tool: Tool::DeleteFile,
        ordered_by: &["path"],
        run: delete_file,
    },
    Handler {
        tool: Tool::MoveFile,
        ordered_by: &["path", "to"],
        run: move_file,
    },
];

fn delete_file(call: &Call<'_>, arguments: Arguments<'_>) -> Result<ToolOutcome, ToolFailure> {
    let place = call.place;
    let confined = place.existing_entry(arguments.required_text("path")?)?;
    let path = &confined.relative;
    not_a_root(place, &confined, "deleted")?;
    let refused = |error: io::Error| io_failure("delete", path, &error);
    let found = place
        .hold(&confined)
        .and_then(|entry| entry.found())
        .map_err(refused)?;
    let target = call.target(&confined);
    let (text, diff) = if found.kind == Kind::Folder {
        let is_empty = || {
            let (root, below) = place.folder_of(&confined.absolute)?;
            Ok(root.folder(&below)?.entries()?.is_empty())
        };
        if !arguments.flag("recursive")? && !is_empty().map_err(refused)? {
            return Err(ToolFailure::invalid(format!(
                "{path} is a folder that is not empty; set recursive to delete everything in it"
            )));
        }
        call.primitives.delete(&target)?;
        (format!("deleted the folder {path}\n"), None)
    } else {
        let is_small = found.kind == Kind::File && found.length <= MOST_DIFFED;
        let old = is_small
            .then(|| call.primitives.text(&target).ok())
            .flatten();
        call.primitives.delete(&target)?;
        let diff =
            old.and_then(|old| diff::for_people(&diff::unified(path, Some(old.text()), None)));
        (format!("deleted {path}\n"), diff)
    };
    Ok(ToolOutcome {
        text,
        files_written: vec![path.clone()],
        diff,
        ..ToolOutcome::default()
    })
}

fn move_file(call: &Call<'_>, arguments: Arguments<'_>) -> Result<ToolOutcome, ToolFailure> {
    let place = call.place;
    let from = place.existing_entry(arguments.required_text("path")?)?;
    let to = destination(place, &from, arguments.required_text("to")?)?;
    let overwrite = arguments.flag("overwrite")?;
    not_a_root(place, &from, "moved")?;
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
    call.primitives
        .rename(&call.target(&from), &to, overwrite)?;
    Ok(ToolOutcome {
        text: format!("moved {} to {}\n", from.relative, to.relative),
        files_written: vec![from.relative, to.relative],
        ..ToolOutcome::default()
    })
}

/// The project's folders stay, and the folders that contain them.
fn not_a_root(place: &Place, confined: &Confined, done: &str) -> Result<(), ToolFailure> {
    let path = &confined.absolute;
    let what = match path {
        path if path == place.root() => "the project folder itself",
        path if path == place.root_of(path) => "a content root of the project itself",
        path if place.root().starts_with(path) => "a folder that the project folder is in",
        _ => return Ok(()),
    };
    Err(ToolFailure::invalid(format!("{what} cannot be {done}")))
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

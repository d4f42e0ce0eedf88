//! `list_project_files`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cancel::CancelFlag;
use crate::confine::{Confined, Kind, written};
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

use crate::arguments::Arguments;
use crate::failure::cancelled;
use crate::glob::Glob;
use crate::place::Place;
use crate::walk;

/// Characters of an answer.
const ANSWER: usize = 10_000;

pub(crate) fn list_files(
    place: &Place,
    arguments: Arguments<'_>,
    cancel: &CancelFlag,
) -> Result<ToolOutcome, ToolFailure> {
    let folder = place.existing(arguments.text("directory")?.unwrap_or("."))?;
    let is_folder = place
        .hold(&folder)
        .and_then(|entry| entry.found())
        .is_ok_and(|found| found.kind == Kind::Folder);
    if !is_folder {
        return Err(ToolFailure::new(
            ToolErrorCode::InvalidParam,
            format!(
                "{} is a file, not a folder; intellij_read_file shows it",
                folder.relative
            ),
        ));
    }
    let pattern = arguments.text("pattern")?;
    let glob = pattern
        .map(|pattern| Glob::new(place.root(), &folder.absolute, pattern))
        .transpose()?;
    let depth = arguments
        .amount("max_depth", 1, usize::MAX)?
        .unwrap_or(usize::MAX);
    let limit = arguments.amount("limit", 1, 1_000)?.unwrap_or(200);
    let listing = Listing::of(place, &folder, glob.as_ref(), depth, cancel)?;
    Ok(ToolOutcome {
        text: listing.page(&folder, pattern, arguments.cursor()?, limit),
        ..ToolOutcome::default()
    })
}

#[derive(Default)]
struct Listing {
    /// A line each: a file, or a folder that is not gone into with the number of its files.
    entries: BTreeMap<String, Option<usize>>,
    n_files: usize,
    /// Folders that could not be read.
    unreadable: Vec<String>,
}

impl Listing {
    fn of(
        place: &Place,
        folder: &Confined,
        glob: Option<&Glob>,
        depth: usize,
        cancel: &CancelFlag,
    ) -> Result<Self, ToolFailure> {
        let mut listing = Self::default();
        for entry in walk::entries(place, &folder.absolute) {
            if cancel.is_cancelled() {
                return Err(cancelled());
            }
            match entry {
                Ok(entry) => {
                    let is_folder = entry.kind == Kind::Folder;
                    if !is_folder && glob.is_none_or(|glob| glob.matches(&entry.path)) {
                        listing.add(place.root(), &folder.absolute, &entry.path, depth);
                    }
                }
                Err(problem) => listing.unreadable.push(problem),
            }
        }
        Ok(listing)
    }

    fn add(&mut self, root: &Path, folder: &Path, file: &Path, depth: usize) {
        self.n_files += 1;
        let (Ok(below), Ok(path)) = (file.strip_prefix(folder), file.strip_prefix(root)) else {
            return;
        };
        let n_hidden = below.iter().count().saturating_sub(depth);
        if n_hidden == 0 {
            self.entries.insert(written(path), None);
            return;
        }
        let shown = path.ancestors().nth(n_hidden).unwrap_or(path);
        let n_files = self
            .entries
            .entry(written(&shown.join("")))
            .or_insert(Some(0));
        *n_files = n_files.map(|n_files| n_files + 1);
    }

    fn page(
        &self,
        folder: &Confined,
        pattern: Option<&str>,
        skipped: usize,
        limit: usize,
    ) -> String {
        let of_what = match pattern {
            Some(pattern) => format!(" matching `{pattern}`"),
            None => String::new(),
        };
        let place = match folder.relative.as_str() {
            "." => "the project",
            relative => relative,
        };
        let mut text = format!("{} files{of_what} in {place}\n", self.n_files);
        if self.n_files == 0 {
            text.push_str(
                "This is complete and final; what the ignore files exclude was not looked at.\n",
            );
        }
        let mut n_shown = 0;
        for (path, n_files) in self.entries.iter().skip(skipped).take(limit) {
            if n_shown > 0 && text.len() > ANSWER {
                break;
            }
            n_shown += 1;
            text.push_str(path);
            if let Some(n_files) = n_files {
                text.push_str(&format!(" ({n_files} files)"));
            }
            text.push('\n');
        }
        for problem in self.unreadable.iter().take(5) {
            text.push_str(&format!("Not complete: {problem}\n"));
        }
        let end = skipped + n_shown;
        if end < self.entries.len() {
            text.push_str(&format!(
                "Next: the same call with \"cursor\": \"{end}\" ({} entries left)\n",
                self.entries.len() - end
            ));
        }
        text
    }
}

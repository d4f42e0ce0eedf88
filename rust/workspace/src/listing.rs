//! `list_project_files`.

use std::collections::HashMap;
use std::path::PathBuf;

use siderail_catalog::Tool::{self, ReadFile};

use crate::cancel::CancelFlag;
use crate::confine::{Confined, Kind, written};
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

use crate::arguments::{Amount, Arguments};
use crate::call::{Call, Handler};
use crate::failure::cancelled;
use crate::glob::Glob;
use crate::walk::{Met, Visitor};

/// Characters of an answer.
const ANSWER: usize = 10_000;
/// Levels below the folder.
const LEVELS: Amount = Amount {
    least: 1,
    most: usize::MAX,
    usual: usize::MAX,
};
/// Entries of an answer.
pub const ENTRIES: Amount = Amount {
    least: 1,
    most: 1_000,
    usual: 200,
};

pub(crate) const HANDLERS: &[Handler] = &[Handler {
    tool: Tool::ListProjectFiles,
    ordered_by: &[],
    run: list_files,
}];

fn list_files(call: &Call<'_>, arguments: Arguments<'_>) -> Result<ToolOutcome, ToolFailure> {
    let place = call.place;
    let folders = place.scopes(arguments.text("directory")?)?;
    let folder = &folders[0];
    let is_folder = place
        .hold(folder)
        .and_then(|entry| entry.found())
        .is_ok_and(|found| found.kind == Kind::Folder);
    if !is_folder {
        return Err(ToolFailure::new(
            ToolErrorCode::InvalidParam,
            format!(
                "{} is a file, not a folder; {ReadFile} shows it",
                folder.relative
            ),
        ));
    }
    let pattern = arguments.text("pattern")?;
    let depth = arguments.amount("max_depth", LEVELS)?;
    let limit = arguments.amount("limit", ENTRIES)?;
    let mut listing = Listing::default();
    for folder in &folders {
        listing.join(Listing::of(call, folder, pattern, depth)?);
    }
    Ok(ToolOutcome {
        text: listing.page(folder, pattern, arguments.cursor()?, limit),
        ..ToolOutcome::default()
    })
}

#[derive(Default)]
struct Listing {
    /// A line each, sorted in each content root: a file, or a folder that is not gone into with the number of its files.
    entries: Vec<(String, Option<usize>)>,
    n_files: usize,
    /// Folders that could not be read.
    unreadable: Vec<String>,
}

/// One thread's part of a listing.
struct Lister<'a> {
    /// Folders between the content root and what is in the listed folder.
    n_above: usize,
    glob: Option<&'a Glob>,
    depth: usize,
    cancel: &'a CancelFlag,
    files: Vec<String>,
    /// How many files there are in the folders that are not gone into.
    folders: HashMap<PathBuf, usize>,
    unreadable: Vec<String>,
}

impl Visitor for Lister<'_> {
    fn meet(&mut self, met: &Met<'_>) {
        let is_folder = met.kind == Kind::Folder;
        if is_folder || !self.glob.is_none_or(|glob| glob.matches(&met.path())) {
            return;
        }
        let path = met.named();
        let n_hidden = (met.depth() - self.n_above).saturating_sub(self.depth);
        if n_hidden == 0 {
            self.files.push(written(&path));
            return;
        }
        let shown = path.ancestors().nth(n_hidden).unwrap_or(&path);
        match self.folders.get_mut(shown) {
            Some(n_files) => *n_files += 1,
            None => drop(self.folders.insert(shown.to_owned(), 1)),
        }
    }

    fn miss(&mut self, problem: String) {
        self.unreadable.push(problem);
    }

    fn is_done(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

impl Listing {
    fn of(
        call: &Call<'_>,
        folder: &Confined,
        pattern: Option<&str>,
        depth: usize,
    ) -> Result<Self, ToolFailure> {
        let (place, cancel) = (call.place, call.cancel);
        let root = place.root_of(&folder.absolute);
        let glob = pattern
            .map(|pattern| Glob::new(root, &folder.absolute, pattern))
            .transpose()?;
        let n_above = place.confinement().below(&folder.absolute);
        let n_above = n_above.map_or(0, |below| below.iter().count());
        let listers = call.walk(folder, || Lister {
            n_above,
            glob: glob.as_ref(),
            depth,
            cancel,
            files: Vec::new(),
            folders: HashMap::new(),
            unreadable: Vec::new(),
        });
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let mut entries = Vec::new();
        let mut folders: HashMap<PathBuf, usize> = HashMap::new();
        let mut unreadable = Vec::new();
        for lister in listers {
            entries.extend(lister.files.into_iter().map(|file| (file, None)));
            for (folder, n_files) in lister.folders {
                *folders.entry(folder).or_default() += n_files;
            }
            unreadable.extend(lister.unreadable);
        }
        let n_files = entries.len() + folders.values().sum::<usize>();
        let counted =
            |(folder, n_files): (PathBuf, usize)| (written(&folder.join("")), Some(n_files));
        entries.extend(folders.into_iter().map(counted));
        entries.sort_unstable();
        unreadable.sort_unstable();
        Ok(Self {
            entries,
            n_files,
            unreadable,
        })
    }

    fn join(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.n_files += other.n_files;
        self.unreadable.extend(other.unreadable);
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
                "This is complete and final; what the project excludes or ignores was not looked at.\n",
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

//! A folder that paths are compared with: the project's own, or a content root that an IDE has named beside it.
//!
//! The person decides which folders those are, in the IDE's model of the project. An agent may have edited the files
//! that such a model is made of, so roots are only added when a person starts the agent, and a folder that holds more
//! of a person than a project's files is never accepted.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use siderail_os::System;
use siderail_os::files::is_same;

use super::simplified;

/// Roots that are taken of one project.
const MOST_ROOTS: usize = 64;

/// Such a folder, canonical.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) path: PathBuf,
    /// Names that differ in case only are the same there.
    pub(super) folds_case: bool,
}

impl Root {
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let path = simplified(fs::canonicalize(folder)?);
        if !path.is_dir() {
            return Err(io::Error::from(ErrorKind::NotADirectory));
        }
        if path.to_str().is_none() {
            // Agents get it in JSON, where it would be another folder.
            return Err(io::Error::other("its name is not valid UTF-8; rename it"));
        }
        let folds_case = folds_case(&path);
        Ok(Self { path, folds_case })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether no link has come on the way to it, which was one without.
    pub(super) fn is_in_place(&self) -> bool {
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|at| at.is_symlink());
        !self.path.ancestors().any(is_link)
    }

    /// What leads from here to a canonical path in it; empty for the folder itself.
    pub(super) fn below(&self, absolute: &Path) -> Option<PathBuf> {
        let mut rest = absolute.components();
        for expected in self.path.components() {
            let found = rest.next()?;
            if !self.same(expected.as_os_str(), found.as_os_str()) {
                return None;
            }
        }
        Some(rest.as_path().to_owned())
    }

    fn same(&self, one: &OsStr, other: &OsStr) -> bool {
        one == other
            || self.folds_case
                && one.to_string_lossy().to_lowercase() == other.to_string_lossy().to_lowercase()
    }
}

/// What no content root may contain or be in.
#[derive(Clone, Copy, Debug)]
pub struct Private<'a> {
    /// The person's home folder, which may hold roots, but not in its hidden folders. Without it none is taken.
    pub home: Option<&'a Path>,
    /// Folders with what Siderail itself goes by.
    pub own: &'a [PathBuf],
}

impl Private<'_> {
    /// Why this is not a root.
    fn refuses(&self, root: &Root) -> Option<&'static str> {
        let real = |path: &Path| fs::canonicalize(path).map_or(path.to_owned(), simplified);
        let Some(home) = self.home.map(real) else {
            return Some("your home folder is not known");
        };
        let meets = |own: &PathBuf| {
            let own = real(own);
            root.below(&own).is_some() || root.path.starts_with(own)
        };
        let hidden = || {
            let first = root.path.strip_prefix(&home).ok()?.iter().next()?;
            Some(first.to_string_lossy().starts_with('.'))
        };
        if root.path.parent().is_none() {
            Some("it is everything on that file system")
        } else if root.below(&home).is_some() {
            Some("your home folder is in it")
        } else if self.own.iter().any(meets) {
            Some("Siderail keeps its own files there")
        } else if hidden() == Some(true) {
            Some("it lies in a hidden folder of your home folder")
        } else {
            None
        }
    }
}

/// Adds to `further` those of the named folders that lie neither in the project's own nor in each other. Answers why
/// others are not taken; those that are not there are skipped.
pub(super) fn taken(
    base: &Root,
    named: &[PathBuf],
    private: Private<'_>,
    further: &mut Vec<Root>,
) -> Vec<String> {
    let mut refused = Vec::new();
    for path in named {
        let Ok(root) = Root::new(path) else { continue };
        let is_in = |outer: &Root| outer.below(&root.path).is_some();
        if is_in(base) || further.iter().any(is_in) {
            continue;
        }
        let why = if let Some(why) = private.refuses(&root) {
            why
        } else if further.len() >= MOST_ROOTS {
            "there are too many"
        } else {
            further.retain(|inner| root.below(&inner.path).is_none());
            further.push(root);
            continue;
        };
        refused.push(format!(
            "the content root {} counts as outside of the project: {why}",
            root.path.display()
        ));
    }
    refused
}

/// Whether names that differ in case only are the same file here: asks with the case of the
/// folder's own name turned round.
fn folds_case(root: &Path) -> bool {
    if System::HERE.is_windows() {
        return true;
    }
    let Some((folder, name)) = root
        .ancestors()
        .filter_map(|folder| Some((folder, folder.file_name()?.to_str()?)))
        .find(|(_, name)| name.bytes().any(|byte| byte.is_ascii_alphabetic()))
    else {
        return false;
    };
    let turned: String = name
        .chars()
        .map(|letter| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        })
        .collect();
    is_same(folder, &folder.with_file_name(turned))
}

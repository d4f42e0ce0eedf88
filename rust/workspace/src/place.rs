//! Paths of tool calls: resolved inside the project, or an error that says why not, and which path may have been meant.
//! For all tools that are given paths, those of `tools` too. Knows none of them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::confine::{Confined, Confinement, Entry, Folder, Refusal, written};
use crate::outcome::{ToolErrorCode, ToolFailure};
use siderail_catalog::Tool::ListProjectFiles;

use crate::walk;

/// Names that are offered in place of an unknown path.
const MOST_NAMES: usize = 5;
/// Entries that are looked through for them.
const MOST_LOOKED_AT: usize = 50_000;

/// Where a call works.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    /// The project's base folder, as [`Confinement::root`] names it.
    pub folder: &'a Path,
    /// Its content roots elsewhere, as [`Confinement::further`] names them.
    pub roots: &'a [PathBuf],
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Project<'a> {
    fn from(folder: &'a P) -> Self {
        let folder = folder.as_ref();
        Self { folder, roots: &[] }
    }
}

/// The project of a call, in which the paths that are given to tools are looked up.
pub struct Place {
    confinement: Confinement,
}

impl Place {
    /// Takes the project of a call.
    ///
    /// # Errors
    /// Its folder is gone, or a link has come on the way to it.
    pub fn new<'a>(project: impl Into<Project<'a>>) -> Result<Self, ToolFailure> {
        let project = project.into();
        Confinement::known(project.folder)
            .map(|confinement| confinement.with_roots(project.roots))
            .map(|confinement| Self { confinement })
            .map_err(|error| {
                ToolFailure::new(
                    ToolErrorCode::ProjectDisposed,
                    format!(
                        "the project folder {} cannot be used: {error}",
                        project.folder.display()
                    ),
                )
            })
    }

    /// The project's base folder.
    pub fn root(&self) -> &Path {
        self.confinement.root()
    }

    /// What keeps paths inside the project.
    pub(crate) fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// What to walk for a path, that itself first: the project's folder means all content roots, and a folder above it
    /// the project's, too, which no walk of another root enters.
    pub(crate) fn scopes(&self, given: Option<&str>) -> Result<Vec<Confined>, ToolFailure> {
        let scope = self.existing(given.unwrap_or("."))?;
        let more: Vec<&Path> = match scope.relative.as_str() {
            "." => self.confinement.further().collect(),
            _ if self.root().starts_with(&scope.absolute) => vec![self.root()],
            _ => Vec::new(),
        };
        let resolved = |root: &Path| self.confinement.resolve(&written(root)).ok();
        let more: Vec<Confined> = more.into_iter().filter_map(resolved).collect();
        Ok(std::iter::once(scope).chain(more).collect())
    }

    /// One of the project's folders, held open, and what leads from it to a canonical path.
    pub(crate) fn folder_of(&self, absolute: &Path) -> io::Result<(Folder, PathBuf)> {
        self.confinement.folder_of(absolute)
    }

    /// Opens a regular file of the project by its canonical path; no link that came meanwhile is followed.
    ///
    /// # Errors
    /// It is not there, cannot be opened, is not a regular file, or a link is on the way.
    pub fn file(&self, absolute: &Path) -> io::Result<File> {
        let (root, below) = self.folder_of(absolute)?;
        root.file(&below)
    }

    /// A canonical path as the tools name it, and not as it is printed; empty for the project's folder.
    pub(crate) fn named(&self, absolute: &Path) -> Option<PathBuf> {
        let root = self.confinement.root_of(absolute)?;
        let is_base = root == self.root();
        let below = || self.confinement.below(absolute);
        Some(if is_base {
            below()?
        } else {
            absolute.to_owned()
        })
    }

    /// The folder of the project that contains a canonical path.
    pub(crate) fn root_of(&self, absolute: &Path) -> &Path {
        self.confinement
            .root_of(absolute)
            .unwrap_or_else(|| self.root())
    }

    /// What a path was found to name, in its folder, which is held open.
    pub(crate) fn hold(&self, confined: &Confined) -> io::Result<Entry> {
        self.confinement.hold(confined)
    }

    /// A path inside the project, there or not, links followed.
    ///
    /// # Errors
    /// It leads outside, or is a name that was misread.
    pub fn inside(&self, given: &str) -> Result<Confined, ToolFailure> {
        self.accepted(given, self.confinement.resolve(given))
    }

    /// As [`Self::inside`], but a link at the end is not followed.
    ///
    /// # Errors
    /// As [`Self::inside`].
    pub fn entry(&self, given: &str) -> Result<Confined, ToolFailure> {
        self.accepted(given, self.confinement.resolve_entry(given))
    }

    fn accepted(
        &self,
        given: &str,
        found: Result<Confined, Refusal>,
    ) -> Result<Confined, ToolFailure> {
        let confined = found.map_err(|refusal| self.refused(given, &refusal))?;
        match self.misread_name(given, &confined) {
            Some(refused) => Err(refused),
            None => Ok(confined),
        }
    }

    /// A name that was misread where it had to be quoted: writing to it would make a second file beside the one meant.
    fn misread_name(&self, given: &str, confined: &Confined) -> Option<ToolFailure> {
        if confined.exists {
            return None;
        }
        if given.contains(char::REPLACEMENT_CHARACTER) {
            let names = self.nearest_names(&confined.absolute);
            let advice = match names.is_empty() {
                true => format!("{ListProjectFiles} prints such names"),
                false => format!("nearest: {}", names.join(", ")),
            };
            return Some(ToolFailure::invalid(format!(
                "no file has U+FFFD in its name, which stands for bytes that are not text; pass the \
                 path in its quotes, with those bytes as \\ooo; {advice}"
            )));
        }
        let meant = self.confinement.resolve(&format!("\"{given}\"")).ok()?;
        let is_misread = given.contains('\\') && meant.exists;
        is_misread.then(|| {
            ToolFailure::invalid(format!(
                "{given} does not exist; the quotes belong to the path: {}",
                meant.relative
            ))
        })
    }

    /// A path inside the project at which there is something.
    ///
    /// # Errors
    /// As [`Self::inside`], or nothing is there.
    pub fn existing(&self, given: &str) -> Result<Confined, ToolFailure> {
        let confined = self.inside(given)?;
        if confined.exists {
            Ok(confined)
        } else {
            Err(self.unknown(&confined))
        }
    }

    /// As [`Self::entry`], for something that must be there.
    pub(crate) fn existing_entry(&self, given: &str) -> Result<Confined, ToolFailure> {
        let confined = self.entry(given)?;
        if confined.exists {
            Ok(confined)
        } else {
            Err(self.unknown(&confined))
        }
    }

    /// Where a path may lead, without a word about it: the thing itself and what it points to.
    pub(crate) fn locate(&self, given: &str) -> Vec<PathBuf> {
        let itself = self.confinement.resolve_entry(given).ok();
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        let target = match &itself {
            Some(itself) if !is_link(&itself.absolute) => None,
            _ => self.confinement.resolve(given).ok(),
        };
        let both = target.into_iter().chain(itself);
        both.map(|confined| confined.absolute).collect()
    }

    fn refused(&self, given: &str, refusal: &Refusal) -> ToolFailure {
        let code = match refusal {
            Refusal::Empty | Refusal::BadAddress(_) | Refusal::NoName { .. } => {
                ToolErrorCode::InvalidParam
            }
            Refusal::Outside { .. } | Refusal::Unfollowable { .. } => ToolErrorCode::OutsideProject,
        };
        // Models take `/src/a` for a path from the project's root.
        let rooted = given.trim_start_matches('/');
        let advice = match self.confinement.resolve(rooted) {
            Ok(meant) if rooted != given && meant.exists => {
                format!("; did you mean {}?", meant.relative)
            }
            _ => "; name a path inside the project".to_owned(),
        };
        ToolFailure::new(code, format!("{refusal}{advice}"))
    }

    fn unknown(&self, confined: &Confined) -> ToolFailure {
        let names = self.nearest_names(&confined.absolute);
        let advice = if names.is_empty() {
            format!("nothing in the project has a similar name; {ListProjectFiles} lists the files")
        } else {
            format!("nearest: {}", names.join(", "))
        };
        ToolFailure::new(
            ToolErrorCode::FileNotFound,
            format!("{} does not exist; {advice}", confined.relative),
        )
    }

    /// Paths with the same or a similar name, the most similar first.
    fn nearest_names(&self, wanted: &Path) -> Vec<String> {
        let name = |path: &Path| Some(self.confinement.unquoted(path)?.to_lowercase());
        let wanted_name = name(wanted).unwrap_or_default();
        let mut ranked: Vec<(usize, String)> =
            walk::paths(&self.confinement, self.root_of(wanted), MOST_LOOKED_AT)
                .into_iter()
                .filter_map(|path| {
                    let unlikeness = unlikeness(&wanted_name, &name(&path)?)?;
                    Some((unlikeness, self.confinement.relative(&path)?))
                })
                .collect();
        ranked.sort();
        ranked.truncate(MOST_NAMES);
        ranked.into_iter().map(|(_, path)| path).collect()
    }
}

/// How far a path is from the wanted one; none if it is no help. The name counts before the folders.
fn unlikeness(wanted: &str, path: &str) -> Option<usize> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let (wanted_name, found_name) = (name(wanted), name(path));
    let n_chars = wanted_name.chars().count();
    let distance = if wanted_name == found_name {
        0
    } else {
        let distance = edit_distance(&wanted_name, &found_name);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        if distance <= (n_chars / 3).max(1) {
            distance
        } else if stem(&wanted_name).len() > 2 && stem(&wanted_name) == stem(&found_name) {
            n_chars
        } else {
            return None;
        }
    };
    let folders = |path: &str| -> Vec<String> { path.split('/').map(str::to_owned).collect() };
    let (wanted_folders, found_folders) = (folders(wanted), folders(path));
    let n_foreign = found_folders
        .iter()
        .filter(|folder| !wanted_folders.contains(folder))
        .count();
    Some(distance * 100 + n_foreign.min(99))
}

fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(256).collect();
    let mut previous: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.chars().take(256).enumerate() {
        let mut current = vec![row + 1];
        for (column, candidate) in other.iter().enumerate() {
            let changed = previous[column] + usize::from(letter != *candidate);
            current.push(
                changed
                    .min(previous[column + 1] + 1)
                    .min(current[column] + 1),
            );
        }
        previous = current;
    }
    previous[other.len()]
}

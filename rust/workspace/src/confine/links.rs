//! Which links lie on the way of a path, and where they lead in the end.
//!
//! For the guard, which reads command lines and no file. A path may hold patterns, as a shell expands them: then every
//! entry that fits counts. What cannot be listed has no links that anybody could go through. All paths of a line share
//! one bound: a path beyond it is not reported, and the caller must not take it for one without links.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Confinement, Last, Root, follow};

/// A link and what it leads to; both absolute, and no folder on the way to either is a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLink {
    /// The link itself.
    pub path: PathBuf,
    /// Where it leads.
    pub to: PathBuf,
}

/// What may still be looked at in a folder tree for one command line.
#[derive(Debug)]
pub struct Looks(usize);

/// Entries that are listed and paths that are looked at for all of a line.
const MOST_LOOKS: usize = 4096;
/// What following a link counts.
const A_LINK: usize = 8;

impl Default for Looks {
    fn default() -> Self {
        Self(MOST_LOOKS)
    }
}

impl Looks {
    fn spend(&mut self, n: usize) -> Option<()> {
        let left = self.0.checked_sub(n);
        self.0 = left.unwrap_or(0);
        left.map(|_| ())
    }
}

impl Confinement {
    /// The links on the way of an absolute path with patterns. `fits` says whether a name fits a pattern. `None` where
    /// there is more to look at than `looks` has left: then nothing is known of the path.
    pub fn links_on(
        &self,
        path: &str,
        fits: fn(&str, &str) -> bool,
        looks: &mut Looks,
    ) -> Option<Vec<FoundLink>> {
        let mut found = Vec::new();
        let path = Path::new(path);
        // The project's folders are some without links, unless one has come since.
        let mut roots = std::iter::once(&self.base).chain(&self.further);
        let below = |root: &Root| {
            let steps = path.strip_prefix(root.path()).ok()?;
            root.is_in_place().then(|| (root.path().to_owned(), steps))
        };
        let (start, steps) = roots
            .find_map(below)
            .unwrap_or_else(|| (PathBuf::from("/"), path.strip_prefix("/").unwrap_or(path)));
        let mut places = vec![start];
        for step in steps.components() {
            let step = step.as_os_str().to_string_lossy();
            let mut next = Vec::new();
            for place in places {
                for entry in entries(place, &step, fits, looks)? {
                    next.push(self.passed(entry, looks, &mut found)?);
                }
            }
            places = next;
        }
        Some(found)
    }

    /// Where an entry of a folder leads; a link is noted.
    fn passed(
        &self,
        entry: PathBuf,
        looks: &mut Looks,
        found: &mut Vec<FoundLink>,
    ) -> Option<PathBuf> {
        looks.spend(1)?;
        if !fs::symlink_metadata(&entry).is_ok_and(|found| found.is_symlink()) {
            return Some(entry);
        }
        looks.spend(A_LINK)?;
        let to = self.end_of(&entry);
        found.push(FoundLink {
            path: entry,
            to: to.clone(),
        });
        Some(to)
    }

    /// Where a link leads. One that cannot be followed leads at least to what it names.
    fn end_of(&self, link: &Path) -> PathBuf {
        let end = follow(self.root(), link, Last::Followed).map(|(end, _)| end);
        end.unwrap_or_else(|_| {
            let named = fs::read_link(link).unwrap_or_default();
            link.with_file_name(named)
        })
    }
}

/// What a step from a folder may mean: the name itself, and all that fit if it is a pattern.
fn entries(
    mut place: PathBuf,
    step: &str,
    fits: fn(&str, &str) -> bool,
    looks: &mut Looks,
) -> Option<Vec<PathBuf>> {
    if step == ".." {
        place.pop();
        return Some(vec![place]);
    }
    let mut entries = vec![place.join(step)];
    if step.contains(['*', '?', '[']) {
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            looks.spend(1)?;
            if fits(step, &entry.file_name().to_string_lossy()) {
                entries.push(entry.path());
            }
        }
    }
    Some(entries)
}

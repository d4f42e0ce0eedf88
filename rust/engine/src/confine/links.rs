//! Which links lie on the way of a path, and where they lead in the end.
//!
//! For the guard, which reads command lines and no file. A path may hold patterns, as a shell expands them: then every
//! entry that fits counts. What cannot be listed has no links that anybody could go through.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Confinement, Last, follow};

/// A link and what it leads to; both absolute, and no folder on the way to either is a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLink {
    /// The link itself.
    pub path: PathBuf,
    /// Where it leads.
    pub to: PathBuf,
}

/// Entries of a folder that are looked at for a pattern, and places that its parts may stand for.
const MOST_ENTRIES: usize = 4096;
const MOST_PLACES: usize = 256;

impl Confinement {
    /// The links on the way of an absolute path with patterns, those that lead out of the project first. `fits` says
    /// whether a name fits a pattern.
    pub fn links_on(&self, path: &str, fits: fn(&str, &str) -> bool) -> Vec<FoundLink> {
        let mut found = Vec::new();
        let path = Path::new(path);
        // The project's own folder is one without links.
        let (start, steps) = match path.strip_prefix(&self.root) {
            Ok(rest) => (self.root.clone(), rest),
            Err(_) => (PathBuf::from("/"), path.strip_prefix("/").unwrap_or(path)),
        };
        let mut places = vec![start];
        for step in steps.components() {
            let step = step.as_os_str().to_string_lossy();
            places = places
                .into_iter()
                .flat_map(|place| self.steps(place, &step, fits, &mut found))
                .take(MOST_PLACES)
                .collect();
        }
        found.sort_by_key(|link| link.to.starts_with(&self.root));
        found
    }

    /// Where a step from a place leads, and which links it goes through.
    fn steps(
        &self,
        mut place: PathBuf,
        step: &str,
        fits: fn(&str, &str) -> bool,
        found: &mut Vec<FoundLink>,
    ) -> Vec<PathBuf> {
        if step == ".." {
            place.pop();
            return vec![place];
        }
        let mut entries = vec![place.join(step)];
        if step.contains(['*', '?', '[']) {
            let listed = fs::read_dir(&place).into_iter().flatten().flatten();
            let fitting = listed.take(MOST_ENTRIES).map(|entry| entry.path());
            entries.extend(fitting.filter(|entry| {
                let name = entry.file_name().unwrap_or_default();
                fits(step, &name.to_string_lossy())
            }));
        }
        let through = entries.into_iter().map(|entry| {
            let is_link = fs::symlink_metadata(&entry).is_ok_and(|found| found.is_symlink());
            match is_link.then(|| self.end_of(&entry)) {
                Some(to) => {
                    let path = entry;
                    found.push(FoundLink {
                        path,
                        to: to.clone(),
                    });
                    to
                }
                None => entry,
            }
        });
        through.collect()
    }

    /// Where a link leads. One that cannot be followed leads at least to what it names.
    fn end_of(&self, link: &Path) -> PathBuf {
        let end = follow(&self.root, link, Last::Followed).map(|(end, _)| end);
        end.unwrap_or_else(|_| {
            let named = fs::read_link(link).unwrap_or_default();
            link.with_file_name(named)
        })
    }
}

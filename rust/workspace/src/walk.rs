//! Walks a folder of the project as a person sees it: ignore files respected, nothing of git's own.
//!
//! Each folder is opened from the project's root on without following a link, and of ignore files only regular ones
//! are read: neither a pipe called `.gitignore` nor a link that comes in the way leads anywhere.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

use crate::confine::{Folder, Kind, on_one_line, regular_file, written};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::atomic_file::UNFINISHED;
use crate::place::Place;

/// A larger ignore file is none that people wrote.
const MOST_RULES: u64 = 4 << 20;

/// Something that a walk has met.
pub(crate) struct Entry {
    /// Canonical and absolute.
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// Folders between it and the project's root, itself counted.
    pub(crate) depth: usize,
}

impl Entry {
    /// Whether it is a regular file: neither folder nor link nor device.
    pub(crate) fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}

/// The entries below `folder` in the order of their names, folders too; what cannot be read in words. Links are not
/// followed. Ignore files count from the project's root down, none above it. A folder that is itself
/// excluded was named on purpose and is walked on its own.
pub(crate) fn entries(place: &Place, folder: &Path) -> Walk {
    let mut walk = Walk {
        top: place.root().to_owned(),
        root: place.folder(),
        levels: Vec::new(),
        everywhere: Arc::new(Gitignore::global().0),
        problem: None,
    };
    let below = place.below(folder);
    let rules = walk.rules_above(&below);
    walk.enter(&below, rules);
    walk
}

pub(crate) struct Walk {
    top: PathBuf,
    root: io::Result<Folder>,
    levels: Vec<Level>,
    /// The rules of the person's own for all projects.
    everywhere: Arc<Gitignore>,
    problem: Option<String>,
}

/// A folder that is being walked.
struct Level {
    /// From the project's root.
    below: PathBuf,
    rules: Option<Arc<Rules>>,
    rest: IntoIter<(OsString, Kind)>,
}

/// What the ignore files of a folder say, and those above it.
struct Rules {
    above: Option<Arc<Rules>>,
    /// `.ignore`, `.gitignore`, `.git/info/exclude`: what the first says counts.
    files: [Gitignore; 3],
}

impl Iterator for Walk {
    type Item = Result<Entry, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(problem) = self.problem.take() {
                return Some(Err(problem));
            }
            let level = self.levels.last_mut()?;
            let Some((name, kind)) = level.rest.next() else {
                self.levels.pop();
                continue;
            };
            let below = level.below.join(&name);
            let path = self.top.join(&below);
            let is_folder = kind == Kind::Folder;
            if !is_shown(&name)
                || is_ignored(level.rules.as_ref(), &self.everywhere, &path, is_folder)
            {
                continue;
            }
            if is_folder {
                let rules = level.rules.clone();
                self.enter(&below, rules);
            }
            let depth = below.iter().count();
            return Some(Ok(Entry { path, kind, depth }));
        }
    }
}

impl Walk {
    /// The rules that hold above a folder; none above one that they exclude.
    fn rules_above(&self, below: &Path) -> Option<Arc<Rules>> {
        let mut rules = None;
        let mut walked = PathBuf::new();
        for name in below {
            rules = self.rules_of(&walked, rules);
            walked.push(name);
            let path = self.top.join(&walked);
            if !is_shown(name) || is_ignored(rules.as_ref(), &self.everywhere, &path, true) {
                return None;
            }
        }
        rules
    }

    fn enter(&mut self, below: &Path, above: Option<Arc<Rules>>) {
        let listed = match &self.root {
            Ok(root) => root.folder(below).and_then(|folder| folder.entries()),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        };
        match listed {
            Err(error) => {
                let shown = match below.as_os_str().is_empty() {
                    true => ".".to_owned(),
                    false => written(below),
                };
                self.problem = Some(on_one_line(&format!("{shown}: {error}")));
            }
            Ok(mut entries) => {
                entries.sort_by(|(one, _), (other, _)| one.cmp(other));
                let has_rules = entries
                    .iter()
                    .any(|(name, _)| name == ".ignore" || name == ".gitignore" || name == ".git");
                let rules = match has_rules {
                    true => self.rules_of(below, above),
                    false => above,
                };
                self.levels.push(Level {
                    below: below.to_owned(),
                    rules,
                    rest: entries.into_iter(),
                });
            }
        }
    }

    fn rules_of(&self, below: &Path, above: Option<Arc<Rules>>) -> Option<Arc<Rules>> {
        let base = self.top.join(below);
        let text = |name: &str| {
            let root = self.root.as_ref().ok()?;
            let mut bytes = Vec::new();
            let file = root.file(&below.join(name)).ok()?;
            file.take(MOST_RULES).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let excluded =
            || text(".git/info/exclude").or_else(|| excluded_in_worktree(&base, &text(".git")?));
        let files = [text(".ignore"), text(".gitignore"), excluded()];
        if files.iter().all(Option::is_none) {
            return above;
        }
        let files =
            files.map(|text| text.map_or_else(Gitignore::empty, |text| rules(&base, &text)));
        Some(Arc::new(Rules { above, files }))
    }
}

/// The rules in a text, for a folder; a line that is none is passed over.
fn rules(base: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(base);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// A worktree's `.git` is a file that names a folder, and that one the repository's own.
fn excluded_in_worktree(base: &Path, dot_git: &str) -> Option<String> {
    let text = |path: &Path| {
        let mut text = String::new();
        let file = regular_file(path).ok()?;
        file.take(MOST_RULES).read_to_string(&mut text).ok()?;
        Some(text)
    };
    let git_dir = base.join(dot_git.lines().next()?.strip_prefix("gitdir: ")?);
    let common = text(&git_dir.join("commondir"))?;
    text(&git_dir.join(common.lines().next()?).join("info/exclude"))
}

fn is_ignored(
    rules: Option<&Arc<Rules>>,
    everywhere: &Gitignore,
    path: &Path,
    is_folder: bool,
) -> bool {
    let chain = || std::iter::successors(rules, |rules| rules.above.as_ref());
    let said = (0..3).find_map(|file| {
        chain().find_map(|rules| match rules.files[file].matched(path, is_folder) {
            Match::None => None,
            said => Some(said.is_ignore()),
        })
    });
    said.unwrap_or_else(|| everywhere.matched(path, is_folder).is_ignore())
}

fn is_shown(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !matches!(name.as_ref(), ".git" | ".hg" | ".svn") && !name.starts_with(UNFINISHED)
}

//! What ignore files exclude, from the project's root down.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::confine::{Folder, regular_file};
use crate::unfinished::UNFINISHED;

/// An ignore file that is larger was not written by people.
const MOST_RULES: u64 = 4 << 20;

/// Folders of version control, which no walk enters. The IDE's host has the same (`ProjectFiles.kt`).
const VERSION_CONTROL: [&str; 3] = [".git", ".hg", ".svn"];

/// A project as far as its ignore files go.
pub(super) struct Ignored<'a> {
    top: &'a Path,
    root: Folder,
    /// The rules of the person's own for all projects.
    everywhere: Gitignore,
}

/// What the ignore files of a folder say, and those above it.
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// `.ignore`, `.gitignore`, `.git/info/exclude`: what the first says counts.
    files: [Gitignore; 3],
}

impl<'a> Ignored<'a> {
    /// `root` is the folder at `top`, held open.
    pub(super) fn new(top: &'a Path, root: Folder) -> Self {
        let everywhere = Gitignore::global().0;
        Self {
            top,
            root,
            everywhere,
        }
    }

    pub(super) fn root(&self) -> &Folder {
        &self.root
    }

    /// Whether an entry of a folder with these rules is left out. `path` is absolute, and asked for where a rule needs it.
    pub(super) fn excludes(
        &self,
        rules: Option<&Arc<Rules>>,
        name: &OsStr,
        is_folder: bool,
        path: impl Fn() -> PathBuf,
    ) -> bool {
        if is_never_shown(name) {
            return true;
        }
        let has_rules = rules.is_some() || !self.everywhere.is_empty();
        has_rules && self.is_ignored(rules, &path(), is_folder)
    }

    /// The rules that hold above a folder; none above one that they exclude.
    pub(super) fn rules_above(&self, below: &Path) -> Option<Arc<Rules>> {
        let mut rules = None;
        let mut walked = PathBuf::new();
        for name in below {
            rules = self.rules_of(&walked, rules);
            walked.push(name);
            let path = || self.top.join(&walked);
            if self.excludes(rules.as_ref(), name, true, path) {
                return None;
            }
        }
        rules
    }

    /// The rules in a folder.
    pub(super) fn rules_of(&self, below: &Path, above: Option<Arc<Rules>>) -> Option<Arc<Rules>> {
        let base = self.top.join(below);
        let text = |name: &str| {
            let mut bytes = Vec::new();
            let file = self.root.file(&below.join(name)).ok()?;
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
            files.map(|text| text.map_or_else(Gitignore::empty, |text| parsed(&base, &text)));
        Some(Arc::new(Rules { above, files }))
    }

    fn is_ignored(&self, rules: Option<&Arc<Rules>>, path: &Path, is_folder: bool) -> bool {
        let chain = || std::iter::successors(rules, |rules| rules.above.as_ref());
        let said = (0..3).find_map(|file| {
            chain().find_map(|rules| match rules.files[file].matched(path, is_folder) {
                Match::None => None,
                said => Some(said.is_ignore()),
            })
        });
        said.unwrap_or_else(|| self.everywhere.matched(path, is_folder).is_ignore())
    }
}

/// The rules in a text, for a folder; a line that is not a rule is skipped.
fn parsed(base: &Path, text: &str) -> Gitignore {
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

/// Whether a name is left out whatever the rules say, wherever files are walked.
pub(super) fn is_never_shown(name: &OsStr) -> bool {
    VERSION_CONTROL.iter().any(|folder| name == *folder)
        || name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
}

//! A repository: where git runs, how its paths read from the project, what is under way. Starts no program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::program::LITERAL;
use crate::disk::on_disk;
use siderail_guard::Tool::{GitCommit, GitStage};
use siderail_os::files::path_of;
use siderail_workspace::confine::{Confined, written};

/// A repository, seen from the folder in which git runs.
pub(super) struct Repository {
    /// Where git runs: the project's folder, or that of a repository inside it.
    pub(super) folder: PathBuf,
    /// That folder from the project; empty for the project itself.
    below: PathBuf,
    /// That folder from the top of the work tree, with `/` at its end; empty for the top itself.
    prefix: Vec<u8>,
    /// The repository's own folder.
    git_dir: PathBuf,
}

/// Something that was begun in a repository and is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnderWay {
    Merge,
    Rebase,
    CherryPick,
    Revert,
    Bisect,
}

impl UnderWay {
    /// With its article.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Merge => "a merge",
            Self::Rebase => "a rebase",
            Self::CherryPick => "a cherry-pick",
            Self::Revert => "a revert",
            Self::Bisect => "a bisect",
        }
    }

    /// How it continues once conflicts are resolved. Commands are written out: whether a tool for them is offered is
    /// not known here.
    pub(super) fn how_on(self) -> String {
        let program = match self {
            Self::Merge => {
                return format!(
                    "{GitStage} what is resolved, then {GitCommit}; `git merge --abort` gives it up"
                );
            }
            Self::Bisect => return "`git bisect reset` ends it".to_owned(),
            Self::Rebase => "rebase",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
        };
        format!(
            "{GitStage} what is resolved, then `git {program} --continue` has to be run, or `--abort`"
        )
    }
}

impl Repository {
    /// The one in whose `folder` git runs, with what `git rev-parse --show-prefix --absolute-git-dir` said there.
    pub(super) fn new(folder: PathBuf, project: &Path, said: &[u8]) -> Self {
        let said = said.strip_suffix(b"\n").unwrap_or_default();
        let mut lines = said.splitn(2, |byte| *byte == b'\n');
        let (prefix, git_dir) = (lines.next(), lines.next());
        let below = folder.strip_prefix(project);
        Self {
            below: below.unwrap_or(Path::new("")).to_owned(),
            prefix: prefix.unwrap_or_default().to_owned(),
            git_dir: git_dir.and_then(path_of).unwrap_or_default(),
            folder,
        }
    }

    /// What is under way, by the files that git keeps about it.
    pub(super) async fn under_way(&self) -> Option<UnderWay> {
        let git_dir = self.git_dir.clone();
        let found = on_disk(move || {
            let known = [
                ("rebase-merge", UnderWay::Rebase),
                ("rebase-apply", UnderWay::Rebase),
                ("MERGE_HEAD", UnderWay::Merge),
                ("CHERRY_PICK_HEAD", UnderWay::CherryPick),
                ("REVERT_HEAD", UnderWay::Revert),
                ("BISECT_LOG", UnderWay::Bisect),
            ];
            let is_there = |(file, _): &(&str, _)| git_dir.join(file).exists();
            Ok(known.into_iter().find(is_there).map(|(_, what)| what))
        });
        found.await.ok().flatten()
    }

    /// Whether it holds more than the folder in which git runs.
    pub(super) fn is_larger(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Its folder from the project behind these letters, with `/` at its end, as the names in a diff begin.
    pub(super) fn below(&self, letters: &str) -> OsString {
        let mut names = OsString::from(letters);
        for name in &self.below {
            names.push(name);
            names.push("/");
        }
        names
    }

    /// A path as git gave it, from the top of the work tree, as the project's tools name it.
    pub(super) fn path_shown(&self, path: &[u8]) -> String {
        let shown = match path.strip_prefix(self.prefix.as_slice()) {
            Some(below) => path_of(below).map(|below| self.below.join(below)),
            None => {
                let n_up = self.prefix.iter().filter(|byte| **byte == b'/').count();
                path_of(path).map(|path| Path::new(&"../".repeat(n_up)).join(path))
            }
        };
        shown.map_or_else(
            || String::from_utf8_lossy(path).into_owned(),
            |shown| written(&shown),
        )
    }

    /// A path of the project from the folder in which git runs; `.` for the folder itself.
    pub(super) fn path_here(&self, path: &Confined) -> OsString {
        match path.absolute.strip_prefix(&self.folder) {
            Ok(here) if here.as_os_str().is_empty() => ".".into(),
            Ok(here) => here.as_os_str().to_owned(),
            Err(_) => path.absolute.clone().into_os_string(),
        }
    }

    /// The same as a pathspec without magic.
    pub(super) fn literal(&self, path: &Confined) -> OsString {
        let mut literal = OsString::from(LITERAL);
        literal.push(self.path_here(path));
        literal
    }
}

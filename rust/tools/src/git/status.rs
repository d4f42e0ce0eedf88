//! `git_status`: branch, what is under way, and the changed files by what would become of them.
//!
//! Reads git's stable form for programs (porcelain version 2, separated by NUL), so that no name of a file
//! and no language can confuse it.

use std::ffi::OsString;

use super::call::{Call, Handler};
use super::program::Purpose;
use super::repository::Repository;
use siderail_guard::Tool::{self, GitBranch};
use siderail_workspace::outcome::ToolFailure;

/// A repository's state as git tells it.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// Abbreviated commit; none before the first one.
    commit: Option<String>,
    /// Branch; none where HEAD is detached.
    pub(super) branch: Option<String>,
    upstream: Option<String>,
    ahead: u64,
    behind: u64,
    pub(super) files: Vec<FileStatus>,
}

/// A file that is not as in the last commit.
#[derive(Debug, Default)]
pub(super) struct FileStatus {
    /// As the project's tools name it.
    pub(super) path: String,
    /// Its former name.
    from: Option<String>,
    /// Letters for index and work tree; `.` for unchanged, `?` for unknown to git, `u` for a conflict.
    index: char,
    work_tree: char,
    /// What differs in a submodule.
    submodule: Option<&'static str>,
    /// The staged content.
    pub(super) staged_object: String,
}

impl FileStatus {
    pub(super) fn is_conflict(&self) -> bool {
        self.index == 'u'
    }

    pub(super) fn is_untracked(&self) -> bool {
        self.index == '?'
    }

    pub(super) fn is_staged(&self) -> bool {
        !matches!(self.index, '.' | '?' | 'u')
    }

    pub(super) fn is_changed_since(&self) -> bool {
        !matches!(self.work_tree, '.' | '?' | 'u')
    }

    /// Staged with a content that is neither the last commit's nor the file's.
    pub(super) fn is_staged_otherwise(&self) -> bool {
        self.is_staged() && self.is_changed_since() && self.index != 'D'
    }

    /// The line for a commit that takes the file as it is.
    pub(super) fn as_taken(&self) -> String {
        match (self.is_untracked(), self.is_staged()) {
            (true, _) => self.line('A'),
            (false, true) => self.line(self.index),
            (false, false) => self.line(self.work_tree),
        }
    }

    fn line(&self, letter: char) -> String {
        let from = self.from.as_ref();
        let from = from.map_or(String::new(), |from| format!(" (from {from})"));
        let submodule = self
            .submodule
            .map_or(String::new(), |what| format!(" ({what})"));
        format!("  {} {}{from}{submodule}\n", word_of(letter), self.path)
    }
}

fn word_of(letter: char) -> &'static str {
    match letter {
        'M' => "modified",
        'T' => "type changed",
        'A' => "added",
        'D' => "deleted",
        'R' => "renamed",
        'C' => "copied",
        _ => "changed",
    }
}

/// What the two sides did to a file in conflict.
fn conflict_of(letters: &str) -> &'static str {
    match letters {
        "DD" => "deleted on both sides",
        "AU" => "added here",
        "UD" => "deleted there",
        "UA" => "added there",
        "DU" => "deleted here",
        "AA" => "added on both sides",
        _ => "changed on both sides",
    }
}

pub(super) const HANDLERS: &[Handler] = &[(Tool::GitStatus, |call| Box::pin(call.status()))];

impl Call<'_> {
    async fn status(&self) -> Result<String, ToolFailure> {
        let path = self.arguments.word("path")?;
        let paths = self.paths(path.as_slice()).await?;
        let repository = self.repository(&paths).await?;
        let pathspec = match paths.first() {
            Some(path) => repository.path_here(path),
            None => ".".into(),
        };
        let status = self.status_of(&repository, &[pathspec]).await?;
        let mut text = status.head();
        if let Some(under_way) = repository.under_way().await {
            text.push_str(&format!(
                "{} is under way: {}\n",
                under_way.name(),
                under_way.how_on()
            ));
        }
        text.push_str(&status.listed());
        self.paged(&text)
    }

    /// The state of these paths, given from the folder in which git runs.
    pub(super) async fn status_of(
        &self,
        repository: &Repository,
        paths: &[OsString],
    ) -> Result<Status, ToolFailure> {
        let args = ["status", "--porcelain=v2", "--branch", "-z", "--"];
        let args = args.map(OsString::from).into_iter();
        let output = self
            .read(repository, args.chain(paths.iter().cloned()))
            .await?;
        Ok(read(output.bytes(), repository))
    }

    /// Whether the index differs from the last commit.
    pub(super) async fn is_anything_staged(
        &self,
        repository: &Repository,
    ) -> Result<bool, ToolFailure> {
        let args = [
            "diff",
            "--cached",
            "--quiet",
            "--no-ext-diff",
            "--no-textconv",
        ];
        let output = self.git(repository, Purpose::Read, args).await?;
        Ok(output.exit.code == Some(1))
    }
}

impl Status {
    /// Where HEAD is.
    fn head(&self) -> String {
        let commit = self
            .commit
            .as_deref()
            .map(|commit| &commit[..commit.len().min(10)]);
        let mut text = match (&self.branch, commit) {
            (Some(branch), Some(commit)) => format!("on branch {branch}, at {commit}"),
            (Some(branch), None) => format!("on branch {branch}, no commits yet"),
            (None, commit) => format!(
                "HEAD is detached at {}: commits made here are on no branch until {GitBranch} \
                 {{\"action\":\"create\"}} makes one",
                commit.unwrap_or("?")
            ),
        };
        if let Some(upstream) = &self.upstream {
            text.push_str(&match (self.ahead, self.behind) {
                (0, 0) => format!(", even with {upstream}"),
                (ahead, 0) => format!(", {ahead} ahead of {upstream}"),
                (0, behind) => format!(", {behind} behind {upstream}"),
                (ahead, behind) => format!(", {ahead} ahead of and {behind} behind {upstream}"),
            });
        }
        text.push('\n');
        text
    }

    fn listed(&self) -> String {
        if self.files.is_empty() {
            return "nothing is changed, nothing is staged\n".to_owned();
        }
        let mut text = String::new();
        let mut group = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                text.push_str(&format!("{title} ({}):\n{}", lines.len(), lines.concat()));
            }
        };
        let lines = |wanted: fn(&FileStatus) -> bool, line: &dyn Fn(&FileStatus) -> String| {
            let files = self.files.iter().filter(|file| wanted(file));
            files.map(line).collect::<Vec<_>>()
        };
        group(
            "in conflict",
            lines(FileStatus::is_conflict, &|file| {
                format!("  {} {}\n", file.staged_object, file.path)
            }),
        );
        group(
            "staged",
            lines(FileStatus::is_staged, &|file| file.line(file.index)),
        );
        group(
            "not staged",
            lines(FileStatus::is_changed_since, &|file| {
                file.line(file.work_tree)
            }),
        );
        group(
            "untracked",
            lines(FileStatus::is_untracked, &|file| {
                format!("  {}\n", file.path)
            }),
        );
        text
    }

    /// What is left to do, in one line.
    pub(super) fn in_brief(&self) -> String {
        let n_files =
            |wanted: fn(&FileStatus) -> bool| self.files.iter().filter(|file| wanted(file)).count();
        let counts = [
            (n_files(FileStatus::is_conflict), "in conflict"),
            (n_files(FileStatus::is_staged), "staged"),
            (n_files(FileStatus::is_changed_since), "not staged"),
            (n_files(FileStatus::is_untracked), "untracked"),
        ];
        let told: Vec<String> = counts
            .iter()
            .filter(|(n_files, _)| *n_files > 0)
            .map(|(n_files, what)| format!("{n_files} {what}"))
            .collect();
        match told.is_empty() {
            true => "nothing is changed or staged now\n".to_owned(),
            false => format!("now: {}\n", told.join(", ")),
        }
    }
}

fn read(bytes: &[u8], repository: &Repository) -> Status {
    let mut status = Status::default();
    let mut entries = bytes.split(|byte| *byte == 0);
    while let Some(entry) = entries.next() {
        let [kind, b' ', rest @ ..] = entry else {
            continue;
        };
        match kind {
            b'#' => status.header(&String::from_utf8_lossy(rest)),
            b'1' => status.files.extend(changed(rest, 7, repository)),
            b'2' => {
                let from = entries.next().map(|from| repository.path_shown(from));
                let file = changed(rest, 8, repository);
                status
                    .files
                    .extend(file.map(|file| FileStatus { from, ..file }));
            }
            b'u' => status.files.extend(conflicting(rest, repository)),
            b'?' => status.files.push(FileStatus {
                path: repository.path_shown(rest),
                index: '?',
                work_tree: '?',
                ..FileStatus::default()
            }),
            _ => {}
        }
    }
    status
}

impl Status {
    fn header(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(' ') else {
            return;
        };
        match name {
            "branch.oid" if value != "(initial)" => self.commit = Some(value.to_owned()),
            "branch.head" if value != "(detached)" => self.branch = Some(value.to_owned()),
            "branch.upstream" => self.upstream = Some(value.to_owned()),
            "branch.ab" => {
                let mut numbers = value.split(' ').map(|n| n[1..].parse().unwrap_or(0));
                self.ahead = numbers.next().unwrap_or(0);
                self.behind = numbers.next().unwrap_or(0);
            }
            _ => {}
        }
    }
}

/// `XY sub mH mI mW hH hI path`, with a score before the path where it was renamed.
fn changed(rest: &[u8], n_fields: usize, repository: &Repository) -> Option<FileStatus> {
    let (fields, path) = fields(rest, n_fields)?;
    let mut letters = fields.first()?.chars();
    Some(FileStatus {
        path: repository.path_shown(path),
        index: letters.next()?,
        work_tree: letters.next()?,
        submodule: submodule(fields.get(1)?),
        staged_object: fields.get(6)?.clone(),
        from: None,
    })
}

/// `XY sub m1 m2 m3 mW h1 h2 h3 path`.
fn conflicting(rest: &[u8], repository: &Repository) -> Option<FileStatus> {
    let (fields, path) = fields(rest, 9)?;
    Some(FileStatus {
        path: repository.path_shown(path),
        index: 'u',
        work_tree: 'u',
        staged_object: conflict_of(fields.first()?).to_owned(),
        ..FileStatus::default()
    })
}

/// So many fields, which are plain text, and the path behind them.
fn fields(rest: &[u8], n_fields: usize) -> Option<(Vec<String>, &[u8])> {
    let mut parts: Vec<&[u8]> = rest.splitn(n_fields + 1, |byte| *byte == b' ').collect();
    let path = (parts.len() > n_fields).then(|| parts.pop())??;
    let texts = parts.into_iter().map(String::from_utf8_lossy);
    Some((texts.map(|text| text.into_owned()).collect(), path))
}

fn submodule(field: &str) -> Option<&'static str> {
    let letters = field.strip_prefix('S')?;
    Some(match letters.as_bytes() {
        [b'C', b'.', b'.'] => "submodule at another commit",
        [b'C', ..] => "submodule at another commit and with changes of its own",
        _ => "submodule with changes of its own",
    })
}

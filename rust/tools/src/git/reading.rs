//! `git_diff`, `git_log`, `git_blame`, `git_show`: what git knows, in pages.
//!
//! Programs that the repository's configuration names for showing differences are not run.

use std::ffi::OsString;
use std::io::Read as _;

use serde_json::json;

use super::call::{Call, Handler};
use super::failures;
use super::operands::{self, Shown};
use super::program::{Output, Purpose};
use super::repository::Repository;
use siderail_guard::Tool::{self, GitDiff, GitLog, GitStatus, ListProjectFiles};
use siderail_workspace::confine::{Confined, regular_file};
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

use crate::amounts::COMMITS;
use crate::disk::on_disk;
use crate::pages::next_call;

/// Options of everything that shows differences.
const PLAIN_DIFF: [&str; 4] = ["--no-ext-diff", "--no-textconv", "--no-color", "-M"];
/// Lines of a blamed file.
const BLAMED: u64 = 150;
/// A larger file is not counted or shown.
const MOST_FILE: u64 = 16 * 1024 * 1024;

pub(super) const HANDLERS: &[Handler] = &[
    (Tool::GitDiff, |call| Box::pin(call.diff())),
    (Tool::GitLog, |call| Box::pin(call.log())),
    (Tool::GitBlame, |call| Box::pin(call.blame())),
    (Tool::GitShow, |call| Box::pin(call.show())),
];

impl Call<'_> {
    async fn diff(&self) -> Result<String, ToolFailure> {
        let path = self.path_argument().await?;
        let staged = self.arguments.flag("staged")?;
        let reference = self.arguments.word("ref")?;
        let repository = self.repository(path.as_slice()).await?;
        let mut args = words(["diff", "--stat=120,90", "--patch", "--relative"]);
        args.extend(words(PLAIN_DIFF));
        args.extend(prefixes(&repository));
        if staged {
            args.push("--cached".into());
        }
        if let Some(reference) = reference {
            args.push(operands::only_commit("ref", reference)?.into());
        }
        args.extend(pathspec(&repository, path.as_ref()));
        let output = self.read_naming_files(&repository, args).await?;
        if !output.text().is_empty() {
            return self.paged(&output.text());
        }
        let against = match (reference, staged) {
            (Some(reference), _) => format!("no differences to {reference}\n"),
            (None, true) => "nothing is staged\n".to_owned(),
            (None, false) if self.is_anything_staged(&repository).await? => format!(
                "no changes that are not staged; what is staged: {GitDiff} {}\n",
                json!({"staged": true})
            ),
            (None, false) => "no changes\n".to_owned(),
        };
        Ok(format!(
            "{against}Files that git does not know yet are in no diff; {GitStatus} names them.\n"
        ))
    }

    async fn log(&self) -> Result<String, ToolFailure> {
        let path = self.path_argument().await?;
        let most = self.arguments.amount("max_count", COMMITS)?;
        let page = self.arguments.number("page", 1, 1_000_000)?.unwrap_or(1);
        let repository = self.repository(path.as_slice()).await?;
        let mut args = words([
            "log",
            "--no-color",
            "--date=format:%Y-%m-%d %H:%M",
            "--format=%h %ad %an:%d %s",
        ]);
        // One more than shown tells whether there is more.
        args.push(format!("--max-count={}", most + 1).into());
        args.push(format!("--skip={}", (page - 1) * most as u64).into());
        let since = self.arguments.word("since")?;
        if let Some(since) = since {
            self.check_date(&repository, since).await?;
        }
        let author = self.arguments.word("author")?;
        for (name, value) in [("since", since), ("author", author)] {
            if let Some(value) = value {
                args.push(format!("--{name}={value}").into());
            }
        }
        if author.is_some() {
            args.extend(words(["--fixed-strings", "--regexp-ignore-case"]));
        }
        if let Some(Confined { absolute, .. }) = path.clone()
            && on_disk(move || Ok(absolute.is_file())).await?
        {
            args.push("--follow".into());
        }
        let reference = self.arguments.word("ref")?;
        if let Some(reference) = reference {
            args.push(operands::only_commit("ref", reference)?.into());
        }
        args.extend(pathspec(&repository, path.as_ref()));
        let text = match self.read(&repository, args).await {
            Err(_) if reference.is_none() && self.is_unborn(&repository).await.unwrap_or(false) => {
                return Ok("there are no commits yet\n".to_owned());
            }
            read => read?.text(),
        };
        let lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() && page > 1 {
            return Err(ToolFailure::invalid(format!(
                "there is no page {page}, the commits end before; leave `page` out to start over"
            )));
        }
        if lines.is_empty() {
            return Ok("no commits match; this is the complete answer\n".to_owned());
        }
        let mut shown: String = lines
            .iter()
            .take(most)
            .map(|line| format!("{}\n", &line[..line.floor_char_boundary(400)]))
            .collect();
        if lines.len() > most {
            let next = json!({"page": page + 1});
            shown.push_str(&next_call(self.tool, self.arguments.whole(), &next));
        }
        Ok(shown)
    }

    /// Refuses what git would silently take for this very moment.
    async fn check_date(&self, repository: &Repository, given: &str) -> Result<(), ToolFailure> {
        let setting = format!("siderail.since={given}");
        let args = [
            "-c",
            &setting,
            "config",
            "--type=expiry-date",
            "siderail.since",
        ];
        let output = self.git(repository, Purpose::Read, args).await?;
        match output.exit.is_success() {
            true => Ok(()),
            false => Err(ToolFailure::invalid(format!(
                "`since` is not a date that git understands (`{given}`); write it like 2026-01-31 or `2 weeks ago`"
            ))),
        }
    }

    async fn blame(&self) -> Result<String, ToolFailure> {
        self.arguments.required_word("path")?;
        let Some(path) = self.path_argument().await? else {
            return Err(ToolFailure::invalid("`path` names no file"));
        };
        let looked_at = path.clone();
        let n_lines = on_disk(move || n_lines(&looked_at)).await?;
        let first = self
            .arguments
            .number("start_line", 1, u64::MAX)?
            .unwrap_or(1);
        if first > n_lines {
            return Err(ToolFailure::invalid(format!(
                "{} has {n_lines} lines",
                path.relative
            )));
        }
        let last = self.arguments.number("end_line", 1, u64::MAX)?;
        let last = last.unwrap_or(n_lines).min(n_lines).min(first + BLAMED - 1);
        if last < first {
            return Err(ToolFailure::invalid("`end_line` is before `start_line`"));
        }
        let repository = self.repository(std::slice::from_ref(&path)).await?;
        let mut args = words(["blame", "--date=short", "--no-progress", "--no-textconv"]);
        args.push(format!("-L{first},{last}").into());
        args.extend(["--".into(), repository.path_here(&path)]);
        let output = self.git(&repository, Purpose::Read, args).await?;
        if !output.exit.is_success() {
            if output.complaint().contains("no such path") {
                return Err(failures::refused(format!(
                    "{} is in no commit yet, so that nobody is to be named for its lines",
                    path.relative
                )));
            }
            return Err(failures::failed(&output, &repository).await);
        }
        let mut text = format!("{} lines {first}-{last} of {n_lines}\n", path.relative);
        let mut shown = first;
        for line in output.text().lines() {
            let line = &line[..line.floor_char_boundary(400)];
            if text.len() + line.len() > 9_500 {
                break;
            }
            text.push_str(&format!("{line}\n"));
            shown += 1;
        }
        let end = self.arguments.number("end_line", 1, u64::MAX)?;
        if shown <= end.unwrap_or(n_lines).min(n_lines) {
            let next = json!({"start_line": shown});
            text.push_str(&next_call(self.tool, self.arguments.whole(), &next));
        }
        Ok(text)
    }

    async fn show(&self) -> Result<String, ToolFailure> {
        let given = self.arguments.word("ref")?.unwrap_or("HEAD");
        let path = self.path_argument().await?;
        match operands::shown(given)? {
            Shown::File { commit, path: file } => {
                if path.is_some() {
                    return Err(ToolFailure::invalid(
                        "`ref` names a file already; leave `path` out",
                    ));
                }
                let files = self.paths(&[file]).await?;
                self.show_file(commit, &files[0]).await
            }
            Shown::Commit(commit) => self.show_commit(commit, path.as_ref()).await,
        }
    }

    async fn show_file(&self, commit: &str, file: &Confined) -> Result<String, ToolFailure> {
        let repository = self.repository(std::slice::from_ref(file)).await?;
        let mut object = OsString::from(format!("{commit}:./"));
        object.push(repository.path_here(file));
        let args = words(["cat-file", "blob"]).into_iter().chain([object]);
        let output = self.read(&repository, args).await?;
        let text = output.text();
        if text.contains('\0') {
            return Ok(format!(
                "{} in {commit} is not text, {} bytes\n",
                file.relative,
                text.len()
            ));
        }
        let page = self.paged(&text)?;
        Ok(format!("{} in {commit}:\n{page}", file.relative))
    }

    async fn show_commit(
        &self,
        commit: &str,
        path: Option<&Confined>,
    ) -> Result<String, ToolFailure> {
        let repository = self
            .repository(path.map(std::slice::from_ref).unwrap_or_default())
            .await?;
        let mut args = words(["show", "--stat=120,90", "--date=iso"]);
        // A merge is shown as what it brought to the branch it was made on.
        args.extend(words(["-m", "--first-parent"]));
        args.extend(words(PLAIN_DIFF));
        args.extend(prefixes(&repository));
        if !self.arguments.flag("stat_only")? {
            args.push("--patch".into());
        }
        if repository.is_larger() {
            args.push("--relative".into());
        }
        args.push(commit.into());
        args.extend(pathspec(&repository, path));
        let output = self.read_naming_files(&repository, args).await?;
        self.paged(&output.text())
    }

    /// Reads what names files among other text. Where that is no UTF-8, a name may be the cause: git quotes them then.
    async fn read_naming_files(
        &self,
        repository: &Repository,
        args: Vec<OsString>,
    ) -> Result<Output, ToolFailure> {
        let output = self.read(repository, args.iter()).await?;
        if std::str::from_utf8(output.bytes()).is_ok() {
            return Ok(output);
        }
        let quoting = words(["-c", "core.quotePath=true"]);
        self.read(repository, quoting.into_iter().chain(args)).await
    }

    /// The `path` of the call.
    async fn path_argument(&self) -> Result<Option<Confined>, ToolFailure> {
        let given = self.arguments.word("path")?;
        let mut paths = self.paths(given.as_slice()).await?;
        Ok(paths.pop())
    }

    /// Whether there is no commit yet.
    pub(super) async fn is_unborn(&self, repository: &Repository) -> Result<bool, ToolFailure> {
        let args = ["rev-parse", "-q", "--verify", "HEAD"];
        let output = self.git(repository, Purpose::Read, args).await?;
        Ok(!output.exit.is_success())
    }
}

pub(super) fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.map(OsString::from).into()
}

/// Names in a diff as the project's tools have them.
fn prefixes(repository: &Repository) -> [OsString; 2] {
    ["--src-prefix=a/", "--dst-prefix=b/"].map(|option| repository.below(option))
}

/// What a command is restricted to; nothing where it is about the whole of the project's repository.
fn pathspec(repository: &Repository, path: Option<&Confined>) -> Vec<OsString> {
    let mut args = words(["--"]);
    match path {
        Some(path) => args.push(repository.path_here(path)),
        // A project inside a larger repository sees its own part.
        None if repository.is_larger() => args.push(".".into()),
        None => {}
    }
    args
}

fn n_lines(path: &Confined) -> Result<u64, ToolFailure> {
    let not_there = |why: &str| {
        ToolFailure::new(
            ToolErrorCode::FileNotFound,
            format!(
                "{} {why}; {ListProjectFiles} finds files, {GitLog} with its path tells of deleted ones",
                path.relative
            ),
        )
    };
    if !path.absolute.is_file() {
        return Err(not_there("is not a file here"));
    }
    let size = path
        .absolute
        .metadata()
        .map_or(0, |metadata| metadata.len());
    if size > MOST_FILE {
        return Err(ToolFailure::invalid(format!(
            "{} is too large ({size} bytes)",
            path.relative
        )));
    }
    let mut bytes = Vec::new();
    regular_file(&path.absolute)
        .and_then(|file| file.take(MOST_FILE).read_to_end(&mut bytes))
        .map_err(|error| not_there(&error.to_string()))?;
    let n_ends = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    let has_rest = bytes.last().is_some_and(|byte| *byte != b'\n');
    match n_ends + u64::from(has_rest) {
        0 => Err(ToolFailure::invalid(format!("{} is empty", path.relative))),
        n_lines => Ok(n_lines),
    }
}

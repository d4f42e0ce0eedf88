//! `git_stage`, `git_unstage`, `git_commit`: only what is named, hooks as in a terminal, nothing forced.
//!
//! The index may hold pieces that a person has staged by hand. Where one is replaced, the answer names the
//! object that still has it.

use std::ffi::OsString;

use super::call::{Call, Handler};
use super::failures;
use super::program::{Output, Purpose};
use super::reading::words;
use super::repository::{Repository, UnderWay};
use super::status::Status;
use siderail_guard::Tool::{self, GitBranch, GitCommit, GitStage, GitStatus, WriteFile};
use siderail_workspace::confine::Confined;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// Bytes of a message; a longer one is a file that was put in the wrong place.
const MOST_MESSAGE: usize = 32 * 1024;
/// Bytes of what hooks have said in an answer.
const MOST_SAID: usize = 2_000;
/// Paths of an answer.
const MOST_NAMED: usize = 50;

pub(super) const HANDLERS: &[Handler] = &[
    (Tool::GitStage, |call| Box::pin(call.stage())),
    (Tool::GitUnstage, |call| Box::pin(call.unstage())),
    (Tool::GitCommit, |call| Box::pin(call.commit())),
];

impl Call<'_> {
    async fn stage(&self) -> Result<String, ToolFailure> {
        let paths = self.named_paths().await?;
        let repository = self.repository(&paths).await?;
        let replaced = self.replaced(&repository, &paths).await?;
        self.add(&repository, &paths).await?;
        let status = self
            .status_of(&repository, &here(&repository, &paths))
            .await?;
        let staged: Vec<&str> = status
            .files
            .iter()
            .filter(|file| file.is_staged())
            .map(|file| file.path.as_str())
            .collect();
        let told = match staged.is_empty() {
            true => "nothing to stage: these paths are as in the last commit\n".to_owned(),
            false => format!("staged: {}\n", named(&staged)),
        };
        Ok(format!("{told}{replaced}"))
    }

    async fn unstage(&self) -> Result<String, ToolFailure> {
        let paths = self.named_paths().await?;
        let repository = self.repository(&paths).await?;
        let here = here(&repository, &paths);
        let before = self.status_of(&repository, &here).await?;
        if let Some(file) = before.files.iter().find(|file| file.is_conflict()) {
            return Err(failures::refused(format!(
                "{} is in conflict, and unstaging would lose both sides of it; resolve it with \
                 {WriteFile}, then {GitStage} it",
                file.path
            )));
        }
        let staged: Vec<&str> = before
            .files
            .iter()
            .filter(|file| file.is_staged())
            .map(|file| file.path.as_str())
            .collect();
        if staged.is_empty() {
            return Ok("nothing is staged there\n".to_owned());
        }
        let replaced = self.replaced(&repository, &paths).await?;
        let mut args = words(["reset", "--quiet", "--"]);
        args.extend(paths.iter().map(|path| repository.literal(path)));
        let output = self.git(&repository, Purpose::Index, args).await?;
        if !output.exit.is_success() {
            return Err(failures::failed(&output, &repository).await);
        }
        Ok(format!(
            "no longer staged: {}; the files themselves are as they were\n{replaced}",
            named(&staged)
        ))
    }

    async fn commit(&self) -> Result<String, ToolFailure> {
        let amend = self.arguments.flag("amend")?;
        let message = self.message(amend)?;
        let paths = self.paths(&self.arguments.texts("paths")?).await?;
        let repository = self.repository(&paths).await?;
        let is_merge = repository.under_way().await == Some(UnderWay::Merge);
        if amend && is_merge {
            return Err(failures::refused(
                "a merge is under way, and its commit cannot be amended before it is made; leave \
                 `amend` out",
            ));
        }
        if !paths.is_empty() && is_merge {
            return Err(failures::refused(format!(
                "a merge is under way, and is committed as a whole: {GitStage} what is resolved, then \
                 call {GitCommit} without paths",
            )));
        }
        let replaced = match paths.is_empty() {
            true => String::new(),
            false => {
                let replaced = self.replaced(&repository, &paths).await?;
                // Files that git does not know yet can be committed only when they are staged.
                self.add(&repository, &paths).await?;
                replaced
            }
        };
        let was_pushed = amend && self.is_pushed(&repository).await?;
        let mut args = words(["commit"]);
        if amend {
            args.push("--amend".into());
        }
        match message {
            Some(message) => args.push(format!("--message={message}").into()),
            None => args.push("--no-edit".into()),
        }
        if !paths.is_empty() {
            args.extend(words(["--only", "--"]));
            args.extend(paths.iter().map(|path| repository.literal(path)));
        }
        let output = self.git(&repository, Purpose::Change, args).await?;
        if !output.exit.is_success() {
            return Err(self.not_committed(&output, &repository, amend).await?);
        }
        let mut text = self.committed(&output, &repository).await?;
        text.push_str(&replaced);
        if was_pushed {
            text.push_str(
                "The amended commit was pushed before: the branch and its upstream have diverged, and \
                 only the user can decide to force-push.\n",
            );
        }
        Ok(text)
    }

    /// The `message` of a commit, which an amended one may keep.
    pub(super) fn message(&self, amend: bool) -> Result<Option<&str>, ToolFailure> {
        let message = self.arguments.word("message")?;
        match message {
            None if !amend => Err(ToolFailure::missing("message")),
            Some(text) if text.len() > MOST_MESSAGE => Err(ToolFailure::invalid(format!(
                "`message` has {} bytes, a commit's has at most {MOST_MESSAGE}; what is longer \
                 belongs into a file",
                text.len()
            ))),
            message => Ok(message),
        }
    }

    /// What a successful commit is, and what is left.
    async fn committed(
        &self,
        output: &Output,
        repository: &Repository,
    ) -> Result<String, ToolFailure> {
        let branch = self.branch_of(repository).await?;
        let args = words([
            "show",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--shortstat",
            "--format=%h %s",
            "HEAD",
        ]);
        let shown = self.read(repository, args).await?.text();
        let shown: Vec<&str> = shown
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let on = branch.as_deref().unwrap_or("no branch");
        let mut text = format!("committed on {on}: {}\n", shown.join("\n"));
        if branch.is_none() {
            text.push_str(&format!(
                "HEAD is detached: {GitBranch} {{\"action\":\"create\",\"name\":…}} keeps this commit.\n",
            ));
        }
        let said = output.complaint();
        if !said.trim().is_empty() {
            let end = said.floor_char_boundary(MOST_SAID);
            text.push_str(&format!("hooks said:\n{}\n", said[..end].trim_end()));
        }
        let status = self.status_of(repository, &[".".into()]).await?;
        text.push_str(&status.in_brief());
        if let Some(under_way) = repository.under_way().await {
            text.push_str(&format!(
                "{} is still under way: {}\n",
                under_way.name(),
                under_way.how_on()
            ));
        }
        Ok(text)
    }

    /// Why a commit was not made.
    async fn not_committed(
        &self,
        output: &Output,
        repository: &Repository,
        amend: bool,
    ) -> Result<ToolFailure, ToolFailure> {
        let status = self.status_of(repository, &[".".into()]).await?;
        if let Some(file) = status.files.iter().find(|file| file.is_conflict()) {
            return Ok(failures::refused(format!(
                "{} is in conflict; resolve it with {WriteFile}, {GitStage} it, then call again",
                file.path
            )));
        }
        if !amend && !self.is_anything_staged(repository).await? {
            return Ok(nothing_to_commit(&status));
        }
        // git itself ends with 128 where it cannot; a hook that refuses ends the commit with 1.
        if output.exit.code == Some(1) {
            return Ok(failures::refused(format!(
                "nothing was committed: a hook of the repository refused it, or git did; put right \
                 what it says, then call again. It said:\n{}",
                failures::end_of(&output.all())
            )));
        }
        Ok(failures::failed(output, repository).await)
    }

    /// Whether the last commit is part of what the branch follows.
    async fn is_pushed(&self, repository: &Repository) -> Result<bool, ToolFailure> {
        let args = ["merge-base", "--is-ancestor", "HEAD", "@{upstream}"];
        let output = self.git(repository, Purpose::Read, args).await?;
        Ok(output.exit.is_success())
    }

    async fn add(&self, repository: &Repository, paths: &[Confined]) -> Result<(), ToolFailure> {
        let mut args = words(["add", "--all", "--"]);
        args.extend(paths.iter().map(|path| repository.literal(path)));
        let output = self.git(repository, Purpose::Index, args).await?;
        if output.exit.is_success() {
            return Ok(());
        }
        if output.complaint().contains("did not match any file") {
            return Err(ToolFailure::new(
                ToolErrorCode::FileNotFound,
                format!(
                    "{}; {GitStatus} names what is changed",
                    output.complaint().trim().trim_start_matches("fatal: ")
                ),
            ));
        }
        Err(failures::failed(&output, repository).await)
    }

    /// Runs a changing command that has to succeed.
    pub(super) async fn change(
        &self,
        repository: &Repository,
        args: Vec<OsString>,
    ) -> Result<Output, ToolFailure> {
        let output = self.git(repository, Purpose::Change, args).await?;
        match output.exit.is_success() {
            true => Ok(output),
            false => Err(failures::failed(&output, repository).await),
        }
    }

    /// What is staged under these paths and nowhere else, in words for the answer.
    async fn replaced(
        &self,
        repository: &Repository,
        paths: &[Confined],
    ) -> Result<String, ToolFailure> {
        let status = self.status_of(repository, &here(repository, paths)).await?;
        let replaced = status
            .files
            .iter()
            .filter(|file| file.is_staged_otherwise());
        let told = replaced.take(MOST_NAMED).map(|file| {
            format!(
                "What was staged of {} before is object {}.\n",
                file.path,
                &file.staged_object[..file.staged_object.len().min(12)]
            )
        });
        Ok(told.collect())
    }

    async fn named_paths(&self) -> Result<Vec<Confined>, ToolFailure> {
        let given = self.arguments.texts("paths")?;
        if given.is_empty() {
            return Err(ToolFailure::missing("paths"));
        }
        self.paths(&given).await
    }
}

/// Why there is nothing to commit, and what to do.
pub(super) fn nothing_to_commit(status: &Status) -> ToolFailure {
    failures::refused(format!(
        "nothing is staged, so there is nothing to commit: name the files as paths, or \
         {GitStage} them first ({})",
        status.in_brief().trim_end()
    ))
}

pub(super) fn here(repository: &Repository, paths: &[Confined]) -> Vec<OsString> {
    paths
        .iter()
        .map(|path| repository.path_here(path))
        .collect()
}

fn named(paths: &[&str]) -> String {
    let mut text = paths[..paths.len().min(MOST_NAMED)].join(", ");
    if paths.len() > MOST_NAMED {
        text.push_str(&format!(" and {} more", paths.len() - MOST_NAMED));
    }
    text
}

//! What is lost when a `git_branch` is deleted or a `git_stash` dropped, in words for the question about it, and whether there
//! is such a branch or stash at all. It changes nothing.

use std::path::Path;

use serde_json::Value;
use siderail_guard::tool::{GitAction, StashAction};
use siderail_guard::{Tool, git_action};
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

use super::Git;
use super::call::Call;
use super::operands::branch_name;
use super::program::Purpose;
use super::reading::words;
use super::repository::Repository;
use super::stash::MOST_STASHES;

/// Commits that are named.
const MOST_COMMITS: usize = 5;

/// Whether a call deletes what only git holds.
fn loses(tool: Tool, arguments: &Value) -> bool {
    git_action(tool, arguments).is_some_and(GitAction::is_destructive)
}

impl Git {
    /// What a call with these arguments would delete, a line each; none where it deletes nothing and where git does not
    /// say.
    pub async fn to_lose(&self, project: &Path, tool: Tool, arguments: &Value) -> Option<String> {
        if !loses(tool, arguments) {
            return None;
        }
        let cancel = CancelFlag::default();
        let call = self.looking(project, tool, arguments, &cancel)?;
        let repository = call.repository(&[]).await.ok()?;
        match tool {
            Tool::GitBranch => call.branch_to_lose(&repository).await.ok(),
            _ => call.stash_to_lose(&repository).await.ok(),
        }
    }

    /// Why a call would fail even if it were allowed: the branch or the stash that it needs is not there. `None` if git
    /// cannot tell.
    pub async fn not_there(
        &self,
        project: &Path,
        tool: Tool,
        arguments: &Value,
    ) -> Option<ToolFailure> {
        let brings_back = matches!(
            git_action(tool, arguments),
            Some(GitAction::Stash(StashAction::Pop | StashAction::Apply))
        );
        if !brings_back && !loses(tool, arguments) {
            return None;
        }
        let cancel = CancelFlag::default();
        let call = self.looking(project, tool, arguments, &cancel)?;
        let repository = call.repository(&[]).await.ok()?;
        let failure = match tool {
            Tool::GitBranch => call.branch_to_delete(&repository).await.err(),
            _ => call.entry(&repository).await.err(),
        };
        failure.filter(|failure| failure.code != ToolErrorCode::Timeout)
    }

    fn looking<'a>(
        &'a self,
        project: &Path,
        tool: Tool,
        arguments: &'a Value,
        cancel: &'a CancelFlag,
    ) -> Option<Call<'a>> {
        Some(Call {
            program: &self.program,
            cancel,
            tool,
            arguments: Arguments::new(arguments),
            place: Place::new(project).ok()?.into(),
        })
    }
}

impl Call<'_> {
    async fn branch_to_lose(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let name = branch_name(self.arguments.word("name")?)?;
        let branch = format!("refs/heads/{name}");
        let args = words(["log", "-1", "--no-color", "--format=%h %s", &branch, "--"]);
        let last = self.read(repository, args).await?.line();
        // git wants it without `refs/heads/` ahead of `--branches`
        let excluded = format!("--exclude={name}");
        let mut args = words(["log", "--no-color", "--format=%h %s", &branch, "--not"]);
        args.extend(words([
            &excluded,
            "--branches",
            "--remotes",
            "--tags",
            "--",
        ]));
        let alone = self.read(repository, args).await?.text();
        let commits: Vec<&str> = alone.lines().collect();
        if commits.is_empty() {
            return Ok(format!(
                "the branch {name} is deleted, its last commit is {last}: other branches or tags hold all its commits"
            ));
        }
        let count = match commits.len() {
            1 => "1 commit is".to_owned(),
            n_commits => format!("{n_commits} commits are"),
        };
        let mut text = format!("the branch {name} is deleted: {count} on no other branch or tag\n");
        for commit in commits.iter().take(MOST_COMMITS) {
            text += &format!("  {commit}\n");
        }
        if let Some(more @ 1..) = commits.len().checked_sub(MOST_COMMITS) {
            text += &format!("  … and {more} more\n");
        }
        Ok(text.trim_end().to_owned())
    }

    async fn stash_to_lose(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let entry = self.entry(repository).await?;
        let args = words([
            "log",
            "-1",
            "--walk-reflogs",
            "--no-color",
            "--format=%gs",
            &entry,
            "--",
        ]);
        let subject = self.read(repository, args).await?.line();
        let base = format!("{entry}^1");
        let args = words([
            "diff",
            "--shortstat",
            "--no-relative",
            "--no-ext-diff",
            "--no-textconv",
            &base,
            &entry,
            "--",
        ]);
        let extent = self.read(repository, args).await?.line();
        let untracked = format!("{entry}^3");
        let args = words([
            "ls-tree",
            "--full-tree",
            "-r",
            "--name-only",
            "-z",
            &untracked,
        ]);
        let output = self.git(repository, Purpose::Read, args).await?;
        let n_untracked = match output.exit.is_success() {
            true => output.bytes().iter().filter(|byte| **byte == 0).count(),
            false => 0,
        };
        let mut parts: Vec<String> = vec![extent.trim().to_owned()];
        parts.retain(|part| !part.is_empty());
        match n_untracked {
            0 => {}
            1 => parts.push("1 file that git did not know".to_owned()),
            n_files => parts.push(format!("{n_files} files that git did not know")),
        }
        let what = match parts.is_empty() {
            true => String::new(),
            false => format!(" ({})", parts.join(", ")),
        };
        let index = self
            .arguments
            .number("index", 0, MOST_STASHES)?
            .unwrap_or(0);
        Ok(format!("stash {index} is dropped: {subject}{what}"))
    }
}

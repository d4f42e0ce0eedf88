//! `git_branch`: list, create, switch, delete. Never loses a commit or a change that is not committed.

use std::ffi::OsString;

use serde_json::Value;

use super::call::{Call, Handler};
use super::failures;
use super::operands::{self, branch_name, has_only};
use super::program::Purpose;
use super::reading::words;
use super::repository::Repository;
use siderail_guard::Tool::{self, GitBranch};
use siderail_guard::tool::BranchAction;
use siderail_workspace::outcome::ToolFailure;

/// A line per branch: mark, name, commit, upstream and how far from it, subject.
const FORMAT: &str = "--format=%(HEAD) %(refname:short) %(objectname:short) \
                      %(if)%(upstream)%(then)[%(upstream:short)%(if)%(upstream:track)%(then) \
                      %(upstream:track,nobracket)%(end)] %(end)%(contents:subject)";

pub(super) const HANDLERS: &[Handler] = &[(Tool::GitBranch, |call| Box::pin(call.branch()))];

/// What a call would do, for the question about it; none where its arguments do not say.
pub(super) fn in_words(arguments: &Value) -> Option<String> {
    if !has_only(arguments, &["action", "name", "from"]) {
        return None;
    }
    let named = |name: &str| arguments.get(name).and_then(Value::as_str);
    Some(
        match (BranchAction::named(named("action")?)?, named("name")) {
            (BranchAction::Create, Some(name)) => {
                let from = named("from").map_or(String::new(), |from| format!(" at {from}"));
                format!("create the branch {name}{from} and switch to it")
            }
            (BranchAction::Switch, Some(name)) => format!("switch to the branch {name}"),
            (BranchAction::Delete, Some(name)) => format!("delete the branch {name}"),
            (BranchAction::List, _) => "list the branches".to_owned(),
            (_, None) => return None,
        },
    )
}

impl Call<'_> {
    async fn branch(&self) -> Result<String, ToolFailure> {
        let action = self.action(BranchAction::named, BranchAction::WORDS)?;
        let repository = self.repository(&[]).await?;
        match action {
            BranchAction::List => self.list_branches(&repository).await,
            BranchAction::Create => self.create_branch(&repository).await,
            BranchAction::Switch => self.switch(&repository).await,
            BranchAction::Delete => self.delete_branch(&repository).await,
        }
    }

    async fn list_branches(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let mut args = words(["for-each-ref", "--sort=-committerdate", FORMAT]);
        args.push("refs/heads".into());
        let local = self.read(repository, args).await?.text();
        let args = words([
            "for-each-ref",
            "--sort=-committerdate",
            "--format=  %(refname:short) %(objectname:short) %(contents:subject)",
            "refs/remotes",
        ]);
        let remote = self.read(repository, args).await?.text();
        let mut text = match self.branch_of(repository).await? {
            Some(branch) if local.is_empty() => format!("on branch {branch}, no commits yet\n"),
            Some(branch) => format!("on branch {branch}\n"),
            None => "HEAD is detached, on no branch\n".to_owned(),
        };
        text.push_str(&local);
        if !remote.is_empty() {
            text.push_str(&format!("of remotes:\n{remote}"));
        }
        self.paged(&text)
    }

    async fn create_branch(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let name = branch_name(self.arguments.word("name")?)?;
        let from = self.arguments.word("from")?;
        let from = from
            .map(|from| operands::only_commit("from", from))
            .transpose()?;
        if from.is_some() {
            self.stays_reachable(repository).await?;
        }
        let mut args = words(["switch", "--no-guess", "--create", name]);
        args.extend(from.map(OsString::from));
        self.change(repository, args).await?;
        self.moved(repository, "created and on").await
    }

    async fn switch(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let name = branch_name(self.arguments.word("name")?)?;
        self.stays_reachable(repository).await?;
        self.change(repository, words(["switch", "--no-progress", name]))
            .await?;
        self.moved(repository, "on").await
    }

    async fn delete_branch(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let (name, commit) = self.branch_to_delete(repository).await?;
        self.change(repository, words(["branch", "--delete", "--", name]))
            .await?;
        Ok(format!(
            "deleted branch {name}; its last commit was {commit}\n"
        ))
    }

    /// The branch that is meant, which has to be there, and its last commit.
    pub(super) async fn branch_to_delete(
        &self,
        repository: &Repository,
    ) -> Result<(&str, String), ToolFailure> {
        let name = branch_name(self.arguments.word("name")?)?;
        let args = words(["rev-parse", "--verify", "--short", "--quiet"])
            .into_iter()
            .chain([format!("refs/heads/{name}").into()]);
        let output = self.git(repository, Purpose::Read, args).await?;
        if !output.exit.is_success() {
            return Err(failures::refused(format!(
                "there is no branch {name} here; {GitBranch} {{\"action\":\"list\"}} lists them"
            )));
        }
        Ok((name, output.line()))
    }

    /// Refuses to leave commits behind that only a detached HEAD holds.
    async fn stays_reachable(&self, repository: &Repository) -> Result<(), ToolFailure> {
        if self.branch_of(repository).await?.is_some() || self.is_unborn(repository).await? {
            return Ok(());
        }
        let args = words([
            "rev-list",
            "--count",
            "HEAD",
            "--not",
            "--branches",
            "--tags",
            "--remotes",
        ]);
        let n_commits = self.read(repository, args).await?.line();
        if n_commits == "0" {
            return Ok(());
        }
        Err(failures::refused(format!(
            "HEAD is detached and {n_commits} commits here are on no branch: they would be lost. Keep \
             them first: {GitBranch} {{\"action\":\"create\",\"name\":…}} without from"
        )))
    }

    /// Where HEAD is now, and what came along.
    async fn moved(&self, repository: &Repository, how: &str) -> Result<String, ToolFailure> {
        let branch = self.branch_of(repository).await?.unwrap_or_default();
        let commit = match self.is_unborn(repository).await? {
            true => "no commits yet".to_owned(),
            false => {
                let args = words(["log", "-1", "--no-color", "--format=%h %s"]);
                self.read(repository, args).await?.line()
            }
        };
        let status = self.status_of(repository, &[".".into()]).await?;
        Ok(format!(
            "{how} branch {branch}: {commit}\n{}",
            status.in_brief()
        ))
    }
}

//! `git_stash`: list, push, pop, apply, drop.

use serde_json::Value;

use super::call::{Call, Handler};
use super::failures;
use super::operands::has_only;
use super::program::Purpose;
use super::reading::words;
use super::repository::Repository;
use siderail_guard::Tool::{self, GitStage, GitStash, WriteFile};
use siderail_guard::tool::StashAction;
use siderail_workspace::outcome::ToolFailure;

/// The highest number of a stash that is looked for.
pub(super) const MOST_STASHES: u64 = 100_000;

pub(super) const HANDLERS: &[Handler] = &[(Tool::GitStash, |call| Box::pin(call.stash()))];

/// What a call would do, for the question about it; none where its arguments do not say.
pub(super) fn in_words(arguments: &Value) -> Option<String> {
    let known = ["action", "index", "include_untracked", "message"];
    let untracked = arguments.get("include_untracked");
    if !has_only(arguments, &known) || untracked.is_some_and(|value| !value.is_boolean()) {
        return None;
    }
    let index = arguments.get("index").map_or(Some(0), Value::as_u64);
    Some(match StashAction::named(arguments["action"].as_str()?)? {
        StashAction::Push => {
            let untracked = match arguments["include_untracked"] == true {
                true => ", including untracked files",
                false => "",
            };
            let message = arguments["message"].as_str();
            let message = message.map_or(String::new(), |text| {
                format!("\nmessage: {}", text.replace('\n', "\n         "))
            });
            format!("stash what is not committed{untracked}{message}")
        }
        StashAction::Pop => format!("bring stash {} back and remove it from the list", index?),
        StashAction::Apply => format!("apply stash {} and keep it", index?),
        StashAction::Drop => format!("drop stash {}", index?),
        StashAction::List => "list the stashes".to_owned(),
    })
}

impl Call<'_> {
    async fn stash(&self) -> Result<String, ToolFailure> {
        let action = self.action(StashAction::named, StashAction::WORDS)?;
        let repository = self.repository(&[]).await?;
        match action {
            StashAction::List => self.stash_list(&repository).await,
            StashAction::Push => self.stash_push(&repository).await,
            StashAction::Pop => self.bring_back(&repository, true).await,
            StashAction::Apply => self.bring_back(&repository, false).await,
            StashAction::Drop => self.stash_drop(&repository).await,
        }
    }

    async fn stash_list(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let args = words([
            "stash",
            "list",
            "--no-color",
            "--date=format:%Y-%m-%d %H:%M",
            "--format=%gd|%ad|%h|%gs",
        ]);
        // With a date git names a stash by its time: the number is what the other actions take.
        let text = self.read(repository, args).await?.text();
        let lines: Vec<String> = text
            .lines()
            .enumerate()
            .filter_map(|(index, line)| {
                let mut parts = line.splitn(4, '|').skip(1);
                let (date, commit, what) = (parts.next()?, parts.next()?, parts.next()?);
                Some(format!("{index}: {date} {commit} {what}\n"))
            })
            .collect();
        match lines.is_empty() {
            true => Ok("nothing is stashed\n".to_owned()),
            false => self.paged(&lines.concat()),
        }
    }

    async fn stash_push(&self, repository: &Repository) -> Result<String, ToolFailure> {
        if self.is_unborn(repository).await? {
            return Err(failures::refused(
                "there is no commit yet, and git stashes only what differs from one",
            ));
        }
        let mut args = words(["stash", "push"]);
        if self.arguments.flag("include_untracked")? {
            args.push("--include-untracked".into());
        }
        if let Some(message) = self.arguments.word("message")? {
            args.push(format!("--message={message}").into());
        }
        let before = self.top(repository).await?;
        self.change(repository, args).await?;
        let after = self.top(repository).await?;
        if before == after {
            return Ok("nothing to stash: no file that git knows is changed\n".to_owned());
        }
        let status = self.status_of(repository, &[".".into()]).await?;
        Ok(format!(
            "stashed as 0 ({}); {GitStash} {{\"action\":\"pop\"}} brings it back\n{}",
            after.unwrap_or_default(),
            status.in_brief()
        ))
    }

    /// Applies the stash; `removes`: and takes it off the list, unless that ended in conflicts.
    async fn bring_back(
        &self,
        repository: &Repository,
        removes: bool,
    ) -> Result<String, ToolFailure> {
        let action = if removes { "pop" } else { "apply" };
        let entry = self.entry(repository).await?;
        let args = words(["stash", action, "--index", &entry]);
        let mut output = self.git(repository, Purpose::Change, args).await?;
        if !output.exit.is_success() && output.all().contains("without --index") {
            // The index has moved on: everything comes back as not staged.
            let args = words(["stash", action, &entry]);
            output = self.git(repository, Purpose::Change, args).await?;
        }
        let status = self.status_of(repository, &[".".into()]).await?;
        if status.files.iter().any(|file| file.is_conflict()) {
            return Err(failures::refused(format!(
                "the stash came back with conflicts and is kept: resolve the files with \
                 {WriteFile}, {GitStage} them, then {GitStash} {{\"action\":\"drop\"}}. {}",
                status.in_brief()
            )));
        }
        if !output.exit.is_success() {
            return Err(failures::failed(&output, repository).await);
        }
        let kept = match removes {
            true => "it is no longer in the list",
            false => "it is still in the list",
        };
        Ok(format!("{entry} is back; {kept}\n{}", status.in_brief()))
    }

    async fn stash_drop(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let entry = self.entry(repository).await?;
        let args = words(["rev-parse", "--verify", "--quiet", &entry]);
        let commit = self.read(repository, args).await?.line();
        self.change(repository, words(["stash", "drop", "--quiet", &entry]))
            .await?;
        Ok(format!(
            "dropped {entry}; until git cleans up, its content is commit {commit}\n"
        ))
    }

    /// The stash that is meant, by its number in the list.
    pub(super) async fn entry(&self, repository: &Repository) -> Result<String, ToolFailure> {
        let index = self
            .arguments
            .number("index", 0, MOST_STASHES)?
            .unwrap_or(0);
        let entry = format!("stash@{{{index}}}");
        let args = words(["rev-parse", "--verify", "--quiet", &entry]);
        let output = self.git(repository, Purpose::Read, args).await?;
        if output.exit.is_success() {
            return Ok(entry);
        }
        Err(failures::refused(format!(
            "there is no stash {index}; {GitStash} {{\"action\":\"list\"}} lists them"
        )))
    }

    /// The commit of the latest stash.
    async fn top(&self, repository: &Repository) -> Result<Option<String>, ToolFailure> {
        let args = ["rev-parse", "--verify", "--quiet", "--short", "refs/stash"];
        let output = self.git(repository, Purpose::Read, args).await?;
        Ok(output.exit.is_success().then(|| output.line()))
    }
}

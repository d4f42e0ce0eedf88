//! What a `git_commit` would commit, in words for the question about it. It changes nothing.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;
use siderail_guard::Tool;
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::ToolFailure;

use super::Git;
use super::call::Call;
use super::changing::{here, nothing_to_commit};
use super::program::Purpose;
use super::reading::words;
use super::repository::{Repository, UnderWay};
use super::status::FileStatus;

/// Files that are named.
const MOST_FILES: usize = 20;

/// What a commit would be.
#[derive(Clone, Debug)]
pub enum ToCommit {
    /// Its branch, files and message.
    Words(String),
    /// There is nothing to commit, whatever a person says.
    Nothing(ToolFailure),
}

impl Git {
    /// What a commit with these arguments would be; none where git does not say.
    pub async fn to_commit(&self, project: &Path, arguments: &Value) -> Option<ToCommit> {
        let cancel = CancelFlag::default();
        let call = Call {
            program: &self.program,
            cancel: &cancel,
            tool: Tool::GitCommit,
            arguments: Arguments::new(arguments),
            place: Place::new(project).ok()?.into(),
        };
        call.to_commit().await.ok()
    }
}

impl Call<'_> {
    async fn to_commit(&self) -> Result<ToCommit, ToolFailure> {
        let amend = self.arguments.flag("amend")?;
        let message = self.message(amend)?;
        let paths = self.paths(&self.arguments.texts("paths")?).await?;
        let repository = self.repository(&paths).await?;
        let named = here(&repository, &paths);
        let status = self.status_of(&repository, &named).await?;
        let is_taken = |file: &&FileStatus| match paths.is_empty() {
            true => file.is_staged(),
            false => file.is_staged() || file.is_changed_since() || file.is_untracked(),
        };
        let files: Vec<&FileStatus> = status.files.iter().filter(is_taken).collect();
        let is_merge = repository.under_way().await == Some(UnderWay::Merge);
        if files.is_empty() && !amend && !is_merge {
            return Ok(ToCommit::Nothing(nothing_to_commit(&status)));
        }
        let branch = status.branch.as_deref().unwrap_or("no branch");
        let amends = if amend { ", amending the last one" } else { "" };
        let mut text = format!("commit on {branch}{amends}:\n");
        text.extend(files.iter().take(MOST_FILES).map(|file| file.as_taken()));
        if let Some(more @ 1..) = files.len().checked_sub(MOST_FILES) {
            text += &format!("  … and {more} more files\n");
        }
        text += &self.extent(&repository, &paths, &named).await?;
        if let Some(message) = message {
            text += &format!("message: {message}\n");
        }
        Ok(ToCommit::Words(text))
    }

    /// How much changes, in git's words; nothing where it cannot say.
    async fn extent(
        &self,
        repository: &Repository,
        paths: &[siderail_workspace::confine::Confined],
        named: &[OsString],
    ) -> Result<String, ToolFailure> {
        let mut args = words(["diff", "--shortstat", "--no-ext-diff", "--no-textconv"]);
        match paths.is_empty() {
            true => args.push("--cached".into()),
            false => {
                args.extend(words(["HEAD", "--"]));
                args.extend(named.iter().cloned());
            }
        }
        let output = self.git(repository, Purpose::Read, args).await?;
        let line = match output.exit.is_success() {
            true => output.line(),
            false => String::new(),
        };
        Ok(match line.trim() {
            "" => String::new(),
            line => format!("{line}\n"),
        })
    }
}

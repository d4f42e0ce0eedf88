//! The git tools: what a person does in the IDE's version control window, by the git program itself.
//!
//! `program` runs git, `repository` finds the one that a call is about and what is under way in it,
//! `wanted` reads refs and paths so that none is taken for an option. `status`, `reading`, `changing`,
//! `branch` and `stash` are the tools, `told` the words for what went wrong. Whether a call is allowed,
//! and whether editors have saved, is settled before it comes here.

mod branch;
mod changing;
pub mod filters;
mod program;
mod reading;
mod repository;
mod stash;
mod status;
mod told;
mod wanted;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;
use siderail_acp::process::Guardian;

use super::place::Place;
use program::{Output, Program, Purpose};
use repository::Repository;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::confine::path_of;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

/// Performs the git tools of projects.
pub struct Git {
    program: Program,
}

/// One call of a git tool.
struct Call<'a> {
    program: &'a Program,
    cancel: &'a CancelFlag,
    tool: &'a str,
    arguments: Arguments<'a>,
    place: Place,
}

impl Git {
    /// Starts git with this environment; what may run hooks behind this guardian.
    pub fn new(guardian: Option<Guardian>, env: BTreeMap<String, String>) -> Self {
        Self {
            program: Program::new(guardian, env),
        }
    }

    /// Performs a call. Needs a running tokio runtime. Cancelling ends git and what it has started.
    pub async fn run(
        &self,
        project: &Path,
        tool: &str,
        arguments: &Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let call = Call {
            program: &self.program,
            cancel,
            tool,
            arguments: Arguments::new(arguments),
            place: Place::new(project)?,
        };
        let text = match tool {
            "git_status" => call.status().await,
            "git_diff" => call.diff().await,
            "git_log" => call.log().await,
            "git_blame" => call.blame().await,
            "git_show" => call.show().await,
            "git_stage" => call.stage().await,
            "git_unstage" => call.unstage().await,
            "git_commit" => call.commit().await,
            "git_branch" => call.branch().await,
            "git_stash" => call.stash().await,
            _ => Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!("{tool} is no git tool"),
            )),
        }?;
        Ok(ToolOutcome {
            text,
            ..ToolOutcome::default()
        })
    }
}

impl Git {
    /// The files below a folder that git knows or would take, from that folder; none where it lies in no
    /// repository or git cannot say.
    pub(super) async fn files(&self, folder: &Path, cancel: &CancelFlag) -> Option<Vec<PathBuf>> {
        let args = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let output = self
            .program
            .run(folder, Purpose::Read, &args.map(OsString::from), cancel)
            .await
            .ok()?;
        let bytes = output.whole().filter(|_| output.exit.is_success())?;
        let names = bytes.split(|byte| *byte == 0);
        let names = names.filter(|name| !name.is_empty());
        Some(names.filter_map(path_of).collect())
    }
}

impl Call<'_> {
    /// Runs git in a repository; the exit code is the caller's to judge.
    async fn git<A: Into<OsString>>(
        &self,
        repository: &Repository,
        purpose: Purpose,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Output, ToolFailure> {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        self.program
            .run(&repository.folder, purpose, &args, self.cancel)
            .await
    }

    /// Runs a reading command that has to succeed.
    async fn read<A: Into<OsString>>(
        &self,
        repository: &Repository,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Output, ToolFailure> {
        let output = self.git(repository, Purpose::Read, args).await?;
        match output.exit.is_success() {
            true => Ok(output),
            false => Err(told::failed(&output, repository)),
        }
    }

    /// The wanted page of a long answer.
    fn paged(&self, text: &str) -> Result<String, ToolFailure> {
        let number = self.arguments.number("page", 1, u64::MAX)?.unwrap_or(1);
        super::pages::page(text, number, self.tool, self.arguments.whole())
    }

    /// The value of `action`, which has to be one of these.
    fn action(&self, known: &[&'static str]) -> Result<&'static str, ToolFailure> {
        let given = self.arguments.required_word("action")?;
        known
            .iter()
            .find(|action| **action == given)
            .copied()
            .ok_or_else(|| {
                ToolFailure::invalid(format!("`action` must be one of {}", known.join(", ")))
            })
    }
}

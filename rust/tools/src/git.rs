//! The git tools: what a person does in the IDE's version control window, by the git program itself.
//!
//! `program` runs git, `call` finds the `repository` that a call is about,
//! `operands` reads refs and paths so that none is taken for an option. `status`, `reading`, `changing`,
//! `branch` and `stash` are the tools, `failures` the words for what went wrong. Whether a call is allowed,
//! and whether editors have saved, is settled before it comes here.

mod branch;
mod call;
mod changing;
mod failures;
pub mod filters;
mod operands;
mod program;
mod reading;
mod repository;
mod stash;
mod status;
mod to_commit;
mod to_lose;

pub use to_commit::ToCommit;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;
use siderail_acp::process::Guardian;
use siderail_guard::Tool;

use super::disk::on_disk;
use call::{Call, Handler};
use program::{Program, Purpose};
use siderail_os::files::path_of;
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

/// What performs the tools, by theme.
const HANDLERS: [&[Handler]; 5] = [
    status::HANDLERS,
    reading::HANDLERS,
    changing::HANDLERS,
    branch::HANDLERS,
    stash::HANDLERS,
];

/// Performs the git tools of projects.
pub struct Git {
    program: Program,
}

/// What a call of `git_branch` or `git_stash` would do, for the question about it; none for others, and where its arguments
/// do not say.
pub(crate) fn in_words(tool: Tool, arguments: &Value) -> Option<String> {
    match tool {
        Tool::GitBranch => branch::in_words(arguments),
        Tool::GitStash => stash::in_words(arguments),
        _ => None,
    }
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
        tool: Tool,
        arguments: &Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let folder = project.to_owned();
        let call = Call {
            program: &self.program,
            cancel,
            tool,
            arguments: Arguments::new(arguments),
            place: on_disk(move || Place::new(&folder)).await?.into(),
        };
        let mut handlers = HANDLERS.into_iter().flatten();
        let Some((_, run)) = handlers.find(|(known, _)| *known == tool) else {
            return Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!("{tool} is not a git tool"),
            ));
        };
        let text = run(&call).await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_git_tool_of_the_catalog_has_one_handler() {
        for tool in Tool::all() {
            let handlers = HANDLERS.into_iter().flatten();
            let n_found = handlers.filter(|(known, _)| *known == tool).count();
            assert_eq!(n_found, usize::from(tool.is_git()), "{tool}");
        }
    }
}

//! The tools that agents are offered, and those of them that need no host.
//!
//! [`mod@definitions`] is the table that `tools/list` shows, [`mod@instructions`] the text beside it. [`EngineTools`]
//! runs shell commands ([`command`]), git ([`git`]), the project's tests and HTTP requests ([`http`]). The host
//! performs the other tools; whether a call is allowed is decided before it gets here. Knows no session and no agent.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use siderail_acp::process::Guardian;
use siderail_guard::git_action;
use siderail_guard::guidance::{NameForm, Surroundings};
use siderail_guard::tool::{Disk, GitAction, Patience, Runner, Tool};

use siderail_workspace::Project;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

mod amounts;
pub mod command;
pub mod definitions;
mod disk;
pub mod git;
pub mod http;
pub mod instructions;
mod pages;
mod program;
mod testing;

pub use definitions::definitions;
pub use definitions::offered_as;
pub use instructions::instructions;
pub use siderail_workspace::build_tool;
pub use siderail_workspace::cancel::CancelFlag;

use command::CommandRunner;
use git::{Git, ToCommit};
use http::Http;
use testing::Testing;

pub use siderail_guard::tool::SERVER;

/// The tools that the engine runs itself, whatever the host.
pub fn engine_tools() -> impl Iterator<Item = Tool> {
    Tool::all().filter(|tool| runs_in_engine(*tool))
}

/// The tools that run in the engine, for one session.
pub struct EngineTools {
    runner: Arc<CommandRunner>,
    git: Git,
    testing: Testing,
    http: Http,
}

impl EngineTools {
    /// What a `git_commit` with these arguments would commit. It waits for git, so it must not be called on a thread of
    /// an async runtime; there it gives no answer.
    pub fn to_commit(&self, project: &Path, arguments: &Value) -> Option<ToCommit> {
        wait_for(self.git.to_commit(project, arguments))
    }

    /// What a call of `git_branch` or `git_stash` with these arguments would delete, for the question about it. Waits as
    /// `to_commit` does.
    pub fn to_lose(&self, project: &Path, tool: Tool, arguments: &Value) -> Option<String> {
        wait_for(self.git.to_lose(project, tool, arguments))
    }

    /// Why a call of `git_branch` or `git_stash` would fail even if it were allowed: what it needs is not there. Waits
    /// as `to_commit` does.
    pub fn not_there(&self, project: &Path, tool: Tool, arguments: &Value) -> Option<ToolFailure> {
        wait_for(self.git.not_there(project, tool, arguments))
    }
}

/// Waits for git, so it must not be called on a thread of an async runtime; there it gives no answer.
fn wait_for<T>(answer: impl Future<Output = Option<T>>) -> Option<T> {
    if tokio::runtime::Handle::try_current().is_ok() {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().ok()?;
    runtime.block_on(answer)
}

/// What a call has to do with the files on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Nothing.
    Nothing,
    /// A program reads them.
    Reads,
    /// A program may change them, or what is known about them.
    Changes,
}

/// Whether a tool is the engine's own.
pub fn runs_in_engine(tool: Tool) -> bool {
    tool.runner() == Runner::Engine
}

/// What a call of a tool of the engine has to do with the files on disk.
pub fn touch(tool: Tool, arguments: &Value) -> Touch {
    let disk = match tool.disk() {
        Disk::Action => git_action(tool, arguments).map_or(Disk::Changes, GitAction::disk),
        disk => disk,
    };
    match disk {
        Disk::Nothing => Touch::Nothing,
        Disk::Reads => Touch::Reads,
        Disk::Changes | Disk::Action => Touch::Changes,
        // Waiting for a command means that it may have continued to change files.
        Disk::ChangesUnlessPage
            if arguments["command"].is_string() || arguments["page"].is_null() =>
        {
            Touch::Changes
        }
        Disk::ChangesUnlessPage => Touch::Nothing,
    }
}

/// A call as people and events see it, without secrets; none if it may be shown as it is.
pub fn for_people(tool: Tool, arguments: &Value) -> Option<String> {
    is_request(tool).then(|| http::for_people(arguments))
}

/// What a call is to do, in the words of a question to a person; none if its arguments say it best.
pub fn asked_for(tool: Tool, arguments: &Value) -> Option<String> {
    let named = |name: &str| arguments.get(name).and_then(Value::as_str);
    if tool == Tool::RenameSymbol {
        let what = match (named("symbol"), named("path")) {
            (Some(symbol), _) => symbol.to_owned(),
            (None, path) => format!("what is at {}:{}", path?, arguments["line"]),
        };
        let to = named("new_name")?;
        return Some(format!(
            "rename {what} to {to}, in all files that refer to it"
        ));
    }
    if let Some(words) = git::in_words(tool, arguments) {
        return Some(words);
    }
    let Some(path) = named("path") else {
        return for_people(tool, arguments);
    };
    Some(match tool {
        Tool::WriteFile if arguments["content"].is_string() => {
            format!("write the whole text of {path}")
        }
        Tool::WriteFile => format!("edit {path}"),
        Tool::DeleteFile if arguments["recursive"] == true => {
            format!("delete {path} with everything in it")
        }
        Tool::DeleteFile => format!("delete {path}"),
        Tool::MoveFile => {
            let over = match arguments["overwrite"] == true {
                true => ", over what is there",
                false => "",
            };
            format!("move {path} to {}{over}", named("to")?)
        }
        Tool::ApplyQuickFix => format!("apply a fix of the IDE in {path}"),
        _ => return for_people(tool, arguments),
    })
}

/// What is remembered of a call's arguments when it is always allowed.
pub fn remembered(tool: Tool, arguments: &Value) -> Value {
    match is_request(tool) {
        true => http::remembered(arguments),
        false => arguments.clone(),
    }
}

/// Why a call's arguments can never work, where that shows before it runs.
pub fn unusable(tool: Tool, arguments: &Value) -> Option<ToolFailure> {
    is_request(tool).then(|| http::unusable(arguments))?
}

fn is_request(tool: Tool) -> bool {
    tool == Tool::HttpRequest
}

/// Whether a call takes the locks of the project's repository.
pub fn changes_repository(tool: Tool, arguments: &Value) -> bool {
    tool.is_git() && touch(tool, arguments) == Touch::Changes
}

/// Whether a tool of the engine may take longer than agents are patient: hooks of a repository run tests.
pub fn may_take_long(tool: Tool) -> bool {
    tool.patience() == Patience::Hooks
}

/// What such a call is answered meanwhile.
pub fn still_running(tool: Tool) -> String {
    format!(
        "{tool} is still running; a hook of the repository may take long. Call {tool} again with the \
         same arguments to wait on."
    )
}

impl EngineTools {
    /// Tools that start programs with this environment, behind this guardian.
    pub fn new(
        runner: Arc<CommandRunner>,
        guardian: Option<Guardian>,
        env: BTreeMap<String, String>,
    ) -> Self {
        Self {
            testing: Testing::new(Arc::clone(&runner)),
            runner,
            http: Http::new(env.clone()),
            git: Git::new(guardian, env),
        }
    }

    /// Performs a call. Needs a running tokio runtime. Cancelling ends what it has started.
    /// Commands may start in any content root; git and tests are those of the project's own folder.
    pub async fn run(
        &self,
        project: impl Into<Project<'_>>,
        tool: Tool,
        arguments: &Value,
        cancel: CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let project = project.into();
        let folder = project.folder;
        match tool {
            Tool::RunCommand => self.runner.run(project, arguments, cancel).await,
            Tool::HttpRequest => self.http.run(arguments, &cancel).await,
            tool if tool.is_git() => self.git.run(folder, tool, arguments, &cancel).await,
            tool if runs_in_engine(tool) => {
                let git = &self.git;
                self.testing
                    .run(folder, tool, arguments, git, &cancel)
                    .await
            }
            _ => Err(ToolFailure {
                code: ToolErrorCode::NotApplicable,
                text: format!("{tool} does not run here"),
            }),
        }
    }
}

/// What is added to the system prompt of an agent that takes additions (ladder step 2).
///
/// Tool names are written as that agent's model sees them.
pub fn system_prompt(names: &NameForm, offered: &[Tool]) -> String {
    let mut text = String::from(match names.surroundings() {
        Surroundings::Ide => {
            "You work inside the user's IDE. Files of this project are read and changed with the IDE's own \
             tools, so that edits appear in the editor and can be undone:"
        }
        Surroundings::Files => {
            "Files of this project are read and changed with the project's own tools, so that the user \
             sees every change as it is made:"
        }
    });
    for (tool, purpose) in [
        (Tool::ReadFile, "read a file"),
        (Tool::WriteFile, "create or change a file"),
        (Tool::SearchText, "search text"),
        (Tool::ListProjectFiles, "list or find files"),
        (Tool::RunTests, "run tests"),
        (Tool::RunCommand, "run any other command"),
    ] {
        if offered.contains(&tool) {
            text.push_str(&format!("\n- {purpose}: {}", names.as_seen(tool)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Tool, asked_for};

    #[test]
    fn a_rename_is_asked_about_in_words() {
        let asked = |arguments| asked_for(Tool::RenameSymbol, &arguments);
        let by_name = json!({"symbol": "com.x.Foo", "new_name": "Bar"});
        let expected = "rename com.x.Foo to Bar, in all files that refer to it";
        assert_eq!(asked(by_name).as_deref(), Some(expected));
        let by_place = json!({"path": "a.rs", "line": 3, "new_name": "b"});
        let expected = "rename what is at a.rs:3 to b, in all files that refer to it";
        assert_eq!(asked(by_place).as_deref(), Some(expected));
        assert_eq!(asked(json!({"new_name": "b"})), None);
    }

    #[test]
    fn a_change_of_branches_or_stashes_is_asked_about_in_words() {
        let words = [
            (
                Tool::GitBranch,
                json!({"action": "create", "name": "a"}),
                "create the branch a and switch to it",
            ),
            (
                Tool::GitBranch,
                json!({"action": "create", "name": "a", "from": "b"}),
                "create the branch a at b and switch to it",
            ),
            (
                Tool::GitBranch,
                json!({"action": "switch", "name": "a"}),
                "switch to the branch a",
            ),
            (
                Tool::GitBranch,
                json!({"action": "delete", "name": "a"}),
                "delete the branch a",
            ),
            (
                Tool::GitStash,
                json!({"action": "push"}),
                "stash what is not committed",
            ),
            (
                Tool::GitStash,
                json!({"action": "push", "include_untracked": true, "message": "m"}),
                "stash what is not committed, including untracked files\nmessage: m",
            ),
            (
                Tool::GitStash,
                json!({"action": "pop"}),
                "bring stash 0 back and remove it from the list",
            ),
            (
                Tool::GitStash,
                json!({"action": "apply", "index": 2}),
                "apply stash 2 and keep it",
            ),
            (
                Tool::GitStash,
                json!({"action": "drop", "index": 1}),
                "drop stash 1",
            ),
        ];
        for (tool, arguments, expected) in words {
            assert_eq!(
                asked_for(tool, &arguments).as_deref(),
                Some(expected),
                "{arguments}"
            );
        }
        // Arguments that say nothing, or something else, are shown as they are.
        assert_eq!(
            asked_for(Tool::GitBranch, &json!({"action": "delete"})),
            None
        );
        assert_eq!(
            asked_for(Tool::GitStash, &json!({"action": "drop", "index": "x"})),
            None
        );
    }
}

//! The tools that agents are offered, and those of them that the engine runs itself.
//!
//! `definitions` is the table that `tools/list` shows, `instructions` the text beside it, `command`
//! runs shell commands and other programs, `git` the git program, `testing` the project's tests, `http`
//! requests, `cancel` is how a call is told to stop. What the other tools do is the host's; whether a call is allowed is decided before it gets here.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use siderail_acp::process::Guardian;
use siderail_guard::guidance::{NameForm, Surroundings};

use crate::host::{ToolErrorCode, ToolFailure, ToolOutcome};

pub mod command;
pub mod definitions;
pub mod git;
pub mod http;
pub mod instructions;
mod pages;
mod place;
mod program;
mod testing;

pub use definitions::definitions;
pub(crate) use definitions::offered_as;
pub use instructions::instructions;
pub use siderail_workspace::build_tool;
pub use siderail_workspace::cancel::CancelFlag;

use command::CommandRunner;
use git::Git;
use http::Http;
use testing::Testing;

/// Name of our MCP server, the same for every agent.
pub const SERVER: &str = "intellij-code-tools";

/// Tools that the engine runs itself, whatever the host.
pub const ENGINE_TOOLS: [&str; 16] = [
    "git_status",
    "git_diff",
    "git_log",
    "git_blame",
    "git_show",
    "git_stage",
    "git_unstage",
    "git_commit",
    "git_branch",
    "git_stash",
    "http_request",
    "run_command",
    "list_tests",
    "run_tests",
    "get_test_results",
    "get_coverage",
];

/// The tools that run in the engine, for one session.
pub struct EngineTools {
    runner: Arc<CommandRunner>,
    git: Git,
    testing: Testing,
    http: Http,
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
pub fn runs_in_engine(tool: &str) -> bool {
    ENGINE_TOOLS.contains(&tool)
}

/// What a call of a tool of the engine has to do with the files on disk.
pub fn touch(tool: &str, arguments: &Value) -> Touch {
    match tool {
        "run_command" if arguments["command"].is_string() => Touch::Changes,
        // Waiting for a command means that it may have gone on changing files.
        "run_command" | "get_test_results" if arguments["page"].is_null() => Touch::Changes,
        "run_tests" => Touch::Changes,
        "list_tests" => Touch::Reads,
        "git_branch" | "git_stash" if arguments["action"] == "list" => Touch::Nothing,
        "git_status" | "git_diff" | "git_blame" => Touch::Reads,
        "git_stage" | "git_unstage" | "git_commit" | "git_branch" | "git_stash" => Touch::Changes,
        _ => Touch::Nothing,
    }
}

/// A call as people and events see it, without secrets; none where it may be shown as it is.
pub(crate) fn for_people(tool: &str, arguments: &Value) -> Option<String> {
    (tool == "http_request").then(|| http::for_people(arguments))
}

/// What a call is to do, in the words of a question to a person; none where its arguments say it best.
pub(crate) fn asked_for(tool: &str, arguments: &Value) -> Option<String> {
    let named = |name: &str| arguments.get(name).and_then(Value::as_str);
    let Some(path) = named("path") else {
        return for_people(tool, arguments);
    };
    Some(match (tool, path) {
        ("intellij_write_file", path) if arguments["content"].is_string() => {
            format!("write the whole text of {path}")
        }
        ("intellij_write_file", path) => format!("edit {path}"),
        ("delete_file", path) if arguments["recursive"] == true => {
            format!("delete {path} with all that is in it")
        }
        ("delete_file", path) => format!("delete {path}"),
        ("move_file", path) => {
            let over = match arguments["overwrite"] == true {
                true => ", over what is there",
                false => "",
            };
            format!("move {path} to {}{over}", named("to")?)
        }
        _ => return for_people(tool, arguments),
    })
}

/// What is remembered of a call's arguments when it is always allowed.
pub(crate) fn remembered(tool: &str, arguments: &Value) -> Value {
    match tool {
        "http_request" => http::remembered(arguments),
        _ => arguments.clone(),
    }
}

/// Why a call's arguments can never work, where that shows before it runs.
pub(crate) fn unusable(tool: &str, arguments: &Value) -> Option<ToolFailure> {
    (tool == "http_request").then(|| http::unusable(arguments))?
}

/// Whether a call takes the locks of the project's repository.
pub fn changes_repository(tool: &str, arguments: &Value) -> bool {
    tool.starts_with("git_") && touch(tool, arguments) == Touch::Changes
}

/// Whether a tool of the engine may take longer than agents are patient: hooks of a repository run tests.
pub(crate) fn may_take_long(tool: &str) -> bool {
    matches!(
        tool,
        "git_commit" | "git_branch" | "git_stash" | "git_stage"
    )
}

/// What such a call is answered meanwhile.
pub(crate) fn still_running(tool: &str) -> String {
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
    pub async fn run(
        &self,
        project: &Path,
        tool: &str,
        arguments: &Value,
        cancel: CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        match tool {
            "run_command" => self.runner.run(project, arguments, cancel).await,
            "http_request" => self.http.run(arguments, &cancel).await,
            "list_tests" | "run_tests" | "get_test_results" | "get_coverage" => {
                let git = &self.git;
                self.testing
                    .run(project, tool, arguments, git, &cancel)
                    .await
            }
            _ if tool.starts_with("git_") => self.git.run(project, tool, arguments, &cancel).await,
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
pub(crate) fn system_prompt(names: &NameForm, offered: &[&str]) -> String {
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
        ("intellij_read_file", "read a file"),
        ("intellij_write_file", "create or change a file"),
        ("search_text", "search text"),
        ("list_project_files", "list or find files"),
        ("run_tests", "run tests"),
        ("run_command", "run any other command"),
    ] {
        if offered.contains(&tool) {
            text.push_str(&format!("\n- {purpose}: {}", names.as_seen(tool)));
        }
    }
    text
}

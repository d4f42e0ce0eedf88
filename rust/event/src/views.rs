//! What events carry: tool calls, changes of files, plans, choices. Plain data that is part of the format of the lines.

use serde::{Deserialize, Serialize};

use crate::acp_words::{
    PermissionOptionKind, PlanEntryPriority, PlanEntryStatus, ToolCallStatus, ToolKind,
};
use crate::guard_words::ToolWord;
use crate::kinds::{ChangeKind, LoginKind, OwnToolStatus};
use crate::texts::{Texts, Visit, Word, texts};

texts! {
    /// A tool call of the agent, merged over its updates.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct ToolCallView {
        /// The agent's id.
        pub tool_call_id: String as is,
        /// Tool name where the agent gives one, else the title.
        pub tool: String,
        /// ACP kind as sent.
        pub kind: ToolKind,
        /// `pending`, `in_progress`, `completed`, `failed`, `cancelled`.
        pub status: ToolCallStatus,
        /// The agent's title.
        pub title: String,
        /// The command, where it runs one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub command: Option<String>,
        /// All paths.
        #[serde(default)]
        pub paths: Vec<String> as judged,
        /// True for a call of one of our own tools.
        #[serde(default)]
        pub own: bool,
        /// Diffs of the call.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub diffs: Vec<FileDiff>,
        /// Text output, capped.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub text: String,
        /// The exit code of the program that the call ran, where it is known: other than 0, it has failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub exit_code: Option<i64>,
    }
}

texts! {
    /// A change of one file.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct FileDiff {
        /// The file.
        pub path: String as judged,
        /// Text before; absent for a new file.
        pub old_text: Option<String>,
        /// Text after.
        pub new_text: String,
    }
}

texts! {
    /// A step of the agent's plan.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PlanEntry {
        /// What is to be done.
        pub text: String,
        /// `pending`, `in_progress`, `completed`.
        pub status: PlanEntryStatus,
        /// `high`, `medium`, `low`.
        pub priority: PlanEntryPriority,
    }
}

/// A choice that a person has on a permission request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PermissionChoice {
    /// Names the choice in the answer.
    pub id: String,
    /// Text for a person.
    pub name: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`.
    pub kind: PermissionOptionKind,
    /// The name says something else than the kind, which is what counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contradicts: bool,
}

texts! {
    /// A call of one of our tools.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct OwnToolView {
        /// Number of the call in the engine.
        pub call: u64,
        /// Bare name of the tool.
        pub tool: ToolWord,
        /// How far the call is.
        pub status: OwnToolStatus,
        /// A one-line description or the result's text, capped.
        pub text: String,
        /// Files that the call wrote, project-relative.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub paths: Vec<String> as judged,
        /// A unified diff, where the call changed a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub diff: Option<String>,
        /// The exit code of the program that the call ran, where it is known: other than 0, it has failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub exit_code: Option<i64>,
    }
}

texts! {
    /// A file that a user's prompt has changed.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct ChangedFile {
        /// In the project.
        pub path: String as is,
        /// What became of it.
        pub kind: ChangeKind,
        /// Before; absent where there was none, or it is not text, or too long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub old_text: Option<String>,
        /// Now; absent as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub new_text: Option<String>,
    }
}

texts! {
    /// A way to log in to the agent.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct LoginMethod {
        /// Names it in `login`.
        pub id: String as is,
        /// Text for a person.
        pub name: String as is,
        /// More of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub description: Option<String> as is,
        /// Who does it.
        pub kind: LoginKind,
        /// The command to run, program first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub command: Option<Vec<String>> as judged,
        /// The same as it is typed into a shell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub command_line: Option<String> as judged,
        /// Names of variables of which the agent wants one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub vars: Option<Vec<String>> as is,
    }
}

/// A known agent, and whether its program is on this machine. Whether it wants a login is known once it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentProgram {
    /// Profile name.
    pub agent: String,
    /// Its name for people.
    pub title: String,
    /// Where its program is; none if it is not installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Why it cannot be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The command that installs it; empty where none is known.
    pub install: String,
}

/// A conversation of the history, in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PastConversation {
    /// Names it: `resume` of a new session, `export_history`.
    pub id: String,
    /// Profile name of the agent.
    pub agent: String,
    /// Its first prompt, in short.
    pub title: String,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// The user's prompts.
    pub turns: u64,
}

//! One tool of an agent: its names, its questions, its work and its updates.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::habit::Reject;

/// One tool of an agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The name by which the model calls it.
    pub name: String,
    /// The name in hook payloads, where it differs; empty where no hook sees the call.
    pub hook_name: Option<String>,
    /// The ACP kind, for the hole `${kind}`.
    pub kind: Option<String>,
    /// More variables, templates themselves.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// Name in the agent's permission settings (opencode), where it is not the tool's.
    pub permission_key: Option<String>,
    /// Other names in hide lists.
    #[serde(default)]
    pub hide_names: Vec<String>,
    /// The model's arguments.
    pub arguments: Value,
    /// Whether permission is asked.
    pub asks: Asks,
    /// Names of operations on the client's file system ahead of the question.
    #[serde(default)]
    pub before_ask: Vec<Operation>,
    /// Updates ahead of hook and question.
    #[serde(default)]
    pub announce: Vec<Value>,
    /// Updates instead of `announce` where nothing is asked.
    pub announce_unasked: Option<Vec<Value>>,
    /// Questions ahead of the own one for a path outside the session's folder.
    #[serde(default)]
    pub outside: Vec<Question>,
    /// Params of `session/request_permission`.
    pub permission: Option<Value>,
    /// Which of the option lists of [`super::Shape`] is offered.
    #[serde(default)]
    pub options: String,
    /// Updates after the answer, ahead of the work.
    #[serde(default)]
    pub started: Vec<Value>,
    /// The work.
    #[serde(default)]
    pub perform: Vec<Operation>,
    /// What the model reads on success.
    pub result: String,
    /// Updates on success.
    #[serde(default)]
    pub completed: Vec<Value>,
    /// Updates on failure or denial.
    #[serde(default)]
    pub failed: Vec<Value>,
    /// Behaviour after a reject, where it differs from the shape's.
    pub reject: Option<Reject>,
}

/// A permission request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Which of the option lists of [`super::Shape`] is offered.
    pub options: String,
    /// Template of the params.
    pub params: Value,
}

/// When permission is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// Always.
    Always,
    /// Never.
    Never,
    /// For commands that are not known to be harmless.
    UnlessSafe,
    /// For MCP tools without the annotation `readOnlyHint`.
    UnlessReadOnly,
    /// As `unless_read_only`, and not for tools that are neither destructive nor open-world (Codex).
    UnlessTame,
    /// Where the agent's configuration says "ask" (opencode).
    IfConfigured,
    /// Where the client offers the file system or terminals (fast-agent).
    IfServed,
}

/// Part of the work of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// `fs/read_text_file`; an error is ignored.
    FsRead,
    /// `fs/read_text_file`; an error fails the call.
    FsReadMust,
    /// `fs/write_text_file`, or the disk where the client does not offer it.
    FsWrite,
    /// Writes the disk, then notifies the client by `fs/write_text_file`.
    DiskThenFsWrite,
    /// Writes the disk.
    Disk,
    /// Runs the command.
    Run,
    /// `terminal/*`, or as `run` where the client does not offer it.
    Terminal,
    /// Calls the MCP tool.
    Mcp,
}

//! How each real agent behaves on the wire: one table per agent, in `shapes/*.json`.
//!
//! A table holds templates (see [`crate::template`]) of what the agent sends and names for the
//! habits that the code knows. There is no code per agent but where a habit is an algorithm (hooks,
//! hide lists, opencode's HTTP interface), and that code is chosen by a name in the table as well.
//! What the templates show was recorded from the agents: `tests/fixtures/recordings/NAME`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::script::Purpose;

/// The names of all shapes.
pub const NAMES: [&str; 10] = [
    "copilot",
    "claude",
    "codex",
    "codex-zed",
    "gemini",
    "qwen",
    "opencode",
    "vibe",
    "openhands",
    "fast-agent",
];

/// One agent's table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The agent's name, as in [`NAMES`].
    pub name: String,
    /// Result of `initialize`.
    pub initialize: Value,
    /// Method that must have been authenticated before `session/new` works.
    pub authenticate: Option<String>,
    /// Template of session ids.
    pub session_id: String,
    /// Result of `session/new`.
    pub new_session: Value,
    /// Messages around the answer to `session/new`.
    #[serde(default)]
    pub around_new_session: Around,
    /// Sent ahead of the answer to `session/set_mode`.
    #[serde(default)]
    pub mode_set: Vec<Value>,
    /// Modes in which some or all purposes ("*") are not asked for.
    #[serde(default)]
    pub unasked_in_mode: BTreeMap<String, Vec<String>>,
    /// Mode at the start.
    pub initial_mode: Option<String>,
    /// Errors for what the agent does not know.
    pub unknown: Unknown,
    /// First request id, and whether ids are numbers or UUIDs behind the other members.
    #[serde(default)]
    pub request_ids: RequestIds,
    /// Member `_meta` of all `session/update` params.
    pub update_meta: Option<Value>,
    /// Sent when a turn starts.
    #[serde(default)]
    pub turn_started: Vec<Value>,
    /// Sent whenever the model was called.
    #[serde(default)]
    pub model_called: Vec<Value>,
    /// Sent after a turn's end.
    #[serde(default)]
    pub turn_ended: Vec<Value>,
    /// A chunk of message, and of thought.
    pub message: Value,
    /// A chunk of thought.
    pub thought: Value,
    /// Result of `session/prompt`.
    pub prompt_result: Value,
    /// Template of tool call ids.
    pub call_id: String,
    /// Behaviour after a reject.
    pub reject: Reject,
    /// True: pre-tool hooks run after the client's allow.
    #[serde(default)]
    pub hooks_after_allow: bool,
    /// Text that the model reads when a hook denied.
    #[serde(default)]
    pub hook_denied: String,
    /// Text that the model reads when it calls a tool that it does not have.
    pub hidden: String,
    /// What a JSON-RPC error as answer to a permission request does.
    pub permission_error: PermissionError,
    /// Behaviour at `session/cancel`.
    pub cancel: Cancel,
    /// Behaviour at a prompt while a turn runs.
    pub second_prompt: SecondPrompt,
    /// True: `_session/steering` is understood.
    #[serde(default)]
    pub steering: bool,
    /// True: the end of stdin ends the agent.
    pub exits_at_eof: bool,
    /// True: MCP servers of `session/new` are started. Copilot drops its stdio ones.
    pub mcp_from_session: bool,
    /// True: the model is shown the MCP servers' instructions.
    #[serde(default)]
    pub mcp_instructions: bool,
    /// Option lists by name, for the hole `${options}` of permission templates.
    pub options: BTreeMap<String, Value>,
    /// The tools by purpose.
    pub tools: BTreeMap<Purpose, Tool>,
}

/// Messages around the answer to `session/new`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Around {
    /// Ahead of it.
    pub before: Vec<Value>,
    /// After it.
    pub after: Vec<Value>,
}

/// Answers to what the agent does not know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unknown {
    /// Error object for an unknown request.
    pub request: Value,
    /// Error object for an unknown notification, sent without an id.
    pub notification: Option<Value>,
    /// Error object for a line that is not JSON; `null_id` says how it is addressed.
    pub line: Option<Value>,
    /// Result (instead of an error) for an unknown request whose method starts with `_`.
    pub extension_result: Option<Value>,
}

/// How request ids look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestIds {
    /// Numbers from 0.
    #[default]
    Number,
    /// UUID strings; the member `id` comes last in every message.
    UuidLast,
}

/// What happens after a reject.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reject {
    /// What the model reads.
    pub text: String,
    /// Stop reason, where the turn ends.
    pub stop: Option<String>,
    /// Options that do not end the turn although `stop` is set.
    #[serde(default)]
    pub goes_on_with: Vec<String>,
    /// Sent ahead of the end.
    #[serde(default)]
    pub updates: Vec<Value>,
    /// True: the client is told nothing of the failed call.
    #[serde(default)]
    pub silent: bool,
}

/// What an error answer to a permission request does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionError {
    /// What the model reads; `${error}` is the message.
    #[serde(default)]
    pub text: String,
    /// What then.
    pub then: AfterError,
}

/// What follows an error answer to a permission request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterError {
    /// The turn goes on.
    GoOn,
    /// The turn ends as after a reject.
    End,
    /// Nothing ever follows.
    Wedge,
    /// The same is asked again.
    AskAgain,
}

/// What `session/cancel` does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The stop reason.
    pub stop: String,
    /// True: hangs for as long as a permission request is open.
    #[serde(default)]
    pub waits_for_permission: bool,
    /// True: `$/cancel_request` is sent for open permission requests.
    #[serde(default)]
    pub withdraws_requests: bool,
    /// Text of the failed update of the open call; none is sent without it.
    pub failed: Option<String>,
    /// True: the model goes on with its next step instead of ending.
    #[serde(default)]
    pub goes_on: bool,
}

/// What a prompt during a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondPrompt {
    /// The first one ends `cancelled`.
    CancelFirst,
    /// It waits.
    Queue,
    /// It is answered with an error.
    Refuse,
    /// It is never answered.
    Lost,
    /// It is answered without calling the model, which sees it at the next prompt.
    Stored,
}

/// One tool of an agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The name by which the model calls it.
    pub name: String,
    /// The name in hook payloads, where it differs.
    pub hook_name: Option<String>,
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
    /// Params of `session/request_permission`.
    pub permission: Option<Value>,
    /// Which of [`Shape::options`] is offered.
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
    /// Writes the disk, then tells the client by `fs/write_text_file`.
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

impl Shape {
    /// The table of `name`.
    ///
    /// # Errors
    /// There is none, with the names that exist.
    pub fn named(name: &str) -> Result<Self, String> {
        let text = match name {
            "copilot" => include_str!("../shapes/copilot.json"),
            _ => return Err(format!("no shape {name}; there are {}", NAMES.join(" "))),
        };
        serde_json::from_str(text).map_err(|error| format!("shape {name}: {error}"))
    }
}

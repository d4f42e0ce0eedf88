//! Turns what ten agents send into one [`Action`]. Own tool first, structured fields before titles.
//!
//! Titles are text of the agent, often of its model: they name a tool only where no field does. Knows the
//! shapes of the recordings under `tests/fixtures/recordings`; knows no policy.

use serde_json::Value;

use crate::action::{Action, ActionKind, Identity};

/// How tools are named in a session.
#[derive(Clone, Copy, Debug)]
pub struct AgentNames<'a> {
    /// The agent's profile name, or `generic`.
    pub agent: &'a str,
    /// Our MCP server's name.
    pub server: &'a str,
    /// Bare names of our tools.
    pub own_tools: &'a [&'a str],
    /// The title of an `execute` call is its command when no field holds one (not so in Copilot).
    pub title_is_command: bool,
}

/// A permission request and what is known besides.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'a> {
    /// The request's `toolCall`.
    pub tool_call: &'a Value,
    /// The merged earlier tool call of that id.
    pub stored: Option<&'a Value>,
    /// The last announced call that is still open; OpenHands' requests name no call.
    pub last_open: Option<&'a Value>,
    /// The request's `_meta`.
    pub meta: Option<&'a Value>,
    /// The request's `options`.
    pub options: &'a Value,
    /// The session's working directory, absolute.
    pub cwd: &'a str,
}

/// What told an action's identity, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdentityRule {
    /// Nothing did.
    None,
}

/// Normalises a permission request.
pub fn permission(view: &RequestView, names: &AgentNames) -> Action {
    update(view.stored.unwrap_or(view.tool_call), view.cwd, names)
}

/// Normalises the payload of an agent's own pre-tool hook.
pub fn hook(tool_name: &str, tool_input: &Value, cwd: &str, names: &AgentNames) -> Action {
    let call = serde_json::json!({ "name": tool_name, "rawInput": tool_input });
    update(&call, cwd, names)
}

/// Normalises an announced tool call (merged over its updates).
pub fn update(stored: &Value, cwd: &str, names: &AgentNames) -> Action {
    let _ = (cwd, names);
    Action {
        identity: Identity::Unknown,
        rule: IdentityRule::None,
        kind: ActionKind::Other,
        command: None,
        paths: Vec::new(),
        title: String::new(),
        contradictory: false,
        raw: stored.clone(),
    }
}

/// The arguments of the tool that a merged call runs: an object, or null.
pub fn arguments(raw: &Value) -> &Value {
    raw.get("rawInput").unwrap_or(&Value::Null)
}

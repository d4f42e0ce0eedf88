//! How each real agent behaves on the wire: one table per agent, in `shapes/*.json`.
//!
//! A table holds templates (see [`crate::template`]) of what the agent sends and names for the
//! habits that the code knows. There is no code per agent but where a habit is an algorithm (hooks,
//! hide lists, opencode's HTTP interface), and that code is chosen by a name in the table as well.
//! What the templates show was recorded from the agents: `tests/fixtures/recordings/NAME`.

mod habit;
mod tool;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::script::Purpose;

pub use habit::{
    AfterError, Around, Cancel, PermissionError, Reject, RequestIds, SecondPrompt, Unknown,
    Versions,
};
pub use tool::{Asks, Operation, Question, Tool};

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
    /// The protocol version that is answered to a client that wants a later one.
    #[serde(default)]
    pub versions: Versions,
    /// Method that must have been authenticated before `session/new` works.
    pub authenticate: Option<String>,
    /// Template of session ids.
    pub session_id: String,
    /// Result of `session/new`.
    pub new_session: Value,
    /// Results of requests outside the protocol's core.
    #[serde(default)]
    pub answers: BTreeMap<String, Value>,
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
    /// Environment variable that names another mode for the start.
    pub initial_mode_env: Option<String>,
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
    /// The same for what the model says along with a tool call, where that comes in another way.
    pub message_with_call: Option<Value>,
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
    /// Text that the model reads after a reject with a reason through the agent's own interface.
    #[serde(default)]
    pub api_reject: String,
    /// What a JSON-RPC error as answer to a permission request does.
    pub permission_error: PermissionError,
    /// Behaviour at `session/cancel`.
    pub cancel: Cancel,
    /// Behaviour at a prompt while a turn runs.
    pub second_prompt: SecondPrompt,
    /// True: the client is asked for texts of the user after each tool call.
    #[serde(default)]
    pub drains_queue: bool,
    /// True: `_session/steering` is understood.
    #[serde(default)]
    pub steering: bool,
    /// True: the end of stdin ends the agent.
    pub exits_at_eof: bool,
    /// True: MCP servers of `session/new` are started. Copilot drops its stdio ones.
    pub mcp_from_session: bool,
    /// How many times each MCP server is started.
    #[serde(default = "one")]
    pub mcp_starts: usize,
    /// True: the model is shown the MCP servers' instructions.
    #[serde(default)]
    pub mcp_instructions: bool,
    /// Option lists by name, for the hole `${options}` of permission templates.
    pub options: BTreeMap<String, Value>,
    /// Params of `session/request_permission` of tools that have none of their own.
    pub permission: Option<Value>,
    /// Updates on failure or denial of tools that have none of their own.
    #[serde(default)]
    pub failed: Vec<Value>,
    /// The tools by purpose.
    pub tools: BTreeMap<Purpose, Tool>,
}

impl Shape {
    /// The table of `name`.
    ///
    /// # Errors
    /// There is none of that name; lists the names that exist.
    pub fn named(name: &str) -> Result<Self, String> {
        let text = match name {
            "copilot" => include_str!("../shapes/copilot.json"),
            "claude" => include_str!("../shapes/claude.json"),
            "codex" => include_str!("../shapes/codex.json"),
            "codex-zed" => include_str!("../shapes/codex-zed.json"),
            "gemini" => include_str!("../shapes/gemini.json"),
            "qwen" => include_str!("../shapes/qwen.json"),
            "opencode" => include_str!("../shapes/opencode.json"),
            "vibe" => include_str!("../shapes/vibe.json"),
            "openhands" => include_str!("../shapes/openhands.json"),
            "fast-agent" => include_str!("../shapes/fast-agent.json"),
            _ => return Err(format!("no shape {name}; there are {}", NAMES.join(" "))),
        };
        serde_json::from_str(text).map_err(|error| format!("shape {name}: {error}"))
    }
}

fn one() -> usize {
    1
}

#[cfg(test)]
mod tests {
    use super::{NAMES, Shape};
    use crate::script::Purpose;

    #[test]
    fn every_name_has_a_table_with_the_tools_of_a_coding_agent() {
        for name in NAMES {
            let shape = Shape::named(name).expect("a table that parses");
            assert_eq!(shape.name, name);
            for purpose in [Purpose::Read, Purpose::Create, Purpose::Shell, Purpose::Mcp] {
                let tool = shape.tools.get(&purpose).expect("every agent has one");
                let asks = !tool.options.is_empty();
                assert!(
                    !asks || shape.options.contains_key(&tool.options),
                    "{name} {purpose:?}"
                );
                for question in &tool.outside {
                    assert!(
                        shape.options.contains_key(&question.options),
                        "{name} {purpose:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        assert!(Shape::named("cursor").is_err_and(|why| why.contains("fast-agent")));
    }
}

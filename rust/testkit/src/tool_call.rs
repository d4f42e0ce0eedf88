//! One tool call of the scripted model: what it is made of. [`crate::calling`] carries it out.

use serde_json::{Map, Value};

use crate::mcp_client::McpServer;
use crate::script::{Purpose, Step};
use crate::shape::Tool;
use crate::template::Vars;
use crate::turn::Turn;

/// A call.
pub(crate) struct ToolCall<'a> {
    /// The turn.
    pub(crate) turn: &'a Turn,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// The step as written.
    pub(crate) step: &'a Step,
    /// The shape's tool; `None` where the agent has none for this.
    pub(crate) tool: Option<&'a Tool>,
    /// The MCP server that has the tool, for MCP calls.
    pub(crate) server: Option<&'a McpServer>,
    /// Variables for the templates.
    pub(crate) vars: Vars,
    /// The tool's name as the model calls it.
    pub(crate) name: String,
    /// What the step says of it.
    pub(crate) target: &'a str,
}

impl ToolCall<'_> {
    /// The MCP arguments.
    #[must_use]
    pub(crate) fn mcp_arguments(&self) -> Map<String, Value> {
        self.step.arguments.clone().unwrap_or_default()
    }
}

//! How a session's agent names tools.

use super::quirk::Quirk;
use crate::tool::Tool;

/// How tools are named in a session.
#[derive(Clone, Copy, Debug)]
pub struct AgentNames<'a> {
    /// What this agent's program writes itself.
    pub quirks: &'a [Quirk],
    /// Where in the `_meta` of a call agents of this engine name its tool, beside `toolName` and `tool_name`: members of
    /// members, with `/` between.
    pub tool_name_in_meta: &'a [String],
    /// Our MCP server's name.
    pub server: &'a str,
    /// Our tools that it is offered.
    pub own_tools: &'a [Tool],
    /// The title of an `execute` call is its command when no field holds one: so in Gemini and in
    /// unknown agents; never in Copilot, where it is the model's description.
    pub title_is_command: bool,
}

impl AgentNames<'_> {
    pub(super) fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// The offered tool of ours that has this bare name.
    pub(super) fn own_tool(&self, name: &str) -> Option<Tool> {
        Tool::named(name).filter(|tool| self.own_tools.contains(tool))
    }
}

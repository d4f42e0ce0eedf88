//! Which tools the model does not have: the agents' own hide lists, read where they read them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::args::Args;
use crate::shape::Tool;

/// The hidden tools of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    names: BTreeSet<String>,
    /// Where set, only these are offered: tool names, or names of whole MCP servers.
    only: Option<BTreeSet<String>>,
}

impl Hidden {
    /// Reads the hide lists of the shape.
    #[must_use]
    pub fn read(shape: &str, args: &Args, _new_session: &Value) -> Self {
        match shape {
            "copilot" => Self {
                names: args
                    .agent_list("--excluded-tools")
                    .into_iter()
                    .flatten()
                    .collect(),
                only: args
                    .agent_list("--available-tools")
                    .map(BTreeSet::from_iter),
            },
            _ => Self::default(),
        }
    }

    /// True where the agent's configuration says that the tool is to be asked for.
    #[must_use]
    pub fn asks(&self, _name: &str, _tool: &Tool) -> bool {
        true
    }

    /// True where the model does not have the tool `name` (of `server`, for MCP tools).
    #[must_use]
    pub fn hides(&self, name: &str, also: &[String], server: Option<&str>) -> bool {
        let listed = |name: &str| self.names.contains(name);
        if listed(name) || also.iter().any(|name| listed(name)) {
            return true;
        }
        let Some(only) = &self.only else { return false };
        !only.contains(name) && !server.is_some_and(|server| only.contains(server))
    }
}

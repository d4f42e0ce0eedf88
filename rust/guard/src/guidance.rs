//! Texts for the model: which tool instead, by the name it sees, and what to pass.

/// How an agent's model sees the tools of our server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameForm {
    pattern: String,
    server: String,
}

impl NameForm {
    /// `pattern` is a profile's, as `mcp__{server}__{tool}`; `{server_}` is the server's name with `_` for `-`.
    pub fn new(pattern: &str, server: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            server: server.to_owned(),
        }
    }

    /// A tool's name as the model sees it.
    pub fn as_seen(&self, tool: &str) -> String {
        self.pattern
            .replace("{server_}", &self.server.replace('-', "_"))
            .replace("{server}", &self.server)
            .replace("{tool}", tool)
    }
}

/// The nudge: this is a sandbox, and this folder is the allowed one.
pub fn nudge(denials: u32, root: &str) -> String {
    format!(
        "{denials} calls in a row were refused. You work in a sandbox: the project folder {root} is yours to \
         change, through the IDE's tools; nothing outside it is."
    )
}

/// The first change of tone for a tool.
pub fn suggest_another_way(tool: &str, denials: u32) -> String {
    format!("{tool} was denied {denials} times in this turn. Do it in a different way instead.")
}

/// The second change of tone for a tool.
pub fn stop_and_ask(tool: &str, denials: u32) -> String {
    format!(
        "{tool} was denied {denials} times in this turn. Stop calling it and ask the user how to go on."
    )
}

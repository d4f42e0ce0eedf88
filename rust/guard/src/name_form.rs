//! How an agent's model sees our tools: their names in its own form, and what is behind them.
//!
//! It knows no agent: patterns come from profiles. `guidance` has the texts that use the names.

use crate::tool::Tool;

/// What is behind our tools. No text may promise what is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surroundings {
    /// An IDE: editors with unsaved text, undo.
    #[default]
    Ide,
    /// The project's files and nothing else.
    Files,
}

impl Surroundings {
    pub(crate) fn pick<'a>(self, ide: &'a str, files: &'a str) -> &'a str {
        match self {
            Self::Ide => ide,
            Self::Files => files,
        }
    }
}

/// How an agent's model sees the tools of our server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameForm {
    pattern: String,
    server: String,
    surroundings: Surroundings,
    /// Tools, and the bare names under which they are offered instead of their own.
    renamed: Vec<(Tool, String)>,
}

impl NameForm {
    /// `pattern` is a profile's, as `mcp__{server}__{tool}`; `{server_}` is the server's name with
    /// `_` for `-`.
    pub fn new(pattern: &str, server: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            server: server.to_owned(),
            surroundings: Surroundings::default(),
            renamed: Vec::new(),
        }
    }

    /// The same, with tools that are offered under another bare name.
    pub fn renaming(mut self, renamed: impl IntoIterator<Item = (Tool, String)>) -> Self {
        self.renamed.extend(renamed);
        self
    }

    /// The tools that are offered under another bare name, with that name.
    pub fn renamed(&self) -> impl Iterator<Item = (Tool, &str)> {
        self.renamed
            .iter()
            .map(|(ours, theirs)| (*ours, theirs.as_str()))
    }

    /// The bare name under which a tool is offered.
    pub fn offered_as(&self, tool: Tool) -> &str {
        let found = self.renamed.iter().find(|(ours, _)| *ours == tool);
        found.map_or(tool.name(), |(_, theirs)| theirs)
    }

    /// Our tool that is offered under this bare name; `None` if it is not one of our tools.
    pub fn own_tool(&self, offered: &str) -> Option<Tool> {
        self.renamed_from(offered).or_else(|| Tool::named(offered))
    }

    /// Our tool that is offered under this bare name, which is not its own.
    pub fn renamed_from(&self, offered: &str) -> Option<Tool> {
        let found = self.renamed.iter().find(|(_, theirs)| theirs == offered);
        found.map(|(ours, _)| *ours)
    }

    /// A text that speaks of tools by their bare names, with those under which they are offered.
    pub fn in_text(&self, mut text: String) -> String {
        for (ours, theirs) in &self.renamed {
            text = text.replace(ours.name(), theirs);
        }
        text
    }

    /// The same names for tools that have this behind them.
    pub fn backed_by(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = surroundings;
        self
    }

    /// What is behind the tools.
    pub fn surroundings(&self) -> Surroundings {
        self.surroundings
    }

    /// A tool's name as the model sees it.
    pub fn as_seen(&self, tool: Tool) -> String {
        self.pattern
            .replace("{server_}", &self.server.replace('-', "_"))
            .replace("{server}", &self.server)
            .replace("{tool}", self.offered_as(tool))
    }

    /// The name, and where such a tool can be called when it is not offered as one (Vibe).
    pub(crate) fn how_to_call(&self, tool: Tool) -> String {
        let name = self.as_seen(tool);
        if self.pattern.starts_with("tools.") {
            format!("{name} (in run_typescript)")
        } else {
            name
        }
    }
}

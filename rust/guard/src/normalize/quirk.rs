//! Ways in which single agents' programs name calls. Agents' profiles say who does what; nothing here asks for a name.
//!
//! Of any other agent the same words could be its model's own, and prove nothing. Each is read where the merge and
//! `identity`, `forms` and `runs` beside this file ask an agent's names for it (`AgentNames::has`).

/// What one agent's program writes itself. The recordings of the agents named here show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    /// The id of a call begins with the tool's name, `write_file__call_1`: Gemini.
    CallIdNamesTool,
    /// `rawInput` names server and tool of an MCP call apart: both adapters of Codex.
    McpEnvelope,
    /// `rawInput.kind` is the class of an action, and the title begins with its tool: OpenHands.
    ActionClass,
    /// Tools of MCP servers come without their server's name: OpenHands.
    BareNames,
    /// A title is the program's own and names a tool as `server/tool`: fast-agent.
    SlashedNames,
    /// The title of a command's call is the command line: Gemini.
    CommandInTitle,
    /// An option of a permission request holds the command line: Vibe.
    CommandInOptions,
}

impl Quirk {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::CallIdNamesTool,
        Self::McpEnvelope,
        Self::ActionClass,
        Self::BareNames,
        Self::SlashedNames,
        Self::CommandInTitle,
        Self::CommandInOptions,
    ];

    /// Its word in a profile.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CallIdNamesTool => "call_id_names_tool",
            Self::McpEnvelope => "mcp_envelope",
            Self::ActionClass => "action_class",
            Self::BareNames => "bare_names",
            Self::SlashedNames => "slashed_names",
            Self::CommandInTitle => "command_in_title",
            Self::CommandInOptions => "command_in_options",
        }
    }

    /// The one of that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quirk| quirk.as_str() == word)
    }
}

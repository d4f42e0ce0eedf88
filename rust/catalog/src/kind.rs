//! What an action does: one enum for agents' tools and for our own. Its words are those of events, of the machine
//! interface and of ACP. What a policy makes of a kind is elsewhere.
//!
//! What a part of a command line does is `shell`'s `FindingKind`, with fewer members: that crate reads command lines for
//! whoever wants to know, and so knows nothing of ours. `guard`'s module `found` has the one translation, a match without
//! a catch-all; its test sees to it that both have the same word for a kind.

use std::fmt;

/// What an action does, as far as policy, events and guidance tell actions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionKind {
    /// Shows the text of a file.
    Read,
    /// Changes or creates a file.
    Edit,
    /// Writes text that a command line itself supplies into a file.
    Write,
    /// Deletes a file.
    Delete,
    /// Moves or renames a file.
    Move,
    /// Searches text in files.
    SearchText,
    /// Searches files by name.
    FindFile,
    /// Lists a folder.
    ListFolder,
    /// Runs the project's tests.
    RunTests,
    /// Does what a git tool covers.
    Git,
    /// Runs a command.
    Execute,
    /// Types into a command that runs.
    Input,
    /// Loses work or data, in a command line.
    Destructive,
    /// Runs what a command line has just downloaded.
    RemoteCode,
    /// What a command line runs is unknown.
    Opaque,
    /// Plans, remembers what is to do, looks for tools, looks at what runs: touches nothing.
    Think,
    /// Switches the agent's mode.
    SwitchMode,
    /// Fetches from the network.
    Fetch,
    /// Calls another MCP server.
    OtherServer,
    /// Anything else.
    Other,
}

impl ActionKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 20] = [
        Self::Read,
        Self::Edit,
        Self::Write,
        Self::Delete,
        Self::Move,
        Self::SearchText,
        Self::FindFile,
        Self::ListFolder,
        Self::RunTests,
        Self::Git,
        Self::Execute,
        Self::Input,
        Self::Destructive,
        Self::RemoteCode,
        Self::Opaque,
        Self::Think,
        Self::SwitchMode,
        Self::Fetch,
        Self::OtherServer,
        Self::Other,
    ];

    /// The word in events and in the machine interface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read_file",
            Self::Edit => "edit",
            Self::Write => "write_file",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::SearchText => "search_text",
            Self::FindFile => "find_file",
            Self::ListFolder => "list_dir",
            Self::RunTests => "run_tests",
            Self::Git => "git",
            Self::Execute | Self::Input => "execute",
            Self::Destructive => "destructive",
            Self::RemoteCode => "remote_code",
            Self::Opaque => "opaque",
            Self::Think => "think",
            Self::SwitchMode => "switch_mode",
            Self::Fetch => "fetch",
            Self::OtherServer => "mcp",
            Self::Other => "other",
        }
    }

    /// The kind of that word in events.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// ACP's word for it (ACP schema 1.15, `ToolKind`).
    pub const fn acp(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit | Self::Write => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::SearchText | Self::FindFile | Self::ListFolder => "search",
            Self::RunTests | Self::Execute | Self::Input => "execute",
            Self::Think => "think",
            Self::SwitchMode => "switch_mode",
            Self::Fetch => "fetch",
            Self::Git
            | Self::Destructive
            | Self::RemoteCode
            | Self::Opaque
            | Self::OtherServer
            | Self::Other => "other",
        }
    }

    /// Reads ACP's word for a kind. A word that is in no schema is [`ActionKind::Other`].
    pub fn from_acp(word: &str) -> Self {
        match word {
            "read" => Self::Read,
            "edit" => Self::Edit,
            "delete" => Self::Delete,
            "move" => Self::Move,
            "search" => Self::SearchText,
            "execute" => Self::Execute,
            "think" => Self::Think,
            "fetch" => Self::Fetch,
            "switch_mode" => Self::SwitchMode,
            _ => Self::Other,
        }
    }

    /// True for what only looks at files.
    pub const fn looks(self) -> bool {
        matches!(
            self,
            Self::Read | Self::SearchText | Self::FindFile | Self::ListFolder
        )
    }

    /// True for what starts a program of the agent's choice, or types into one.
    pub const fn is_command(self) -> bool {
        matches!(self, Self::Execute | Self::Input)
    }

    /// True for what changes files by itself, without a program.
    pub const fn changes_files(self) -> bool {
        matches!(self, Self::Edit | Self::Delete | Self::Move)
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_back_to_its_kind() {
        for kind in ActionKind::ALL {
            let by_event = ActionKind::named(kind.as_str()).expect("a known word");
            assert_eq!(by_event.as_str(), kind.as_str());
            assert_eq!(ActionKind::from_acp(kind.acp()).acp(), kind.acp());
        }
        assert_eq!(ActionKind::named("frobnicate"), None);
        assert_eq!(ActionKind::from_acp("frobnicate"), ActionKind::Other);
    }
}

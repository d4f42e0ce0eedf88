//! What an agent wants to do, in one shape for all agents.
//!
//! Made by [`crate::normalize`], judged by [`crate::policy::decide`]. Nothing here knows an agent's
//! name or a policy; the only trace of the wire is `raw`, kept for dialogs and logs.

use serde_json::Value;

pub use crate::tool::ActionKind;
use crate::tool::Tool;

/// The label of a tool of which nothing is known.
const UNKNOWN: &str = "unknown";

/// Whose tool a call uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// One of our own tools.
    OwnTool(Tool),
    /// A tool of the agent's own: the agent's name for it, or the ACP kind when it sends none.
    Builtin(String),
    /// A tool of another MCP server.
    OtherMcp {
        /// The server's name; empty when it is unknown.
        server: String,
        /// The tool's name; empty when it is unknown.
        tool: String,
    },
    /// Nothing in the call shows it.
    Unknown,
}

impl Identity {
    /// One name for counts, events and texts: `edit`, `intellij_read_file`, `server/tool`,
    /// `unknown`.
    pub fn label(&self) -> String {
        match self {
            Self::OwnTool(tool) => tool.name().to_owned(),
            Self::Builtin(tool) => tool.clone(),
            Self::OtherMcp { server, tool } if tool.is_empty() => server.clone(),
            Self::OtherMcp { server, tool } if server.is_empty() => tool.clone(),
            Self::OtherMcp { server, tool } => format!("{server}/{tool}"),
            Self::Unknown => UNKNOWN.to_owned(),
        }
    }

    /// Labels of what has no name: the protocol's kinds, which stand in for one, and that of [`Self::Unknown`].
    pub fn nameless() -> impl Iterator<Item = &'static str> {
        let kinds = ActionKind::ALL.iter().map(|kind| kind.acp());
        kinds.chain([UNKNOWN])
    }

    /// Whether a label names no tool beyond the kind of the call, which is given by its word.
    pub fn is_nameless(label: &str, kind: &str) -> bool {
        label == kind || Self::nameless().any(|nameless| nameless == label)
    }

    /// True for what is neither ours nor another server's.
    pub(crate) fn is_builtin_or_unknown(&self) -> bool {
        matches!(self, Self::Builtin(_) | Self::Unknown)
    }

    /// True for one of our own tools.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::OwnTool(_))
    }
}

/// What showed an action's identity, strongest first. Each but the last is shown by a recording or a payload in the
/// tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdentityRule {
    /// The server and the tool in `rawInput`, of a request flagged as an MCP approval (Codex).
    McpApproval,
    /// The server and the tool in `rawInput` (older Codex adapter).
    McpEnvelope,
    /// The server in `rawInput.server_name` (older Codex adapter, request without announcement).
    ServerName,
    /// `name` of the tool call, or a hook's tool name.
    Name,
    /// A tool's name in `_meta`.
    MetaToolName,
    /// The class of an action in `rawInput.kind`, with the head of the title (OpenHands).
    ActionClass,
    /// The beginning of the tool call's id (Gemini).
    CallIdPrefix,
    /// A title that is a tool's name together with its server's.
    TitleForm,
    /// A title that is a bare name of ours.
    BareTitle,
    /// A title that is the name of a known built-in tool and fits the kind.
    BuiltinTitle,
    /// ACP's kind alone.
    Kind,
    /// Neither name nor kind, but a command or a diff.
    Shape,
    /// Nothing did.
    None,
}

impl IdentityRule {
    /// All rules, strongest first.
    pub const ALL: [Self; 13] = [
        Self::McpApproval,
        Self::McpEnvelope,
        Self::ServerName,
        Self::Name,
        Self::MetaToolName,
        Self::ActionClass,
        Self::CallIdPrefix,
        Self::TitleForm,
        Self::BareTitle,
        Self::BuiltinTitle,
        Self::Kind,
        Self::Shape,
        Self::None,
    ];

    /// A stable word for logs and tests.
    pub fn id(self) -> &'static str {
        match self {
            Self::McpApproval => "mcp_approval",
            Self::McpEnvelope => "mcp_envelope",
            Self::ServerName => "server_name",
            Self::Name => "name",
            Self::MetaToolName => "meta_tool_name",
            Self::ActionClass => "action_class",
            Self::CallIdPrefix => "call_id_prefix",
            Self::TitleForm => "title_form",
            Self::BareTitle => "bare_title",
            Self::BuiltinTitle => "builtin_title",
            Self::Kind => "kind",
            Self::Shape => "shape",
            Self::None => "none",
        }
    }

    /// True when a title showed it, which an agent's model may have written.
    pub(crate) fn is_by_title(self) -> bool {
        matches!(self, Self::TitleForm | Self::BareTitle | Self::BuiltinTitle)
    }
}

/// One wish of an agent: a permission request, a hook's payload or an announced tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Whose tool.
    pub identity: Identity,
    /// The rule that found the identity.
    pub rule: IdentityRule,
    /// What it does, by ACP's kind, its name and what it shows.
    pub kind: ActionKind,
    /// The command line, for a tool that runs one. Never an argument of an own tool.
    pub command: Option<String>,
    /// Members of the call that may change what runs and were not understood. A person is asked about such an
    /// action under every policy, and it is never remembered.
    pub unread: Vec<String>,
    /// All files and folders it names, absolute if that is known; `..` is kept, so that code that knows symbolic links
    /// can resolve it.
    pub paths: Vec<String>,
    /// The agent's title. Written by the agent, often by the model: for people, never for
    /// decisions.
    pub title: String,
    /// An own tool's name together with fields that no call of it has: a command, a diff, another
    /// name.
    pub contradictory: bool,
    /// The call as sent, merged over its earlier announcement, in ACP's tool call shape.
    pub raw: Value,
    /// The agent's program names classes of actions among the arguments ([`crate::normalize::Quirk::ActionClass`]).
    pub(crate) names_class: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_only_says_the_kind_names_no_tool() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.nameless_tools.json"
        );
        let cases = std::fs::read_to_string(file).expect("the rule");
        let cases: Value = serde_json::from_str(&cases).expect("JSON");
        let cases = cases.as_array().expect("cases");
        assert!(cases.len() > 10, "{}", cases.len());
        for case in cases {
            let of = |member: &str| case[member].as_str().expect("a text");
            let nameless = Identity::is_nameless(of("tool"), of("kind"));
            assert_eq!(Value::from(nameless), case["nameless"], "{case}");
        }
        assert!(Identity::is_nameless(&Identity::Unknown.label(), ""));
    }
}

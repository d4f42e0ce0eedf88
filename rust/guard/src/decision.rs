//! The result of a decision and its reason, for the engine, for events and for the model.

use crate::shell::Finding;
use crate::tool::{ActionKind, Tool};

/// The guard's answer. *Reject* is a word of ACP and not used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Goes ahead.
    Allow,
    /// A person decides.
    Ask,
    /// Does not happen; the model reads why.
    Deny,
}

/// Why: the row of the decision table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// One of our own tools that needs no person; it has its own gate.
    OwnTool,
    /// Looks like an own tool, but a call allowed by that name never reached our server.
    OwnToolUntrusted,
    /// An own tool's name with fields that no call of it has.
    Contradictory,
    /// A tool that the profile lets pass.
    PassThrough,
    /// Planning, to-do lists, tool search: touches nothing.
    Internal,
    /// Switches the agent's mode.
    SwitchMode,
    /// A built-in file tool that an offered tool replaces.
    BuiltinReplaced,
    /// A command that does what an offered tool does.
    ShellAbuse,
    /// A command that loses work, runs downloaded code, cannot be understood or writes outside of the
    /// project; a deletion.
    Dangerous,
    /// Touches `.git`, `.idea`, `.siderail.toml` or an agent's own configuration.
    ProtectedPath,
    /// A file outside the project, which no IDE tool serves.
    OutsideProject,
    /// A tool of another MCP server.
    OtherServer,
    /// Nothing special: the user's ordinary permission policy.
    NeedsPerson,
    /// The person allowed this for good.
    AlwaysAllowed,
    /// The policy allows what is left.
    PolicyAllows,
    /// A plan is being made and not yet approved.
    PlanFirst,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 16] = [
        Self::OwnTool,
        Self::OwnToolUntrusted,
        Self::Contradictory,
        Self::PassThrough,
        Self::Internal,
        Self::SwitchMode,
        Self::BuiltinReplaced,
        Self::ShellAbuse,
        Self::Dangerous,
        Self::ProtectedPath,
        Self::OutsideProject,
        Self::OtherServer,
        Self::NeedsPerson,
        Self::AlwaysAllowed,
        Self::PolicyAllows,
        Self::PlanFirst,
    ];

    /// A stable word for events.
    pub fn id(self) -> &'static str {
        match self {
            Self::OwnTool => "own_tool",
            Self::OwnToolUntrusted => "own_tool_untrusted",
            Self::Contradictory => "contradictory",
            Self::PassThrough => "pass_through",
            Self::Internal => "internal",
            Self::SwitchMode => "switch_mode",
            Self::BuiltinReplaced => "builtin_replaced",
            Self::ShellAbuse => "shell_abuse",
            Self::Dangerous => "dangerous",
            Self::ProtectedPath => "protected_path",
            Self::OutsideProject => "outside_project",
            Self::OtherServer => "other_server",
            Self::NeedsPerson => "needs_person",
            Self::AlwaysAllowed => "always_allowed",
            Self::PolicyAllows => "policy_allows",
            Self::PlanFirst => "plan_first",
        }
    }

    /// False where a person's `Always` must never count.
    pub fn may_be_remembered(self) -> bool {
        matches!(
            self,
            Self::NeedsPerson | Self::OutsideProject | Self::OtherServer | Self::AlwaysAllowed
        )
    }
}

/// The outcome of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Allow, ask or deny.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// The tool to use instead.
    pub instead: Option<Tool>,
    /// The full text for the model; present with every denial.
    pub guidance: Option<String>,
    /// What the shell analysis found, for a command.
    pub findings: Vec<Finding>,
    /// Where a command that is asked about or allowed writes outside of the project, as far as that is known.
    pub outside: Vec<String>,
    /// Its words that name a protected place.
    pub protected: Vec<String>,
    /// What it does, as events say it.
    pub kind: ActionKind,
}

impl Decision {
    /// A decision without text.
    pub fn new(verdict: Verdict, reason: Reason, kind: ActionKind) -> Self {
        Self {
            verdict,
            reason,
            instead: None,
            guidance: None,
            findings: Vec::new(),
            outside: Vec::new(),
            protected: Vec::new(),
            kind,
        }
    }
}

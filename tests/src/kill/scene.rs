//! What may be going on, and who may be killed then.

use crate::processes::Process;

/// What is going on when somebody is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scene {
    /// A turn that rewrites a file and leaves children.
    Turn,
    /// An earlier session is loaded: 10,000 updates.
    Load,
    /// A turn of 10,000 updates.
    Flood,
    /// Commits by `git_commit`, with hooks.
    Commit,
    /// Long texts that go into the history.
    History,
}

impl Scene {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Turn,
        Self::Load,
        Self::Flood,
        Self::Commit,
        Self::History,
    ];

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        let is_it = |scene: &Self| format!("{scene:?}").eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is_it)
    }

    pub(super) fn victims(self) -> &'static [Victim] {
        use Victim as V;
        match self {
            Self::Turn => &[V::Agent, V::Relay, V::Client, V::Guardian],
            Self::Load | Self::Flood => &[V::Client, V::Agent, V::Relay],
            Self::Commit => &[V::Git, V::Client, V::Hook, V::Agent, V::Relay, V::Guardian],
            Self::History => &[V::Client, V::Agent],
        }
    }

    /// Of 1000 kills, those at a moment that matters; the others come at any.
    pub(super) fn at_work(self, victim: Victim) -> u64 {
        match (self, victim) {
            (Self::Turn, Victim::Client) => 500,
            (Self::Turn, _) => 0,
            _ => 800,
        }
    }
}

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Victim {
    /// The agent itself.
    Agent,
    /// Our MCP relay.
    Relay,
    /// `siderail run`.
    Client,
    /// What ends the agent's tree when the client is gone.
    Guardian,
    /// A git that changes something.
    Git,
    /// A hook that git runs.
    Hook,
}

impl Victim {
    /// It comes and goes within a run.
    pub(super) fn is_short_lived(self) -> bool {
        matches!(self, Self::Git | Self::Hook)
    }

    /// Among the processes of a run; the client is known without that.
    pub(super) fn among(self, processes: &[Process]) -> Option<i32> {
        let role = |process: &&Process| {
            let word = |at: usize| process.words.get(at).map_or("", String::as_str);
            match self {
                Self::Agent => word(1) == "scripted-agent",
                Self::Relay => word(1) == "relay" && word(2).is_empty(),
                Self::Guardian => word(1) == "relay" && word(2) == "guardian",
                Self::Client => word(1) == "run" || word(1) == "chat",
                Self::Git => word(0).rsplit('/').next() == Some("git") && process.has("commit"),
                Self::Hook => word(1).ends_with("hooks/pre-commit"),
            }
        };
        processes.iter().find(role).map(|process| process.pid)
    }
}

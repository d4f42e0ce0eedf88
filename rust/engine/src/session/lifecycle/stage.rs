//! The stages of a session's life. Each holds what matters in it alone, which is dropped with the stage. Plain data.

use std::time::Instant;

use siderail_acp::process::{CommandLine, Exit};
use siderail_acp::session::EarlyUpdates;

use crate::event::StopReason;
use crate::session::lifecycle::opening::Opening;
use crate::session::prompt_turn::prompt::Prompt;

/// Where a session is.
pub(super) enum Stage {
    /// The process is being started and has not answered all of the handshake.
    Starting(Box<Starting>),
    /// Prompts may be sent. `failed`: the prompt that has failed because a login was missing, and is sent again. Then
    /// the agent is waited for to log in, and else to end its cancelled turn.
    Ready {
        failed: Option<Prompt>,
        process: Process,
    },
    /// The agent was asked to exit.
    Closing { ending: Ending, process: Process },
    /// The agent is gone; the host has yet to say what became of its writes.
    Finishing { ending: Ending, answers_by: Instant },
    /// The summary is out, unless the session continues in a new process.
    Over(Ending),
}

pub(in crate::session) struct Starting {
    pub(in crate::session) opening: Opening,
    /// Updates that came before the agent's session was known, or that replay an earlier conversation.
    pub(in crate::session) early: EarlyUpdates,
    pub(super) awaited: Awaited,
    pub(super) process: Process,
}

/// What a session waits for that is being started.
pub(super) enum Awaited {
    /// Its worker, which prepares it; then this is started.
    ToStart(CommandLine),
    /// The agent's next answer.
    Answer,
    HookListing,
    /// A login that is missing.
    Login,
}

/// How much of the agent's process is gone, and until when it has for what is awaited of it; none while it has none to give,
/// or somebody else is waited for.
#[derive(Clone, Copy, Default)]
pub(super) struct Process {
    pub(super) gone: Gone,
    pub(super) until: Option<Instant>,
}

#[derive(Clone, Copy, Default)]
pub(super) enum Gone {
    /// Nothing, or it has not been started.
    #[default]
    Nothing,
    /// Its output is at its end.
    Output,
    /// It has ended, and may have said more than has been read.
    Program(Exit),
    /// Both.
    All(Exit),
}

/// What is overdue when a session's limit passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Limit {
    /// The agent has not finished the handshake.
    Startup,
    /// The agent has not listed its hooks.
    HookListing,
    /// The agent has not finished a login that a prompt needs.
    Login,
    /// The agent has not ended a cancelled turn.
    Cancel,
    /// The agent's process has not ended, or its output stays open after it did.
    Exit,
    /// The host has not said what became of writes that it was asked to give up.
    GivenUp,
}

/// What a session that ends ends for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) enum Ending {
    /// For good. The stop reason of the summary, where it is not the last turn's.
    ForGood(Option<StopReason>),
    /// It continues in a new process of its agent.
    Restart,
}

impl Awaited {
    fn limit(&self) -> Limit {
        match self {
            Self::HookListing => Limit::HookListing,
            Self::ToStart(_) | Self::Answer | Self::Login => Limit::Startup,
        }
    }
}

impl Stage {
    /// The agent's process, while anything of it may be there.
    pub(super) fn process(&mut self) -> Option<&mut Process> {
        match self {
            Self::Starting(starting) => Some(&mut starting.process),
            Self::Ready { process, .. } | Self::Closing { process, .. } => Some(process),
            Self::Finishing { .. } | Self::Over(_) => None,
        }
    }

    /// What is overdue, and when.
    pub(super) fn limit(&self) -> Option<(Instant, Limit)> {
        let (process, limit) = match self {
            Self::Starting(starting) => (starting.process, starting.awaited.limit()),
            Self::Ready {
                failed: Some(_),
                process,
            } => (*process, Limit::Login),
            Self::Ready {
                failed: None,
                process,
            } => (*process, Limit::Cancel),
            Self::Closing { process, .. } => (*process, Limit::Exit),
            Self::Finishing { answers_by, .. } => return Some((*answers_by, Limit::GivenUp)),
            Self::Over(_) => return None,
        };
        let goes = !matches!(process.gone, Gone::Nothing);
        Some((process.until?, if goes { Limit::Exit } else { limit }))
    }
}

//! A session from its opening to its summary: the agent's process, the handshake, logging in, going on with an earlier
//! conversation or in a new process, and the end.

pub(in crate::session) mod closing;
pub(in crate::session) mod handshake;
pub(in crate::session) mod login;
pub(in crate::session) mod opening;
pub(in crate::session) mod process;
pub(in crate::session) mod recipes;
pub(in crate::session) mod restart;
pub(in crate::session) mod restore;
pub(in crate::session) mod startup;
pub(in crate::session) mod stray_output;
pub(in crate::session) mod waiting;

use std::time::{Duration, Instant};

use siderail_acp::process::Exit;

/// From the end of its input to the end of an agent that has to be killed.
pub(in crate::session) const STOP: Duration = Duration::from_secs(6);

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The process is being started and has not answered all of the handshake.
    Starting,
    /// Prompts may be sent.
    Ready,
    /// The agent was told to go.
    Closing,
    /// The summary is out.
    Over,
}

/// What is overdue when a session's limit passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The agent has not finished the handshake.
    Startup,
    /// The agent has not listed its hooks.
    HookListing,
    /// The agent has not ended a cancelled turn.
    Cancel,
    /// The agent's process has not ended, or its output stays open after it did.
    Exit,
    /// The host has not said what became of writes that it was told to give up.
    GivenUp,
}

/// A session's life: where it is, what ends it, and when something is overdue. It knows no agent and no events.
pub(in crate::session) struct Lifecycle {
    /// Where it is.
    pub(in crate::session) phase: Phase,
    /// A moment at which something has to happen if nothing else did.
    pub(in crate::session) limit: Option<(Instant, Limit)>,
    /// How the process ended.
    pub(in crate::session) exit: Option<Exit>,
    /// Its output is at its end.
    pub(in crate::session) output_closed: bool,
    /// The session goes on in a new process once this one is gone.
    pub(in crate::session) restarts: bool,
    /// The stop reason to report in the summary.
    pub(in crate::session) stop_reason: Option<String>,
    /// When the agent last said anything, or was last given something to go on with.
    pub(in crate::session) heard: Instant,
    /// Silence after which the turn is cancelled.
    pub(in crate::session) inactivity: Duration,
}

impl Lifecycle {
    /// One that begins now: the agent has this long for the handshake.
    pub(in crate::session) fn new(now: Instant, startup: Duration, inactivity: Duration) -> Self {
        Self {
            phase: Phase::Starting,
            limit: Some((now + startup, Limit::Startup)),
            exit: None,
            output_closed: false,
            restarts: false,
            stop_reason: None,
            heard: now,
            inactivity,
        }
    }

    /// What has to happen now because nothing else did; it is due once.
    pub(in crate::session) fn overdue(&mut self, now: Instant) -> Option<Limit> {
        let (_, limit) = self.limit.filter(|(at, _)| *at <= now)?;
        self.limit = None;
        Some(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_due_when_its_time_has_come_and_then_no_more() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let mut life = Lifecycle::new(now, second, second);
        assert_eq!(life.overdue(now), None);
        assert_eq!(life.overdue(now + second), Some(Limit::Startup));
        assert_eq!(life.overdue(now + second), None);
    }
}

//! Agents that say nothing: how long they may in a turn, and what is reported when that time is up, or when a cancelled turn
//! does not end. It knows no session and no clock.

use std::time::{Duration, Instant};

use crate::session::CANCEL;
use crate::session::duration_texts::seconds;
use crate::session::prompt_turn::PromptTurn;

/// Who is awaited.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::session) struct Awaited {
    /// The agent: its turn runs.
    pub(in crate::session) agent: bool,
    /// Somebody else, whom the agent waits for: a person, a client, a call at our server, a command.
    pub(in crate::session) others: bool,
}

impl PromptTurn {
    /// When an agent that was last heard at `heard` counts as silent; `None` while it waits for somebody else.
    pub(in crate::session) fn silent_until(
        &self,
        awaited: Awaited,
        heard: Instant,
        patience: Duration,
    ) -> Option<Instant> {
        let is_agents = awaited.agent && !awaited.others && self.running.cancelling.is_none();
        is_agents.then(|| heard + patience)
    }
}

/// Nothing came from the agent for so long. `waits_for`: what is pending.
pub(in crate::session) fn silent_for(patience: Duration, waits_for: &str) -> String {
    format!(
        "nothing came from the agent for {}: {waits_for}. Its turn is cancelled; raise the inactivity setting for an \
         agent that needs longer",
        seconds(patience)
    )
}

/// The agent did not end its cancelled turn.
pub(in crate::session) fn cancel_ignored(waits_for: &str) -> String {
    format!(
        "the agent did not end the cancelled turn within {} ({waits_for}); its session is ended",
        seconds(CANCEL)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::event::StopReason;

    #[test]
    fn an_agent_is_silent_only_while_nobody_else_is_awaited() {
        let (heard, patience) = (Instant::now(), Duration::from_secs(60));
        let until = |turn: &PromptTurn, agent, others| {
            turn.silent_until(Awaited { agent, others }, heard, patience)
        };
        let mut turn = PromptTurn::default();
        assert_eq!(until(&turn, true, false), Some(heard + patience));
        assert_eq!(until(&turn, true, true), None);
        assert_eq!(until(&turn, false, false), None, "no turn runs");
        turn.running.cancelling = Some(StopReason::Cancelled);
        assert_eq!(until(&turn, true, false), None, "that has its own limit");
    }

    #[test]
    fn a_silence_is_told_with_what_is_pending() {
        let told = silent_for(Duration::from_secs(60), "run_tests is still running");
        assert!(
            told.contains("60 s: run_tests is still running. "),
            "{told}"
        );
        let told = cancel_ignored("nothing is pending");
        assert!(told.contains("within 2 s (nothing is pending)"), "{told}");
    }
}

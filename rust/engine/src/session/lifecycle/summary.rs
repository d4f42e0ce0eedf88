//! What a session comes to, whichever process of its agent was the last.

use crate::event::{StopReason, Summary};
use crate::session::carried::Carried;

/// The stop reason of a session: what it was ended for, else that of its last turn. `has_begun`: the agent took prompts.
pub(in crate::session) fn stop_reason(
    ended_for: Option<StopReason>,
    last_turn: Option<StopReason>,
    has_begun: bool,
) -> StopReason {
    let no_turn = match has_begun {
        true => StopReason::Ended,
        false => StopReason::NotStarted,
    };
    ended_for.or(last_turn).unwrap_or(no_turn)
}

/// The counts of all processes of a session. `hidden`: built-in tools that the last of them did not offer to the model.
pub(in crate::session) fn of(
    carried: &Carried,
    agent: String,
    hidden: Vec<String>,
    stop_reason: StopReason,
) -> Summary {
    let denials = &carried.denials;
    let (followed, ignored) = denials.delivery.outcome();
    let settled = followed + ignored;
    Summary {
        agent,
        stop_reason,
        turns: carried.n_turns,
        denials: denials.by_tool().clone(),
        escalations: denials.tracker.summary().escalations.into(),
        guidance: denials.receipts(),
        followed,
        ignored,
        redirect_rate: (settled > 0).then(|| f64::from(followed) / f64::from(settled)),
        files_written: carried.files_written.clone(),
        hidden,
        unguarded: carried.canary.is_unguarded(),
        duration_s: (carried.started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_was_ended_for_counts_more_than_its_last_turn() {
        assert_eq!(
            stop_reason(Some(StopReason::Timeout), Some(StopReason::EndTurn), true),
            StopReason::Timeout
        );
        assert_eq!(
            stop_reason(None, Some(StopReason::EndTurn), true),
            StopReason::EndTurn
        );
        assert_eq!(stop_reason(None, None, true), StopReason::Ended);
        assert_eq!(stop_reason(None, None, false), StopReason::NotStarted);
    }
}

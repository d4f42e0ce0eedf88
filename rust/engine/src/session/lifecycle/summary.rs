//! What a session comes to, whichever process of its agent was the last.

use crate::event::Summary;
use crate::session::carried::Carried;

/// The stop reason of a session whose agent never took a prompt.
pub(in crate::session) const NOT_STARTED: &str = "not_started";

/// The stop reason of a session: what it was ended for, else that of its last turn. `has_begun`: the agent took prompts.
pub(in crate::session) fn stop_reason<'a>(
    ended_for: Option<&'a str>,
    last_turn: Option<&'a str>,
    has_begun: bool,
) -> &'a str {
    let no_turn = match has_begun {
        true => "ended",
        false => NOT_STARTED,
    };
    ended_for.or(last_turn).unwrap_or(no_turn)
}

/// The counts of all processes of a session.
pub(in crate::session) fn of(carried: &Carried, agent: String, stop_reason: String) -> Summary {
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
        hidden: Vec::new(),
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
            stop_reason(Some("timeout"), Some("end_turn"), true),
            "timeout"
        );
        assert_eq!(stop_reason(None, Some("end_turn"), true), "end_turn");
        assert_eq!(stop_reason(None, None, true), "ended");
        assert_eq!(stop_reason(None, None, false), NOT_STARTED);
    }
}

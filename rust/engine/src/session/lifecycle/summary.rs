//! What a session comes to, whichever process of its agent was the last.

use crate::event::Summary;
use crate::session::carried::Carried;

/// The stop reason of a session whose agent never took a prompt.
pub(in crate::session) const NOT_STARTED: &str = "not_started";

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

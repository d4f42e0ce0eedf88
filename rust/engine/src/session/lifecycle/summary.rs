//! The summary of a session, whichever process of its agent was the last.

use crate::error::EngineError;
use crate::event::{self, ErrorKind, EventBody, StopReason, Summary};
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

/// What is reported of a failed start: its error and its summary, as every session has them. `carried`: what there is
/// of an earlier process, whose counts continue.
pub(in crate::session) fn not_started(
    agent: String,
    carried: Option<&Carried>,
    error: &EngineError,
) -> [EventBody; 2] {
    let failed = EventBody::Error(event::Error {
        kind: ErrorKind::Spawn,
        text: error.to_string(),
        hint: error.hint().map(str::to_owned),
    });
    let stop_reason = StopReason::NotStarted;
    let summary = match carried {
        Some(carried) => of(carried, agent, Vec::new(), stop_reason),
        None => Summary {
            agent,
            stop_reason,
            ..Summary::default()
        },
    };
    [failed, EventBody::Summary(summary)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::SessionOptions;
    use crate::memory::Memory;
    use siderail_guard::canary::Canary;
    use siderail_guard::denial::DenialTracker;
    use std::path::Path;
    use std::time::Instant;

    #[test]
    fn a_start_that_fails_has_the_counts_of_the_process_before() {
        let told = |carried: Option<&Carried>| {
            let agent = "claude".to_owned();
            match not_started(agent, carried, &EngineError::Hangs) {
                [
                    EventBody::Error(event::Error {
                        kind: ErrorKind::Spawn,
                        ..
                    }),
                    EventBody::Summary(summary),
                ] => (summary.turns, summary.stop_reason),
                told => panic!("{told:?}"),
            }
        };
        assert_eq!(told(None), (0, StopReason::NotStarted));
        let tracker = DenialTracker::new(2, "/p");
        let canary = Canary::new(&[], false);
        let mut carried = Carried::new(
            1,
            Instant::now(),
            SessionOptions::default(),
            tracker,
            canary,
            Memory::of_project(Path::new("/nowhere"), Path::new("/p")),
        );
        carried.n_turns = 3;
        assert_eq!(told(Some(&carried)), (3, StopReason::NotStarted));
    }

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

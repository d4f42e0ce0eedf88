//! The denials of a prompt turn, so that a call that a hook and a permission request both see counts once.
//!
//! It gets the time and what distinguishes an action from others; it knows no session, no agent and no events.

use std::time::{Duration, Instant};

/// A call that a hook and a request both see without naming it comes to both within this time.
pub(in crate::session) const SAME_CALL: Duration = Duration::from_secs(5);

/// Where a call came to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Seen {
    /// The agent's own hook.
    Hook,
    /// A permission request.
    Request,
}

/// What is known of a denial when its call comes again.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) struct Before {
    /// What the model has read, or is to read.
    pub(in crate::session) text: String,
    /// A rule denied it in the agent's own hook, which will do so again. A person's word does not count here.
    pub(in crate::session) in_hook: bool,
}

/// A denial.
#[derive(Clone, Debug)]
pub(in crate::session) struct Denied {
    /// The agent's id of the call, where it was named.
    pub(in crate::session) call_id: Option<String>,
    /// What tells its action from others.
    pub(in crate::session) fingerprint: String,
    pub(in crate::session) seen_by: Seen,
    /// What the model has read, or is to read.
    pub(in crate::session) text: String,
    pub(in crate::session) at: Instant,
}

/// Those of a turn.
#[derive(Debug, Default)]
pub(in crate::session) struct DeniedCalls(Vec<Held>);

#[derive(Debug)]
struct Held {
    denied: Denied,
    /// The other of hook and request has met it: another call of that fingerprint is another call.
    is_met: bool,
}

impl DeniedCalls {
    /// Adds one; those without an id are forgotten once nobody can come back to them.
    pub(in crate::session) fn add(&mut self, denied: Denied) {
        let now = denied.at;
        self.0
            .retain(|held| held.denied.call_id.is_some() || is_recent(&held.denied, now));
        let is_met = false;
        self.0.push(Held { denied, is_met });
    }

    /// The denial of this call, where it has been denied already: by its id, or, where hook or request name none, as the
    /// same action that the other of the two saw within seconds.
    pub(in crate::session) fn meet(
        &mut self,
        call_id: Option<&str>,
        fingerprint: &str,
        seen_by: Seen,
        now: Instant,
    ) -> Option<Before> {
        let is_same = |held: &&mut Held| match (&held.denied.call_id, call_id) {
            (Some(one), Some(other)) => one == other,
            _ => held.denied.seen_by != seen_by && !held.is_met && held.is_like(fingerprint, now),
        };
        let found = self.0.iter_mut().find(is_same)?;
        found.is_met = true;
        let denied = &mut found.denied;
        if denied.call_id.is_none() {
            denied.call_id = call_id.map(str::to_owned);
        }
        Some(Before {
            text: denied.text.clone(),
            in_hook: denied.seen_by == Seen::Hook,
        })
    }

    /// Whether the call of this id was denied.
    pub(in crate::session) fn holds(&self, call_id: &str) -> bool {
        let mut ids = self.0.iter().map(|held| held.denied.call_id.as_deref());
        ids.any(|id| id == Some(call_id))
    }

    /// Whether the end of this call is that of a denied one, as far as is known.
    pub(in crate::session) fn may_be(
        &self,
        call_id: &str,
        fingerprint: &str,
        now: Instant,
    ) -> bool {
        self.0.iter().any(|held| match &held.denied.call_id {
            Some(id) => id == call_id,
            None => held.is_like(fingerprint, now),
        })
    }
}

impl Held {
    fn is_like(&self, fingerprint: &str, now: Instant) -> bool {
        self.denied.fingerprint == fingerprint && is_recent(&self.denied, now)
    }
}

fn is_recent(denied: &Denied, now: Instant) -> bool {
    now.duration_since(denied.at) < SAME_CALL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(call_id: Option<&str>, seen_by: Seen, at: Instant) -> Denied {
        Denied {
            call_id: call_id.map(str::to_owned),
            fingerprint: "rm a".to_owned(),
            seen_by,
            text: "use delete_file".to_owned(),
            at,
        }
    }

    #[test]
    fn what_the_hook_denied_is_the_same_call_when_it_is_asked_about() {
        let (mut calls, now) = (DeniedCalls::default(), Instant::now());
        calls.add(denied(None, Seen::Hook, now));
        let before = calls.meet(Some("7"), "rm a", Seen::Request, now);
        assert!(before.is_some_and(|before| before.in_hook));
        assert!(calls.holds("7"), "it has got the id");
        assert_eq!(calls.meet(None, "rm a", Seen::Request, now), None);
    }

    #[test]
    fn another_action_a_later_one_and_one_of_the_same_side_are_other_calls() {
        let (mut calls, now) = (DeniedCalls::default(), Instant::now());
        calls.add(denied(None, Seen::Hook, now));
        assert_eq!(calls.meet(None, "rm b", Seen::Request, now), None);
        assert_eq!(calls.meet(None, "rm a", Seen::Hook, now), None);
        let later = now + SAME_CALL;
        assert_eq!(calls.meet(None, "rm a", Seen::Request, later), None);
        assert!(calls.may_be("x", "rm a", now) && !calls.may_be("x", "rm a", later));
    }

    #[test]
    fn a_call_with_an_id_is_known_by_it_alone_and_for_the_whole_turn() {
        let (mut calls, now) = (DeniedCalls::default(), Instant::now());
        calls.add(denied(Some("7"), Seen::Request, now));
        let later = now + SAME_CALL * 2;
        calls.add(denied(None, Seen::Request, later));
        assert!(calls.meet(Some("7"), "rm b", Seen::Hook, later).is_some());
        assert!(calls.may_be("7", "rm b", later) && !calls.holds("8"));
    }
}

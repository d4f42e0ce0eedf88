//! What one prompt turn keeps of its denials, so that whoever sees a call first counts it, and nobody counts it twice.
//!
//! Plain data: it knows no session and sends nothing.

use std::time::Instant;

use siderail_guard::{Action, Identity};

use super::denied_calls::{Before, Denied, DeniedCalls, Seen};
use super::refused_calls::RefusedCalls;
use crate::session::question::RequestedAction;

/// The denials of a turn.
#[derive(Debug, Default)]
pub(in crate::session) struct TurnDenials {
    /// What was denied, so that hook and permission request count once.
    denied: DeniedCalls,
    /// Actions that were allowed only to be refused when they come to us.
    pub(in crate::session) refused: RefusedCalls,
    /// A rejection with a reason is the last that happened: the agent has done nothing since.
    pub(in crate::session) reject_stands: bool,
}

impl TurnDenials {
    /// An action was denied, and this is what the model reads.
    pub(in crate::session) fn remember(
        &mut self,
        requested: &RequestedAction,
        seen_by: Seen,
        text: &str,
    ) {
        self.denied.add(Denied {
            call_id: requested.tool_call_id.clone(),
            fingerprint: requested.fingerprint.clone(),
            seen_by,
            text: text.to_owned(),
            at: Instant::now(),
        });
    }

    /// The denial of this call, where it has been denied already.
    pub(in crate::session) fn before(
        &mut self,
        call_id: Option<&str>,
        action: &Action,
        seen_by: Seen,
    ) -> Option<Before> {
        let (print, now) = (fingerprint(action), Instant::now());
        self.denied.meet(call_id, &print, seen_by, now)
    }

    /// True when this call of the agent was denied.
    pub(in crate::session) fn holds(&self, call_id: &str) -> bool {
        self.denied.holds(call_id)
    }

    /// True when the end of this call is that of a denied one, as far as is known.
    pub(in crate::session) fn may_be(&self, call_id: &str, action: &Action) -> bool {
        let (print, now) = (fingerprint(action), Instant::now());
        self.denied.may_be(call_id, &print, now)
    }
}

/// What tells an action from others where no id does.
pub(in crate::session) fn fingerprint(action: &Action) -> String {
    let what = match (&action.identity, &action.command) {
        (_, Some(command)) => command.clone(),
        (Identity::OwnTool(tool), None) => tool.name().to_owned(),
        (_, None) => action.kind.acp().to_owned(),
    };
    let mut paths = action.paths.clone();
    paths.sort();
    paths.dedup();
    format!("{what} {}", paths.join(" "))
}

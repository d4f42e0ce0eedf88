//! Calls that are allowed because they carry one of our names, and whether they came to our server.
//!
//! The name is the agent's word. So every call that is allowed by it is expected at our server until its turn
//! ends, whatever the agent says of it meanwhile; one that never arrives ends that trust for the session.

use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::{Action, Identity, Tool};

use crate::session::Session;
use crate::session::effect::Effect;
use crate::session::own_calls::expected::OwnCalled;
use crate::session::permissions::hooks::bare_arguments;
use crate::session::permissions::judge::Judge;
use crate::shared::Shared;

impl OwnCalled {
    /// The call of our tool that an action claims to be; none where nothing is allowed by that name.
    pub(in crate::session) fn of(
        action: &Action,
        reason: Reason,
        call: Option<&String>,
    ) -> Option<Self> {
        let Identity::OwnTool(tool) = &action.identity else {
            return None;
        };
        if matches!(reason, Reason::Contradictory | Reason::OwnToolUntrusted) {
            return None;
        }
        Some(Self {
            call: call.cloned(),
            tool: tool.clone(),
            arguments: bare_arguments(action.arguments()),
        })
    }
}

impl Judge {
    /// A question about a call of ours that no yes could make work is a denial with what our server would say.
    pub(in crate::session) fn unless_it_cannot_work(
        &self,
        action: &Action,
        decision: Decision,
    ) -> Decision {
        let is_about_place = matches!(
            decision.reason,
            Reason::OutsideProject | Reason::ProtectedPath
        );
        let Identity::OwnTool(tool) = &action.identity else {
            return decision;
        };
        let may_fail = is_about_place || Tool::named(tool) == Some(Tool::GitCommit);
        if decision.verdict != Verdict::Ask || !may_fail {
            return decision;
        }
        match self.cannot_work(tool, &bare_arguments(action.arguments())) {
            Some(failed) => Decision {
                verdict: Verdict::Deny,
                guidance: Some(failed.to_string()),
                ..decision
            },
            None => decision,
        }
    }
}

impl Session {
    /// True while a name of ours is believed.
    pub(in crate::session) fn trusts_names(&self) -> bool {
        self.carried.canary.trusts_names() && !self.turn.expected.is_full()
    }

    /// A call that was allowed as ours has ended without having arrived.
    pub(in crate::session) fn own_tool_ended(&mut self, id: &str, shared: &mut Shared) {
        let missing = self.turn.expected.take(id);
        self.own_calls_missing(missing, shared);
    }

    /// The turn is over: a call that was allowed as ours in it had the time to arrive. `was_cut_off`: the turn
    /// was cancelled, so nobody knows what the agent would have done.
    pub(in crate::session) fn settle_expected(&mut self, was_cut_off: bool, shared: &mut Shared) {
        let missing = self.turn.expected.settle();
        if !was_cut_off {
            self.own_calls_missing(missing, shared);
        }
    }

    fn own_calls_missing(&mut self, tools: impl IntoIterator<Item = String>, shared: &mut Shared) {
        for tool in tools {
            let found = self.carried.canary.own_call_never_came(&tool);
            self.apply(found.map(Effect::unguarded), shared);
        }
    }
}

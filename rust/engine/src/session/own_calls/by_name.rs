//! Calls that are allowed because they carry one of our names, and whether they came to our server.
//!
//! The name is the agent's word. So every call that is allowed by it is expected at our server until its turn
//! ends, whatever the agent says of it meanwhile; one that never arrives ends that trust for the session.

use crate::session::Session;
use crate::session::effect::Effect;
use crate::shared::Shared;

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
